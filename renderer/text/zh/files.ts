import type { Text } from '../en';

/** Why a side of a diff is no text. */
const sides: Record<string, string> = {
  text: '文本',
  binary: '二进制',
  large: '超过 1 MB，日志中没有其文本',
  purged: '其文本已被删除',
  unknown: '二进制或超过 1 MB',
};

export const files: Text['files'] = {
  title: '文件',
  allFiles: '所有文件',
  count: (n) => `文件 ${n}`,
  filter: '路径的一部分',
  shown: (from, to, of) => `第 ${from}–${to} 个，共 ${of} 个`,
  newer: '较新',
  older: '较早',
  thisStep: '此步骤',
  times: (n) => `${n} 次更改`,
  ofStep: '此步骤更改的文件',
  andMore: (n) => `另有 ${n} 个`,
  original: '之前',
  revisions: '修订',
  earlier: '更早的修订',
  later: '更晚的修订',
  step: (n) => `第 ${n} 步`,
  mark: (n, step, by, what) =>
    [`修订 ${n}`, `第 ${step} 步`, by === 'shell' ? '通过 shell' : '通过操作', what]
      .filter((part) => part !== '')
      .join('，'),
  stripHelp: '按住 Shift 单击：与之比较。双击：前往该步骤。',
  isBase: '比较对象',
  shellMark: 'sh',
  byShell: '通过 shell',
  byShellAt: '通过 shell，步骤',
  byActionAt: '通过操作，步骤',
  inherited: '，来自分支的源运行',
  created: '新建',
  deleted: '已删除',
  movedTo: (path) => `移至 ${path}`,
  movedFrom: (path) => `移自 ${path}`,
  changed: (added, removed) => `+${added} −${removed}`,
  notCounted: '已更改',
  comparing: (from, to) =>
    to === 0 ? '到此步骤尚未更改' : from === 0 ? `首次更改之前 → 修订 ${to}` : `修订 ${from} → 修订 ${to}`,
  showChanges: '显示更改',
  hideChanges: '隐藏更改',
  layout: '布局',
  sideBySide: '并排',
  inline: '行内',
  diffOf: (path, from, to) => `${path} 的更改，修订 ${from} 到 ${to}`,
  emptyTitle: '尚未修改任何文件',
  emptyText: '智能体通过操作或 shell 创建或编辑文件后，文件会显示在这里。',
  noTextTitle: '没有可比较的文本',
  noText: '日志保存不超过 1 MB 的文件文本；其他文件只保存大小和哈希。',
  before: '之前',
  after: '之后',
  absent: '文件不存在',
  side: (kind, size, sha) => `${sides[kind] ?? kind}，${size}，sha256 ${sha}`,
};
