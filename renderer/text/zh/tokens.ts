import type { Text } from '../en';

const families: Readonly<Record<string, string>> = { unknown: '未知模板' };
const parts: Readonly<Record<string, string>> = {
  content: '文本',
  reasoning: '推理内容',
  call: '调用',
  arguments: '参数',
};

export const tokens: Text['tokens'] = {
  title: '词元',
  previousRow: '上一行',
  nextRow: '下一行',
  noRow: '没有数据行',
  noRowText: '没有可写入的数据行。',
  row: (n, of) => `第 ${n} 行，共 ${of} 行`,
  rowFacts: (title, segment, kind, n, exact) =>
    `${title}，${kind === 'summary' ? `第 ${segment} 段的摘要` : `第 ${segment} 段`}，${exact ? '' : '约 '}${n} 个词元`,
  rows: '数据行',
  rowOrigin: (segment, kind, first, last) =>
    kind === 'summary'
      ? `摘要 ${segment}，步骤 ${first}`
      : first === last
        ? `第 ${segment} 段，步骤 ${first}`
        : `第 ${segment} 段，步骤 ${first}–${last}`,
  rowCounts: (trained, masked, n) => `${trained} + ${masked} · ${n}`,
  validation: '验证',
  enlarge: '放大',
  shrink: '缩小',

  tokenizer: '分词器',
  noneChosen: '未选择',
  choose: '选择…',
  change: '更改…',
  tokenizerFacts: (vocabulary, family, form) =>
    `${vocabulary} 个词元，${families[family] ?? family}，${
      form === 'either'
        ? '参数可为文本或对象'
        : form === 'neither'
          ? '不渲染调用'
          : form === 'string'
            ? '参数为文本'
            : '参数为对象'
    }`,
  noTokenizer: '查看每个词元及其掩码',
  noTokenizerText:
    '选择要训练的模型的文件夹：tokenizer.json、tokenizer_config.json 和对话模板。文件只在本机读取，不下载也不发送任何内容。',
  chooseTokenizer: '选择分词器文件夹',
  chooseAnother: '选择其他文件夹',
  notRendered: '无法渲染这一行',
  renderAgain: '重新渲染',
  rendering: (row) => `正在渲染第 ${row.toLocaleString('zh-CN')} 行…`,

  legend: '标记',
  loss: { trained: '训练', masked: '屏蔽', carried: '沿用', context: '上下文' },
  nextMasked: '下一处屏蔽',
  nextTrained: '下一处训练',
  text: '渲染后的文本',
  ruler: '整行概览：训练和屏蔽的部分',
  roles: { system: '系统', user: '用户', assistant: '助手', tool: '工具' },
  trainedOf: (trained, of) => `训练 ${trained} 个词元，共 ${of} 个`,
  tokens: (n) => `${n} 个词元`,
  folded: (n) => `… ${n} 个词元`,
  foldedCarried: (n, messages) => `… ${messages} 条消息中沿用的 ${n} 个词元`,
  foldAgain: (n) => `折叠 ${n} 个词元`,

  side: '词元、步骤、缺失',
  token: '词元',
  steps: '步骤',
  lost: '缺失',
  noToken: '这一行没有词元。',
  tokenOf: (n, of) => `词元 ${n}，共 ${of}`,
  around: '（从另一端继续）',
  tokenText: '文本',
  partOf: (part, of, character) => `“${character}”的第 ${part} 部分，共 ${of} 部分`,
  id: '编号',
  lossName: '损失',
  lossValue: { trained: '1，训练', masked: '0，屏蔽', carried: '0，沿用', context: '0，上下文' },
  reason: '原因',
  message: '消息',
  messageOf: (role, n, of) => `${role}，第 ${n} 条，共 ${of} 条`,
  step: '步骤',
  stretch: '连续段',
  stretchOf: (from, to, n) => (n === 1 ? `仅 ${from}` : `${from}–${to}`),
  keys: '按键',
  keyMasked: '下一处屏蔽',
  keyTrained: '下一处训练',
  keyBack: '各自的上一处',
  keyMove: '按词元、行移动',
  keyFold: '展开或折叠',
  keyRow: '上一行、下一行',
  keyOpen: '打开步骤',
  noSteps: '这一行没有步骤。',
  stepsCaption: '每个步骤的训练词元数',
  trainedTokens: '训练',
  ofTokens: '共',
  openStep: '打开',

  lostCount: (n) => `缺失 ${n} 个部分`,
  lostWhy: '对话模板没有把这些内容放进文本，模型训练时看不到它们。',
  nothingLost: '对话模板保留了这一行的所有文本、推理内容和调用。',
  lostPart: (part, name) => (name === '' ? (parts[part] ?? part) : `${parts[part] ?? part} ${name}`),
  show: '查看',

  compare: '比较对象',
  compareNone: '与…比较',
  compareVariants: '变体',
  compareTargets: '目标格式',
  comparison: (a, b) => `${a}与${b}并排`,
  endComparison: '结束比较',
  differences: (n, of) => (n === 0 ? '没有差异' : `${of.toLocaleString('zh-CN')} 条消息中有 ${n} 条不同`),
  differenceAt: (n, of) => `${n} / ${of}`,
  nextDifference: '下一处差异',
  previousDifference: '上一处差异',
  noDifference: '没有差异',
  noDifferenceText: (a, b) => `“${a}”和“${b}”训练这一行中相同的词元。`,
  notIn: (name) => `“${name}”中没有`,
  sideCounts: (trained, masked, of) => `训练 ${trained}，屏蔽 ${masked}，共 ${of}`,
  sameMessages: (n, _count, size) => `${n} 条消息相同，${size} 个词元`,
};
