import type { Text } from '../en';

export const similar: Text['similar'] = {
  title: (n) => `标注 ${n} 个相似步骤`,
  none: (step) => `没有与步骤 ${step} 相似的步骤`,
  what: '相似之处',
  sameRules: (rules, tool) => `与本步相同：${tool} 触发了 ${rules}`,
  noRules: (tool) => `与本步相同：${tool}，且没有规则触发`,
  noTool: '没有有效调用的回答',
  where: '位置',
  now: '现在',
  counts: (train, mask, undecided) => `${train} 训练，${mask} 屏蔽，${undecided} 未决定`,
  becomes: '标注为',
  changes: (n, undecided, other) => `${n} 步会改变：${undecided} 步未决定，${other} 步目前相反。`,
  noChange: '生效的结果都不会改变；你的决定会记在每一步上。',
  decided: (n) => `其中 ${n} 步已有人决定。`,
  yoursStands: '你的决定会与他们的并列；不一致的步骤在裁定之前为未决定。',
  left: (n) => `另有 ${n} 步在更多片段中：请先标注这些，再查找一次。`,
  reason: '理由',
  noReason: '无',
  apply: (value, n) => `将 ${n} 步标为 ${value}`,
  keys: 't、m：选择。1–9：理由。Enter：标注。Esc：离开。',
};
