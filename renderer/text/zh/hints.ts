import type { HintCategory, HintDelivery, HintState } from '@shared/log/outbox';
import type { Text } from '../en';

const categories: Record<HintCategory, string> = {
  strategy: '策略',
  correction: '纠正',
  information: '信息',
  question: '提问',
  other: '其他',
};
const states: Record<HintState, string> = {
  queued: '排队中',
  delivered: '已送达',
  withdrawn: '已撤回',
  undelivered: '未能送达',
};
const deliveries: Record<HintDelivery['when'], string> = {
  next_step: '下一步时',
  wake: '唤醒休眠',
  session_idle: '会话空闲时',
  score_changes: '分数变化时',
  gpu_idle: 'GPU 空闲时',
  error_streak: '连续出错后',
};
const deliveryHelp: Record<HintDelivery['when'], string> = {
  next_step: '在智能体下一次作答前送达。休眠照常进行。',
  wake: '结束休眠，但不结束作业。在智能体下一次作答前送达。',
  session_idle: '条件满足时送达。之后的提示不必等它。',
  score_changes: '条件满足时送达。之后的提示不必等它。',
  gpu_idle: '条件满足时送达。之后的提示不必等它。',
  error_streak: '条件满足时送达。之后的提示不必等它。',
};

export const hints: Text['hints'] = {
  region: '提示',
  write: '写提示',
  compose: '给智能体的提示',
  placeholder: '写一条给智能体的提示',
  category: '类别',
  categoryName: (category) => categories[category],
  deliverTo: '送达时机',
  deliverName: (when) => deliveries[when],
  deliverHelp: (when) => deliveryHelp[when],
  whichSession: '会话',
  anySession: '任一会话',
  sessionOn: (session, computer) => `${computer} 上的 ${session}`,
  whichComputer: '计算机',
  anyComputer: '任一计算机',
  isIdleAgain: '重新空闲',
  forMinutes: '分钟空闲',
  errorsInRow: '步连续失败',
  until: (deliver) => {
    switch (deliver.when) {
      case 'session_idle':
        return deliver.session === ''
          ? '直到有会话重新空闲'
          : `直到 ${deliver.computer} 上的 ${deliver.session} 重新空闲`;
      case 'score_changes':
        return '直到分数变化';
      case 'gpu_idle':
        return `直到${deliver.computer === '' ? '某台计算机' : ` ${deliver.computer} `}的 GPU 空闲满 ${deliver.minutes} 分钟`;
      case 'error_streak':
        return `直到连续 ${deliver.steps} 步失败`;
      default:
        return '直到下一步';
    }
  },
  waitsUntil: (until) => `等待，${until}`,
  dueBecause: (why, wait) => `条件已满足：${why}。${wait}`,
  wakesIt: '会唤醒休眠',
  stateName: (state) => states[state],
  queue: '加入队列',
  tryIt: '试一试',
  tryText: '带上这份草稿询问模型一次，显示它会做什么。不会执行任何动作。',
  general: '能否写成通用规则？',
  generalText: (found) => `其中提到了 ${found}。写成规则，对更多步骤都有用。`,
  queueTitle: '发件箱',
  queueText: (n) => (n === 1 ? '1 条提示在等待' : `${n} 条提示在等待；满足条件的一起发送`),
  textToSend: '将发送的文本',
  textToSendTitle: '将发送的确切文本',
  textToSendNote: '在模型下一次作答前附在最后一次观察之后。',
  textToSendNothing: '目前没有满足条件的提示。',
  textOfDraft: '你的草稿，排队并满足条件之后',
  hint: (n) => `提示 ${n}`,
  last: (n, step) => `提示 ${n} 已在 ${step} 之后送达`,
  lastBefore: (n) => `提示 ${n} 已随任务送达`,
  noneTitle: '尚无提示',
  noneText: '提示在智能体下一次作答前送达，绝不会打断作答。',
  waitsModel: '等待：模型正在作答，将并入下一次请求',
  waitsAction: '等待：动作正在执行，返回后并入',
  waitsSleep: (clock, rest) => `等待：智能体休眠至 ${clock}（${rest}）`,
  waitsSleepOpen: '等待：智能体在休眠',
  waitsPaused: '等待：运行已暂停',
  waitsUndriven: '等待：没有进程在驱动此运行',
  waitsEnded: '运行已结束，此提示不会送达',
  waitsCondition: '等待条件满足',
  waitsHost: (names) => (names === '' ? '等待：运行的一台计算机无法连接' : `等待：${names} 无法连接`),
  waitsModelAway: '等待：模型无法连接',
  waitsHuman: '等待：运行在等你答复',
  waitsCount: (n) => `${n} 条等待`,
  undeliveredCount: (n) => `${n} 条未能送达`,
  delivered: (step) => `自步骤 ${step} 起在上下文中`,
  deliveredTask: '自任务起在上下文中',
  undelivered: (why) => (why === '' ? '运行在模型看到它之前就结束了' : `模型没有看到它：${why}`),
  withdrawnText: '已从队列移除，从未发送',
  showPrompt: (step) => `${step} 的提示词`,
  showPromptText: (step) => `打开步骤 ${step} 的完整提示词，即第一个带有此提示的`,
  promptNotYet: '模型仍在回答第一个带有它的提示词',
  verdict: '结果',
  actedOn: '已采纳',
  ignored: '被忽略',
  judged: (n, verdict) =>
    verdict === null
      ? `已撤回对提示 ${n} 的评价`
      : verdict === 'acted_on'
        ? `提示 ${n} 已被采纳`
        : `提示 ${n} 被忽略`,
  wakeNow: '立即唤醒',
  resume: '继续',
  edit: '编辑',
  editTitle: (n) => `编辑提示 ${n}`,
  saveEdit: '保存',
  keepAsDraft: '把我的文字留作新草稿',
  move: (n, at, of) => `提示 ${n}，队列中第 ${at} / ${of} 条。上下键移动。`,
  moveUp: '上移',
  moveDown: '下移',
  withdraw: '撤回',
  withdrawText: '从队列中移除，不会发送。',
  actions: (n) => `提示 ${n} 的操作`,
  queued: (n) => `提示 ${n} 已排队`,
  withdrawn: (n) => `提示 ${n} 已撤回`,
  edited: (n) => `提示 ${n} 已修改`,
  tooLate: (n, outcome) =>
    outcome === 'delivered'
      ? `太迟了：提示 ${n} 已随智能体的请求发出，未作任何更改。`
      : `提示 ${n} 已被撤回，未作任何更改。`,
  blocked: '目前不接受提示',
  ended: '运行已结束，提示无法送达。',
  endedLine: (sent) => (sent === 0 ? '运行已结束，没有提示送达' : `运行已结束，送达 ${sent} 条提示`),
  showDelivered: (n) => `较早的 ${n} 条`,
  hideDelivered: '隐藏较早的',
};
