import type { Text } from '../en';

/** The eight parts of a summary, by the key of its tool's argument. */
const parts: Record<string, string> = {
  target_and_best: '目标与最佳',
  hypotheses: '假设',
  knowledge: '已知',
  files_and_pages: '文件与网页',
  sessions: '会话',
  latest_actions: '最近动作',
  experiments: '实验',
  reflections: '心得',
};

export const detail: Text['detail'] = {
  region: '步骤',
  step: (n) => `步骤 ${n}`,
  tabs: '此步骤的视图',
  prompt: '完整提示词',
  files: '文件',
  queries: '网页',
  labels: '标注',
  terminalsAt: (clock) => `${clock} 的终端`,
  reviewFromHere: '从这里审阅',
  started: '开始',
  took: '耗时',
  returned: '返回',
  scoreThen: '当时分数',
  tokens: 'token',
  cost: '费用',
  model: '模型',
  exit: '退出码',
  size: '大小',
  unknown: '?',
  thought: '想法',
  reasoning: '推理',
  reasoningNote: '已记录，不回传',
  action: '动作',
  actionOf: (n, of) => `动作 ${n} / ${of}`,
  noAction: '没有有效动作',
  observation: '观察',
  noObservation: '尚无观察',
  taught: '教学消息',
  taughtNote: '在此回答之后发给模型',
  hint: '提示',
  hintNote: '跟在这次观察之后',
  context: '上下文',
  shortened: (was, kept) => `在上下文中缩短：${was} → ${kept} 个字符。全文在此。`,
  summary: '摘要',
  summaryPart: (key) => parts[key] ?? key.replaceAll('_', ' '),
  reflections: (n) => `${n} 条心得`,
  lost: '不再提及',
  lostText: '按原文查找，因此换了说法的内容也会列在这里。',
  evaluation: '评测',
  guards: '护栏',
  guardWarn: '已警告',
  guardRefuse: '已拒绝',
  error: '错误',
  filesChanged: '文件',
  changed: (path, added, removed) => `${path} +${added} −${removed}`,
  imitatesHuman: '冒充真人',
  imitatesHumanText: '文本中含有真人提示的标签。模型看到的是转义后的内容。',
  closedBy: (how) =>
    how === 'look'
      ? '中断后经查看补全'
      : how === 'interrupted'
        ? '被中断'
        : how === 'not_run'
          ? '未执行'
          : '',
  showAll: (size) => `显示全部 ${size}`,
  showLess: '收起',
  empty: '空',
  noStepTitle: '没有选中的步骤',
  noStepText: '在时间线中选择一步，查看模型的想法、动作和所见。',
  thinkingNow: '模型正在作答',
  code: '代码',
};
