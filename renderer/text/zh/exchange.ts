import type { Text } from '../en';

export const exchange: Text['exchange'] = {
  merged: '标注已合并',
  exported: '标注已导出',
  from: '来自',
  people: '作者',
  nobody: '没有新的作者',
  added: '此处新增',
  known: '此处已有',
  runs: '涉及运行',
  kept: '暂存',
  keptText: (entries, runs) => `${entries} 条关于此处没有的 ${runs} 个运行或步骤。它们出现后即生效。`,
  differ: '现在意见不一的步骤',
  differText: '没有覆盖任何内容。人的意见不一时，步骤在裁定之前为未决定。',
  file: '文件',
  entries: '条目',
  exportText: '另一位标注者用“合并文件中的标注…”接收它。',
};
