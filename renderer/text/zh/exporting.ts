import type { Text } from '../en';

const sources: Readonly<Record<string, string>> = {
  adjudication: '已裁定',
  human: '由人决定',
  rule: '由规则',
  judge: '由评判模型',
  waiver: '未决，已具名豁免',
  none: '无标签',
};

const reasons: Readonly<Record<string, string>> = {
  nothing_trained: '其中没有可训练的步骤',
  over_context: '超过预设长度',
  text_purged: '其文本已被移除',
  no_steps: '没有已完成的步骤',
};

export const exporting: Text['exporting'] = {
  title: '导出',
  runs: '运行',
  thisRun: '此运行',
  allRuns: (n) => `全部 ${n} 个运行`,
  undecided: '未决',
  undecidedHelp: '豁免会写入清单。',
  refuse: '拒绝',
  waiveTrain: '豁免：训练',
  waiveMask: '豁免：屏蔽',
  preset: '预设',
  presetDefault: '默认',
  presetApollo: 'APOLLO 论文',
  format: '格式',
  slime: 'slime，带每步损失掩码的 JSONL',
  decide: (n) => `决定 ${n} 个步骤`,
  write: '写入文件',
  writing: '正在写入…',
  stopped: (n) => `${n} 个步骤未决，导出被阻止。`,
  empty: '这些运行中没有可训练的步骤，无可写入。',
  trained: '训练',
  masked: '屏蔽',
  trainedSteps: '个训练步骤',
  maskedSteps: '个屏蔽步骤',
  rows: () => '行',
  byReason: '按原因统计步骤',
  steps: '步骤',
  size: '相对大小',
  undecidedRow: '未决',
  source: (name) => sources[name] ?? name,
  dropped: (reason) => `丢弃的行：${reasons[reason] ?? reason}`,
  inherited: (run) => `继承自未导出的“${run}”：屏蔽`,
  written: '已写入的文件',
  writtenTo: (folder) => `已写入 ${folder}`,
  snapshot: (id) => `标签快照 ${id.slice(0, 16)}…`,
};
