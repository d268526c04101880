import type { Text } from '../en';

export const files: Text['files'] = {
  title: '文件',
  file: '文件',
  comparedWith: '比较对象',
  original: '运行之前',
  revision: (n) => `修订 ${n}`,
  revisions: '修订',
  step: (n) => `第 ${n} 步`,
  throughShell: (step) => `由第 ${step} 步通过 shell 修改。双击跳转到该步骤。`,
  byAction: (step) => `由第 ${step} 步修改。双击跳转到该步骤。`,
  changed: (added, removed) => `+${added} −${removed}`,
  layout: '布局',
  sideBySide: '并排',
  inline: '行内',
  diffOf: (path, from, to) => `${path} 的更改，修订 ${from} 到 ${to}`,
  emptyTitle: '尚未修改任何文件',
  emptyText: '智能体通过操作或 shell 创建或编辑文件后，文件会显示在这里。',
  noTextTitle: '没有可比较的文本',
  noText: (size) => `此修订（${size}）为二进制、过大或文件已被删除。其哈希保留在日志中。`,
};
