import type { RemoteStatus } from '@shared/contract/ipc/remote';
import type { Text } from '../en';

const states: Record<RemoteStatus['state'], string> = {
  connecting: '正在连接',
  up: '已连接',
  down: '已断开',
  refused: '被拒绝',
};
const writes: Record<string, string> = {
  'hints.queue': '提示',
  'labels.apply': '标注',
  'labels.comment': '评论',
  'labels.flag': '标记',
};

export const remote: Text['remote'] = {
  open: '打开其他计算机上的工作区…',
  local: '工作区：本机',
  mark: (alias) => `${alias} 上的工作区`,
  state: (state) => states[state],
  since: (state, time) => `${state} ${time}`,
  waiting: (n) => `${n} 条待发送`,
  title: '其他计算机上的工作区',
  lead: '显示并操控一台计算机自行驱动的运行。本机休眠时它们照常进行。',
  host: '计算机',
  hostHelp: '来自你的计算机列表；该计算机须已安装 Waymark。',
  folder: '该计算机上的文件夹',
  folderHelp: '绝对路径；留空则用该用户的默认文件夹。',
  folderPlaceholder: '例如 /data/waymark',
  command: '该计算机上的命令',
  commandHelp: '在该计算机上启动 Waymark 的方式，例如 node /opt/waymark/out/main/cli.js',
  connect: '打开',
  connecting: '正在连接…',
  noComputers: '尚无计算机',
  noComputersText: '请先添加该计算机，使用你在终端里用的同一 SSH 别名。',
  addComputer: '添加计算机',
  now: (alias) => `当前打开：${alias}`,
  version: (version) => `该计算机的版本：Waymark ${version}`,
  back: '回到本机',
  downTitle: (alias) => `${alias} 已断开。`,
  downText: (n) =>
    n === 0
      ? '该计算机上的运行照常进行。你写下的内容保存在本机，恢复连接后发送。'
      : `该计算机上的运行照常进行。你的 ${n} 条内容保存在本机，恢复连接后发送。`,
  refusedTitle: (alias) => `${alias} 无法打开工作区。`,
  lateTitle: (n) => `你的 ${n} 条内容被该计算机拒绝。`,
  late: (what, text, why) => (text === '' ? `${what}：${why}` : `${what}“${text}”：${why}`),
  write: (command) => writes[command] ?? command,
  seen: '知道了',
};
