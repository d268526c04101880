import type { Text } from '../en';

const rules: Record<string, string> = {
  'error-observation': '观察中有错误',
  null: '没有有效动作',
  'command-failed': '命令失败',
  'blind-edit': '盲改',
  'blind-edit-strict': '盲改（严格）',
  'eval-without-change': '无改动的评测',
  'finish-below-best': '低于最高分时结束',
  'action-at-full-score': '满分后的动作',
  'framework-forbidden': '禁用的框架',
  'idle-gpus': '训练闲置 GPU',
  'provided-script-ignored': '忽略给定脚本',
  'template-thought': '套话式推理',
  'imitates-human': '冒充真人',
  'keep-summary': '已接受的摘要',
  'keep-sleep-while-training': '训练时睡眠等待',
  'keep-debugging': '系统性调试',
  'keep-backup': '带分数的备份',
  'keep-exploration': '探索',
};
const judgeReasons: Record<string, string> = {
  'contradicts-success': '与先前的成功相矛盾',
  'only-follows-hint': '只是照提示执行',
  forgets: '遗漏必要的信息',
  'makes-up': '虚构内容',
  sound: '合理',
  other: '其他原因',
};
const reasons: Record<string, string> = {
  'ignores-script': '忽略给定脚本',
  'transformers-not-vllm': '用 Transformers 而非 vLLM',
  'null-or-error': '空动作或易错动作',
  'lowers-high-score': '在高分时降低分数',
  'blind-edit': '盲改',
  'idle-compute': '闲置 GPU',
  'contradicts-hint': '与提示矛盾',
  'eval-timing': '评测或结束时机不当',
  'template-cot': '模板化思维链',
};

export const labels: Text['labels'] = {
  bar: '标注',
  train: 'TRAIN 训练',
  mask: 'MASK 屏蔽',
  undecided: '未决定',
  none: '不可训练',
  carried: '沿用',
  hint: '提示',
  clear: '清除',
  agree: '同意',
  reason: '理由',
  reasonFor: (at) => `用于 ${at}`,
  keepReason: '保留理由',
  keepReasons: '保留，因为…',
  reasonOf: (at) => `${at} 的理由`,
  reasonName: (code) => reasons[code] ?? rules[code] ?? judgeReasons[code] ?? code,
  reasonAt: (number) => Object.values(reasons)[number - 1] ?? '',
  ruleName: (rule) => rules[rule] ?? rule,
  scopeStep: (n) => `步骤 ${n}`,
  scopeRange: (n) => `已选 ${n} 步`,
  scopeNone: '没有步骤',
  flag: '请求复核',
  unflag: '撤回复核请求',
  comment: '评论',
  more: '更多',
  blocked: '目前不接受标注',
  blockedDisk: '磁盘空间不足，暂不接受标注',
  nothingToAgree: (step) => `步骤 ${step} 没有可同意的意见：尚无标注，或人的意见不一`,
  rangeDiffers: (step) => `所选步骤的标注并不都与步骤 ${step} 相同：请逐个同意，或直接标注`,
  oneStep: '请只选一步，再同意或不同意其评判模型',
  noJudge: (step) => `步骤 ${step} 还没有评判模型投票`,
  judgesDiffer: (step) => `评判模型对步骤 ${step} 意见不一：请自行决定`,
  judgeAgree: '同意',
  judgeDisagree: '不同意',
  agreeWith: (judge, value) => `同意 ${judge}：${value}`,
  disagreeWith: (judge, value) => `不同意 ${judge}：${value}`,
  sure: (confidence) => `把握 ${Math.round(confidence * 100)}%`,
  staysSettled: (step, value) => `第 ${step} 步仍裁定为 ${value}。你的标注并列保存；T 或 M 可重新裁定。`,
  stillMasked: (n, at) => `硬规则仍屏蔽 ${n} 个步骤：${at}。请逐个标注并写明解除屏蔽的理由。`,
  nothingToSettle: (step) => `步骤 ${step} 无需裁定：没有分歧`,
  reasonGiven: (reason, value, at) => `“${reason}”已作为 ${at} 上 ${value} 的理由`,
  andMore: (pieces, n) => `${pieces} 以及另外 ${n} 段`,
  did: (value, n, at) => (n === 1 ? `步骤 ${at}：${value}` : `${n} 步（${at}）：${value}`),
  settled: (value, n, at) => (n === 1 ? `步骤 ${at} 已裁定为 ${value}` : `${n} 步（${at}）已裁定为 ${value}`),
  cleared: (n, at) => (n === 1 ? `已清除步骤 ${at}` : `已清除 ${n} 步，${at}`),
  undid: (what) => `已撤销：${what}`,
  redid: (what) => `已重做：${what}`,
  whatLabel: (value, n, at) => (n === 1 ? `步骤 ${at} 的 ${value}` : `${n} 步（${at}）的 ${value}`),
  whatSettled: (value, n, at) =>
    n === 1 ? `将步骤 ${at} 裁定为 ${value}` : `将 ${n} 步（${at}）裁定为 ${value}`,
  whatVote: (at) => `评判模型对步骤 ${at} 的投票`,
  whatCorrect: (at) => `步骤 ${at} 的更正`,
  whatUncorrect: (at) => `撤回步骤 ${at} 的更正`,
  whatAssign: (to, at) => `将 ${at} 分派给 ${to}`,
  whatClear: (n, at) => (n === 1 ? `清除步骤 ${at}` : `清除 ${n} 步，${at}`),
  whatComment: (at) => `步骤 ${at} 的评论`,
  whatFlag: (at) => `步骤 ${at} 的标记`,
  whatUnflag: (at) => `取消步骤 ${at} 的标记`,
  hiddenByFilter: (step) => `步骤 ${step} 未标注：它被筛选隐藏`,
  showAll: '显示所有步骤',
  hiddenByFold: (step) => `步骤 ${step} 未标注：它被折叠`,
  unfold: '展开',
  tooSoon: (step) => `步骤 ${step} 未标注：它刚刚出现。再按一次即可标注。`,
  noTimeline: '这里不能标注步骤。请先切换到“观看”或“审阅”。',
  notShown: '不在列表中',
  undoing: '未标注：撤销尚未保存。请再按一次。',
  undo: '撤销',
  redo: '重做',
  nothingToUndo: '此运行没有可撤销的操作',
  nothingToRedo: '此运行没有可重做的操作',
  failed: (what, why) => `未保存：${what}。${why}`,
  flagged: (at) => `步骤 ${at} 请求复核`,
  unflagged: (at) => `步骤 ${at} 不再请求复核`,
  commented: (at) => `步骤 ${at} 的评论已保存`,
  commentTitle: (at) => `评论步骤 ${at}`,
  commentPlaceholder: '下一位标注者应该知道什么？',
  commentSave: '保存评论',
  repeatNothing: '还没有可重复的标注',
  saving: '正在保存',
  stack: (n) => `步骤 ${n} 的标注`,
  history: (n) => `历史 ${n}`,
  you: '你',
  rule: '规则',
  keepRule: '保留规则',
  person: '人',
  adjudication: '裁定',
  wins: '胜出',
  hard: '硬性',
  noDecision: '尚未决定',
  yoursWins: '你的决定会优先于所有机器意见。',
  judge: '评判模型',
  judgeSays: (name, confidence) =>
    confidence === null ? `${name}，未给出置信度` : `${name}，置信度 ${confidence.toFixed(2)}`,
  rubric: (version) => `评判标准 ${version}`,
  cites: '引用',
  goTo: (step) => `前往步骤 ${step}`,
  withheldTitle: '在你决定之前隐藏意见',
  withheldText: '有人请你盲审复核。你作出决定后，才会显示人和机器的意见。',
  corrections: '更正的动作',
  original: '原动作保持不变。',
  comments: '评论',
  assigned: '待审',
  assignedTo: (name, blind) => (blind ? `${name}，盲审` : name),
  settle: '人的意见不一。裁定为：',
  settleReason: (reason) => `理由：${reason}`,
  settleHint: '用 1–9 设定的理由会一并写入。',
  takenBack: '已撤回',
  effective: '生效',
  effectiveEnd: '。',
  version: (n) => `v${n}`,
  tied: '关联',
  noRules: '没有规则涉及这一步。',
  decidedAt: (clock) => `决定于 ${clock}`,
  historyNone: '尚无条目',
  opComment: (words) => `评论：${words}`,
  opFlag: '请求复核',
  opUnflag: '撤回请求',
  opUndo: '撤销了一条',
  opUndoOf: (what) => `撤销了：${what}`,
  opSettled: (value) => `裁定为 ${value}`,
  opVote: (value, reason) => `投票 ${value}：${reason}`,
  opVoteBack: '撤回了投票',
  opReward: (value, vote) =>
    value === 0
      ? `为该步打分（第 ${vote} 票）：无法理解`
      : `为该步打分 ${value === 1 ? '+1' : '−1'}（第 ${vote} 票）`,
  opCorrect: (tool) => `更正了动作：${tool}`,
  opUncorrect: '撤回了更正',
  opAssign: (name) => `请 ${name} 审阅`,
  opUnassign: (name) => `不再请 ${name} 审阅`,
  historyOf: (n) => `${n} 条`,
  keep: 'KEEP 保留',
  opHint: (verdict) =>
    verdict === null ? '撤回了对提示的评价' : verdict === 'acted_on' ? '提示已被采纳' : '提示被忽略',
  whatHint: (verdict, at) =>
    verdict === null ? `撤回对步骤 ${at} 处提示的评价` : `对步骤 ${at} 处提示的评价`,
  opClear: '已清除',
  disagreement: '意见不一',
  why: (why) => {
    const { by = '', rules: named = '', kept = '', masked = '', judge = '', reason = '' } = why.params;
    switch (why.code) {
      case 'no_label':
        return '尚无规则或人为其标注。未决定的步骤会阻止导出。';
      case 'adjudicated':
        return `${by} 作为裁定者定论${reason === '' ? '' : `：${reasons[reason] ?? rules[reason] ?? reason}`}。`;
      case 'adjudications_differ':
        return `裁定者意见不一：${by}。此步骤按未决定计。`;
      case 'human':
        return `${by} 已决定。人的决定优先于所有机器意见${reason === '' ? '' : `：${reasons[reason] ?? rules[reason] ?? reason}`}。`;
      case 'humans_differ':
        return `${by} 意见不一。裁定之前按未决定计。`;
      case 'hard_mask':
        return `${named} 是硬性屏蔽，只有人能附理由解除。`;
      case 'hard_mask_over_keep':
        return `${named} 是硬性屏蔽，保留规则 ${kept} 不能解除它。`;
      case 'hard_mask_needs_reason':
        return `${by} 选择训练但没有理由；给出理由之前硬性屏蔽 ${named} 仍然有效。`;
      case 'soft_mask':
        return `${named} 将其屏蔽。机器屏蔽取并集；保留规则或人可以解除。`;
      case 'judge_mask':
        return `评判模型将其屏蔽：${judge}。`;
      case 'rules_and_judge_mask':
        return `${named} 与评判模型都将其屏蔽。`;
      case 'keep_rule':
        return `保留规则 ${named} 适用，且没有意见屏蔽它。`;
      case 'keep_rule_over_mask':
        return `保留规则 ${named} 优先于软性屏蔽${masked === '' ? '' : ` ${masked}`}。`;
      case 'judge_keep':
        return '评判模型保留它，且没有规则屏蔽它。';
      case 'judge_keep_over_rule':
        return `评判模型保留它，优先于 ${named}。`;
    }
  },
  liftTitle: (at) => `步骤 ${at} 选择训练需要理由`,
  liftText: '硬性规则屏蔽了它：动作本身失败，或没有动作。只有人能附理由解除。',
  liftReason: '理由',
  liftPlaceholder: '为什么模型应该学习这一步？',
  liftDo: '标为 TRAIN',
};

export const retro: Text['retro'] = {
  region: '与提示矛盾的步骤',
  asks: (hint, at) => `提示 ${hint} 与步骤 ${at} 矛盾？`,
  shares: (step, words) => `步骤 ${step}：${words}`,
  andMore: (n) => `另有 ${n} 步`,
  of: (n, all) => `第 ${n} 个，共 ${all} 个`,
  accept: (at) => `屏蔽 ${at}`,
  show: '显示',
  showText: '前往并选中这些步骤，以便修剪范围',
  trimming: 'j k 移动这一端，V 换到另一端，m 屏蔽，Esc 离开。',
  dismiss: '忽略',
  dismissed: (hint) => `不再询问提示 ${hint}`,
  none: '这里没有提示与步骤矛盾',
};

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
