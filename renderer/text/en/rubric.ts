import { plural } from './common';

const share = (value: number) => `${Math.round(value * 100)} %`;

export const rubric = {
  item: 'Edit rubric…',
  itemText:
    'What a judge follows when it judges the steps and summaries of this task. Try a change on a run first.',
  title: (task: string) => (task === '' ? 'Rubric' : `Rubric of ${task}`),
  noRun: 'Open a run to edit the rubric of its task.',
  loading: 'Reading the rubric…',
  kind: 'Rubric for',
  kinds: { steps: 'Steps', summaries: 'Summaries' },
  view: 'Show',
  views: { text: 'Text', changes: 'Changes' },
  field: 'Text of the rubric',
  builtIn: (version: string) => `The built-in text is in use (${version}).`,
  keptBy: (author: string, when: string, version: string) => `Saved by ${author} ${when} (${version}).`,
  edited: 'You have unsaved changes. They stay here until you quit.',
  help: {
    steps: '{{points}}, {{keeps}} and {{principle}} stand for those parts of the guideline.',
    summaries:
      'The judge is shown the steps that the summary replaces, and judges the summary alone. A change cannot be tried first: a run has too few summaries to compare.',
  },
  empty: 'Describe what the judge should look for.',
  long: 'The text is too long: at most 64 KB.',
  noChanges: 'There are no changes.',
  useBuiltIn: 'Built-in text',
  discard: 'Discard changes',
  save: 'Save',
  saving: 'Saving…',
  overtaken: (author: string | null) =>
    author === null
      ? 'The built-in text came back into use while you were editing.'
      : `${author} saved another text while you were editing.`,
  overtakenBy: (author: string | null) =>
    author === null
      ? 'These are your changes to the built-in text, which is in use again.'
      : `These are your changes to the text that ${author} saved.`,
  saveOver: 'Save mine over it',
  saved: (adopted: number) =>
    adopted === 0
      ? 'Rubric saved'
      : `Rubric saved. ${plural(adopted, 'trial verdict')} ${adopted === 1 ? 'counts as a vote' : 'count as votes'} now`,
  askChanged: { steps: 'Judge other steps again', summaries: 'Judge the summaries again' },

  try: 'Try it on a run',
  tryLead: 'The judge follows this text. Its verdicts change no label until you save.',
  run: 'Run',
  judge: 'Judge',
  estimate: (steps: number, requests: number, cost: string) =>
    `${plural(steps, 'step')}, ${plural(requests, 'request')}, cost ${cost}.`,
  counting: 'Counting what would be sent…',
  changeFirst: 'Change the text to try it.',
  tried: (judge: string) => `${judge} has judged this run with this text.`,
  start: 'Try',
  starting: 'Starting…',
  asking: (votes: string, of: string) => `${votes} of ${of} steps`,
  stop: 'Stop',
  noEndpoint: 'Add a model in the settings to try a rubric.',

  result: 'What changes',
  columns: ['Compared with people', 'Now', 'With this text'],
  precision: 'Precision of its masks',
  recall: 'Recall of people’s masks',
  figure: (value: number, n: number) => `${share(value)}, n = ${n}`,
  interval: (low: number, high: number) => `95 % confidence interval: ${share(low)} to ${share(high)}`,
  unknown: 'unknown',
  noLabels:
    'People have not agreed on a label for any of these steps, so it is not known which verdicts are right.',
  moved: (toMask: number, toKeep: number, of: number) =>
    toMask + toKeep === 0
      ? `No verdict changes on ${plural(of, 'step')}.`
      : `${toMask} from keep to mask, ${toKeep} from mask to keep, on ${plural(of, 'step')}.`,
  versions: (before: string, after: string) => `${before} → ${after}`,
  notBefore: (judge: string) =>
    `${judge} has not judged this run with another rubric, so there is nothing to compare with.`,
  changes: 'Steps that change',
  verdict: { keep: 'Keep', mask: 'Mask' },
  goTo: (step: number) => `Go to step ${step}`,
  asPeople: 'agrees with people',
  againstPeople: 'disagrees with people',
  nobody: 'no label yet',
  more: (n: number) => `and ${plural(n, 'more step')}`,
  adopts: (votes: number, judge: string) =>
    `Saving makes ${plural(votes, 'verdict')} of this trial ${votes === 1 ? 'a vote' : 'votes'} of ${judge}.`,
};
