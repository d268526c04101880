import type { ErrorCode, FailureWords } from '@shared/contract/errors';
import type { Text } from '../en';

const problems: Partial<Record<ErrorCode, string>> = {
  disk_full: '数据文件夹已满。',
  read_only: '数据文件夹是只读的。',
  workspace_corrupt: '数据文件夹已损坏。',
  workspace_newer: '数据文件夹属于更新版本的 Waymark。',
  workspace_locked: '数据文件夹被锁定。',
  workspace_moved: '数据文件夹已被移动或删除。',
  workspace_network_fs: '数据文件夹位于网络磁盘上。',
  system_busy: '计算机的文件句柄或内存已用尽。',
};

const acts: Record<FailureWords['act'], string> = {
  recording: '记录',
  asking: '向运行发送请求',
  labelling: '标注',
  merging: '合并标注',
  undoing: '撤销',
  redoing: '重做',
  removing: '移除',
  cleaning: '清理',
  adding_task: '添加任务',
  setting_rules: '设置规则',
  setting_rubric: '保存评判标准',
  deriving: '重新生成列表',
  driving: '驱动运行',
  searching: '搜索（需要写入索引）',
  backing_up: '备份标注',
  indexing: '建立索引',
};

const readOnly: Record<FailureWords['is'], (folder: string, act: string) => string> = {
  from_elsewhere: (folder, act) =>
    `${folder} 是副本或属于他人，信任之前只能读取，因此未执行“${act}”。如果清楚是谁创建的，请点“信任…”。`,
  cannot_be_written: (folder, act) =>
    `${folder} 目前无法写入，只能读取，因此未执行“${act}”。请把文件夹复制到有空间且可写的磁盘，或释放空间后重试。`,
};

export const frame: Text['frame'] = {
  product: 'Waymark',
  modes: '模式',
  watch: '观看',
  review: '审阅',
  export: '导出',
  settings: '设置',
  about: '关于',
  testRuntime: '测试运行时',
  testRuntimeText: (version) =>
    `来自软件包仓库的旧版 Electron（${version}），仅用于测试。用它构建的安装包名称带有 -testonly。`,
  failure: ({ code, message, words }) => {
    if (words !== undefined) return readOnly[words.is](words.folder, acts[words.act]);
    return code === 'read_only'
      ? '工作区目前只能读取，此操作未执行。如果是他人的工作区或副本，请先点“信任…”；如果磁盘无法写入，请把文件夹复制到可写的磁盘，再打开副本。'
      : message;
  },
  problemTitle: (code) => problems[code] ?? '无法使用数据文件夹。',
  problemEffect: (code: ErrorCode): string =>
    code === 'workspace_corrupt'
      ? '目前不接受标注和提示。'
      : '目前不接受标注和提示；此前保存的内容是安全的。',
  elsewhereTitle: '尚未信任',
  elsewhereText:
    '此文件夹是副本，或属于他人，信任之前只能查看：不能标注、发送提示或驱动运行。请仅在清楚是谁创建的情况下信任它。',
  trust: '信任…',
  trustOnServer: (folder) => `要信任它，请在服务器上运行：waymark run list --workspace ${folder} --trust`,
  readOnly: '只读',
  onlyReadWhy: '此工作区目前只读，无法启动、导入或更改运行。',
  checkAgain: '再次检查',
  saved: (seq) => `已保存，序号 ${seq}`,
  saving: (n) => `正在保存 ${n} 项更改`,
  notSaving: '无法保存',
  decided: (decided, of) => `已标注 ${decided} / ${of}`,
  nothingOwn: (inherited) => `尚无待决定的步骤，${inherited} 步为继承`,
  inherited: (n) => `${n} 步为继承`,
  undecided: (n) => `${n} 步未决定`,
  annotator: (name) => `标注者 ${name}`,
  shortcuts: '快捷键',
  noRuns: '尚无运行',
  folder: (path, free) => `${path}，剩余 ${free}`,
  resizeTimeline: '时间线宽度',
  resizeDetail: '步骤高度',
  resizeInspector: '标注栏宽度',
  crashed: '窗口的这一部分停止工作了。',
  crashedText: '已保存的内容没有丢失。请重新打开，或复制详情用于报告。',
  openAgain: '重新打开',
  bridgeMissing: 'Waymark 是桌面应用。请用“npm start”启动。',
  announceSteps: (n) => `${n} 个新步骤。`,
  announceState: (title, state) => `${title}：${state}。`,
  diagnosticsSaved: (path) => `诊断信息已保存到 ${path}`,
};

export const about: Text['about'] = {
  title: '关于 Waymark',
  version: 'Waymark',
  electron: 'Electron',
  chrome: 'Chromium',
  node: 'Node.js',
  sqlite: 'SQLite',
  platform: '平台',
  testRuntime:
    '这是测试运行时：为无法下载新版 Electron 的机器准备的旧版本，不再获得安全更新。请勿用于实际工作。',
  licence: 'Apache 许可证 2.0。字体：Inter 与 JetBrains Mono，SIL 开放字体许可。',
  diagnostics: '保存诊断信息',
};

export const palette: Text['palette'] = {
  title: '命令、步骤、运行',
  placeholder: '命令、步骤号或运行名',
  list: '匹配项',
  groups: { steps: '步骤', runs: '运行' },
  goToStep: (step) => `前往步骤 ${step}`,
  openRun: (number, title) => `运行 ${number}：${title}`,
  nothing: (query) => `没有匹配“${query}”的项`,
  count: (n) => `${n} 项`,
  foot: '上下键选择，Enter 执行，Esc 离开。',
};
