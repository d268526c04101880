import type { TokenMessage } from '@shared/contract/export-views';
import { plural } from './common';

const families: Readonly<Record<string, string>> = { unknown: 'unknown template' };
const parts: Readonly<Record<TokenMessage['lost'][number]['part'], string>> = {
  content: 'Text',
  reasoning: 'Reasoning',
  call: 'Call',
  arguments: 'Arguments',
};

export const tokens = {
  title: 'Tokens',
  previousRow: 'Previous row',
  nextRow: 'Next row',
  noRow: 'No rows',
  noRowText: 'No row would be written.',
  row: (n: string, of: string) => `Row ${n} of ${of}`,
  rowFacts: (title: string, segment: number, kind: 'react' | 'summary', n: string, exact: boolean) =>
    `${title}, ${kind === 'summary' ? `summary of segment ${segment}` : `segment ${segment}`}, ${exact ? '' : 'about '}${n} tokens`,
  rows: 'Rows',
  rowOrigin: (segment: number, kind: 'react' | 'summary', first: number, last: number) =>
    kind === 'summary'
      ? `Summary ${segment}, step ${first}`
      : first === last
        ? `Segment ${segment}, step ${first}`
        : `Segment ${segment}, steps ${first}–${last}`,
  rowCounts: (trained: number, masked: number, n: string) => `${trained} + ${masked} · ${n}`,
  validation: 'validation',
  enlarge: 'Enlarge',
  shrink: 'Shrink',

  tokenizer: 'Tokenizer',
  noneChosen: 'None chosen',
  choose: 'Choose…',
  change: 'Change…',
  tokenizerFacts: (vocabulary: string, family: string, form: 'string' | 'object' | 'either' | 'neither') =>
    `${vocabulary} tokens, ${families[family] ?? family}, ${
      form === 'either'
        ? 'arguments as text or objects'
        : form === 'neither'
          ? 'renders no calls'
          : form === 'string'
            ? 'arguments as text'
            : 'arguments as objects'
    }`,
  noTokenizer: 'See each token with its mask',
  noTokenizerText:
    'Choose the folder of the model you train: tokenizer.json, tokenizer_config.json and its chat template. It is read here; nothing is downloaded or sent.',
  chooseTokenizer: 'Choose a tokenizer folder',
  chooseAnother: 'Choose another folder',
  notRendered: 'The row cannot be rendered',
  renderAgain: 'Render again',
  rendering: (row: number) => `Rendering row ${row.toLocaleString('en-US')}…`,

  legend: 'Marks',
  loss: { trained: 'trained', masked: 'masked', carried: 'carried', context: 'context' },
  nextMasked: 'Next masked',
  nextTrained: 'Next trained',
  text: 'Rendered text',
  ruler: 'Overview of the row: trained and masked parts',
  roles: { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' },
  trainedOf: (trained: string, of: string) => `${trained} of ${of} tokens trained`,
  tokens: (n: string, count: number) => (count === 1 ? '1 token' : `${n} tokens`),
  folded: (n: string, count: number) => `… ${count === 1 ? '1 token' : `${n} tokens`}`,
  foldedCarried: (n: string, messages: number) => `… ${n} carried tokens in ${plural(messages, 'message')}`,
  foldAgain: (n: string, count: number) => `Fold ${count === 1 ? '1 token' : `${n} tokens`}`,

  side: 'Token, steps, losses',
  token: 'Token',
  steps: 'Steps',
  lost: 'Left out',
  noToken: 'This row has no tokens.',
  tokenOf: (n: string, of: string) => `Token ${n} of ${of}`,
  around: '(from the other end)',
  tokenText: 'Text',
  partOf: (part: number, of: number, character: string) => `part ${part} of ${of} of “${character}”`,
  id: 'Id',
  lossName: 'Loss',
  lossValue: { trained: '1, TRAIN', masked: '0, MASK', carried: '0, CARRIED', context: '0, context' },
  reason: 'Reason',
  message: 'Message',
  messageOf: (role: string, n: number, of: number) => `${role}, ${n} of ${of}`,
  step: 'Step',
  stretch: 'Stretch',
  stretchOf: (from: string, to: string, n: number) => (n === 1 ? `only ${from}` : `${from}–${to}`),
  keys: 'Keys',
  keyMasked: 'next masked',
  keyTrained: 'next trained',
  keyBack: 'previous of each',
  keyMove: 'move by token, line',
  keyFold: 'open or fold',
  keyRow: 'previous, next row',
  keyOpen: 'open the step',
  noSteps: 'This row has no steps.',
  stepsCaption: 'Trained tokens of each step',
  trainedTokens: 'Trained',
  ofTokens: 'Of tokens',
  openStep: 'open',

  lostCount: (n: number) => `${plural(n, 'part')} left out`,
  lostWhy: 'The template leaves this out of the text. The model is trained without it.',
  nothingLost: 'The template keeps every text, all reasoning and every call of this row.',
  lostPart: (part: TokenMessage['lost'][number]['part'], name: string) =>
    name === '' ? parts[part] : `${parts[part]} ${name}`,
  show: 'Show',

  compare: 'Compare with',
  compareNone: 'Compare with…',
  compareVariants: 'Variants',
  compareTargets: 'Targets',
  comparison: (a: string, b: string) => `${a} and ${b}, side by side`,
  endComparison: 'End comparison',
  differences: (n: number, of: number) =>
    n === 0
      ? 'No difference'
      : `${plural(n, 'message')} of ${of.toLocaleString('en-US')} differ`.replace(
          /^1 message (.*) differ$/,
          '1 message $1 differs',
        ),
  differenceAt: (n: string, of: string) => `${n} of ${of}`,
  nextDifference: 'Next difference',
  previousDifference: 'Previous difference',
  noDifference: 'No difference',
  noDifferenceText: (a: string, b: string) => `${a} and ${b} train the same tokens of this row.`,
  notIn: (name: string) => `Not in ${name}`,
  sideCounts: (trained: string, masked: string, of: string) =>
    `${trained} trained, ${masked} masked of ${of}`,
  sameMessages: (n: string, count: number, size: string) =>
    `${count === 1 ? '1 identical message' : `${n} identical messages`}, ${size} tokens`,
};
