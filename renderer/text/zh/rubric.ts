import type { Text } from '../en';

const share = (value: number) => `${Math.round(value * 100)}%`;

export const rubric: Text['rubric'] = {
  item: '编辑评判标准…',
  itemText: '评判模型评该任务的步骤和摘要时所依据的标准；改动可以先在一个运行上试用。',
  title: (task) => (task === '' ? '评判标准' : `${task} 的评判标准`),
  noRun: '请先打开一个运行，再编辑其任务的评判标准。',
  loading: '正在读取评判标准…',
  kind: '评判对象',
  kinds: { steps: '步骤', summaries: '摘要' },
  view: '显示',
  views: { text: '正文', changes: '改动' },
  field: '评判标准正文',
  builtIn: (version) => `当前使用内置标准（${version}）。`,
  keptBy: (author, when, version) => `${author} 保存于 ${when}（${version}）。`,
  edited: '有尚未保存的改动，会保留到退出为止。',
  help: {
    steps: '{{points}}、{{keeps}} 和 {{principle}} 会替换为标注准则的相应部分。',
    summaries:
      '评判模型会看到摘要所概括的步骤，只评判摘要本身。改动无法先行试用：一个运行里的摘要太少，不足以比较。',
  },
  empty: '请写明评判模型应当关注什么。',
  long: '正文过长，最多 64 KB。',
  noChanges: '没有改动。',
  useBuiltIn: '内置标准',
  discard: '放弃改动',
  save: '保存',
  saving: '正在保存…',
  overtaken: (author) =>
    author === null ? '编辑期间，任务已恢复使用内置标准。' : `编辑期间，${author} 保存了另一份标准。`,
  overtakenBy: (author) =>
    author === null ? '以下是你相对于内置标准的改动。' : `以下是你相对于 ${author} 所存标准的改动。`,
  saveOver: '用我的覆盖',
  saved: (adopted) => (adopted === 0 ? '评判标准已保存' : `评判标准已保存，${adopted} 个试用结论已计为投票`),
  askChanged: { steps: '重评其他步骤', summaries: '重评摘要' },

  try: '在一个运行上试用',
  tryLead: '评判模型会按这份正文评判。保存之前，其结论不改变任何标注。',
  run: '运行',
  judge: '评判模型',
  estimate: (steps, requests, cost) => `${steps} 步，${requests} 次请求，费用${cost}。`,
  counting: '正在统计将要发送的内容…',
  changeFirst: '改动正文后即可试用。',
  tried: (judge) => `${judge} 已按这份正文评过该运行。`,
  start: '试用',
  starting: '正在开始…',
  asking: (votes, of) => `${votes} / ${of} 步`,
  stop: '停止',
  noEndpoint: '请先在设置中添加模型，再试用评判标准。',

  result: '有何变化',
  columns: ['与人工标注相比', '当前', '按这份正文'],
  precision: '屏蔽的精确率',
  recall: '屏蔽的召回率',
  figure: (value, n) => `${share(value)}，n = ${n}`,
  interval: (low, high) => `95% 置信区间：${share(low)} 到 ${share(high)}`,
  unknown: '未知',
  noLabels: '这里没有意见一致的人工标注，因此无从判断哪个结论正确。',
  moved: (toMask, toKeep, of) =>
    toMask + toKeep === 0
      ? `${of} 步的结论没有变化。`
      : `${of} 步中，${toMask} 步由保留变为屏蔽，${toKeep} 步由屏蔽变为保留。`,
  versions: (before, after) => `${before} → ${after}`,
  notBefore: (judge) => `${judge} 没有按其他评判标准评过该运行，因此没有可比的结论。`,
  changes: '结论有变的步骤',
  verdict: { keep: '保留', mask: '屏蔽' },
  goTo: (step) => `转到第 ${step} 步`,
  asPeople: '与人工标注一致',
  againstPeople: '与人工标注不一致',
  nobody: '尚无标注',
  more: (n) => `另有 ${n} 步`,
  adopts: (votes, judge) => `保存后，本次试用的 ${votes} 个结论计为 ${judge} 的投票。`,
};
