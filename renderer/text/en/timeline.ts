import type { StoredStatus } from '@shared/log/events';
import { plural } from './common';

const stored: Record<StoredStatus, string> = {
  running: 'Running',
  waiting_host: 'Waiting for a computer',
  waiting_human: 'Waiting for a person',
  paused: 'Paused',
  finished: 'Finished',
  stopped: 'Stopped',
  failed: 'Failed',
};

const lost: Record<string, string> = {
  hint: 'Hint',
  path: 'File',
  session: 'Session',
  score: 'Score',
  url: 'URL',
};
const checkpointReasons: Record<string, string> = {
  interval: 'automatic',
  asked: 'on request',
  final: 'after the final evaluation',
};

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export const timeline = {
  region: 'Timeline',
  range: (from: string, to: string) => `steps ${from}–${to}`,
  segment: (n: number, of: number) => `Segment ${n} of ${of}`,
  segments: 'Contexts of this run',
  segmentBegins: (n: number) => `→ segment ${n}`,
  nothingCarried: 'nothing carried',
  andSummary: 'and the summary before',
  ofSteps: (from: number, to: number) => (from === to ? `step ${from}` : `steps ${from}–${to}`),
  moreLost: (n: number) => `and ${n} more; the step lists all`,
  lostKind: (kind: string) => lost[kind] ?? kind,
  checkpointWhy: (why: string) => checkpointReasons[why] ?? why,
  fromRun: (title: string) => `from ${title}`,
  inheritedText:
    'Recorded in another run and inherited by this branch. A label set here is saved there and applies to both.',
  filters: 'Filter',
  all: 'All',
  toDecide: 'To decide',
  differ: 'Differ',
  following: 'Following',
  follow: 'Follow',
  followText: 'Keeps the newest step in view',
  newSteps: (n: number) => (n === 1 ? '1 new step' : `${n} new steps`),
  notFollowed: 'not followed',
  exit: (code: number) => `exit ${code}`,
  running: 'running',
  thinking: 'thinking',
  noCall: 'no action',
  summary: 'summary',
  hint: (n: number) => `Hint ${n}`,
  hintAfter: (step: number) => `after ${step}`,
  score: (score: string) => `Score ${score}`,
  scoreUnavailable: 'Evaluation was not run',
  attempt: (n: number) => `evaluation ${n}`,
  forced: 'final evaluation',
  status: (status: StoredStatus) => stored[status],
  outputDropped: (session: string, computer: string) => `Output of ${session} on ${computer} is missing`,
  droppedBytes: (from: number, to: number) =>
    `Bytes ${from.toLocaleString('en')} to ${to.toLocaleString('en')} were dropped there before they could be fetched`,
  outputUnfollowed: (session: string, computer: string) =>
    `Output of ${session} on ${computer} is no longer recorded`,
  unfollowedFrom: (offset: number, why: string) =>
    `From byte ${offset.toLocaleString('en')} on, until the run is resumed. ${why}`,
  stoodStill: (time: string) => `Suspended for ${time}; not counted as working time`,
  summarised: (from: number | null, to: number | null) =>
    from === null || to === null ? 'Summarised' : `Summarised steps ${from}–${to}`,
  tokensFromTo: (before: string, after: string) => `${before} → ${after} tokens`,
  carriedOn: (from: number, to: number) => `${from}–${to} carried over`,
  missingAfter: (n: number) => (n === 1 ? '1 thing no longer mentioned' : `${n} things no longer mentioned`),
  shortened: (step: number) => (step === 0 ? 'Shortened' : `Step ${step} shortened`),
  shortenedText: (was: string, kept: string) =>
    `${was} → ${kept} characters in the context; the log keeps all of it`,
  imagesLeftOut: (n: number) => (n === 1 ? '1 image left out' : `${n} images left out`),
  imagesLeftOutText: (stay: number) =>
    `requests hold 100 images and 16 MB of them at most; the newest ${stay === 1 ? 'one is' : `${stay} are`} still sent, the log keeps all`,
  modelChanged: (model: string) => `Model is now ${model}`,
  changedBy: (name: string) => (name === '' ? '' : `by ${name}`),
  limitsChanged: 'Limits changed',
  limitsNow: (steps: string, time: string, tokens: string | null, cost: string | null) =>
    [plural(steps, 'step'), time, tokens === null ? '' : plural(tokens, 'token'), cost ?? '']
      .filter(Boolean)
      .join(', '),
  checkpoint: 'Checkpoint',
  branched: (step: number, title: string | null) =>
    `Branched after step ${step} of ${title ?? 'another run'}`,
  gpu: (computer: string, state: string) =>
    state === 'idle'
      ? `GPUs of ${computer} are idle`
      : state === 'busy'
        ? `GPUs of ${computer} are busy`
        : `GPUs of ${computer}: not known`,
  gpuSince: (clock: string) => `since ${clock}`,
  hidden: 'hidden',
  taskHead: 'Task and system prompt',
  segmentHead: (n: number) => `Segment ${n}`,
  carriedSteps: (from: number, to: number, n: string) =>
    from === to ? `${from}, 1 carried step` : `${from}–${to}, ${n} carried steps`,
  trainedIn: (segments: string[]) =>
    segments.length === 0 ? 'carried' : `trained in seg ${joined(segments)}`,
  ownSteps: (from: number, to: number) => (from === to ? `Own step ${from}` : `Own steps ${from}–${to}`),
  decidedOf: (decided: string, of: string) => `${decided} of ${of} labelled`,
  foundOf: (found: string, of: string) => `${found} of ${of} shown`,
  decidedSteps: (from: number, to: number, n: string) => `${from}–${to}, ${n} decided steps`,
  foldTrain: (n: string) => `${n} train`,
  foldMask: (n: string) => `${n} mask`,
  grouped: 'Group by segment',
  flat: 'One flat list',
  folded: 'Fold decided steps',
  unfolded: 'Show decided steps',
  readingSegment: 'Loading the summary',
  minimapAt: (from: string, to: string, of: string) => `steps ${from} to ${to} of ${of}`,
  minimap: 'Minimap: masks, undecided steps, hints, errors and score',
  emptyTitle: 'No steps yet',
  emptyText: 'The first step appears here as soon as the model has answered.',
  noRunTitle: 'No run is open',
  noRunText: 'Choose one on the left, or start a new one.',
  nothingFurther: 'Nothing more in this direction',
  rowLoading: (step: number) => `${step}, reading`,
  row: (facts: string[]) => facts.join(', '),
  rowMaskedBy: (rule: string) => `masked by ${rule}`,
  rowMask: 'mask',
  rowTrain: 'train',
  rowUndecided: 'undecided',
  rowByPerson: (names: string) => `decided by ${names}`,
  rowNoPerson: 'not decided by a person',
  rowJudge: (value: 'mask' | 'keep', confidence: number | null) =>
    `judge says ${value === 'keep' ? 'train' : 'mask'}${confidence === null ? '' : ` ${confidence.toFixed(2)}`}`,
  rowJudgesDiffer: 'judges differ',
  rowWithheld: 'opinions hidden until you decide',
  rowCorrected: 'corrected',
  rowCarried: (segment: number) => `carried, trained in segment ${segment}`,
  rowInherited: 'inherited from another run',
  rowDiffers: 'opinions differ',
  rowFlagged: 'flagged',
  rowComments: (n: number) => (n === 1 ? '1 comment' : `${n} comments`),
  rowFailed: 'failed',
  rowImitates: 'imitates a human',
  rowPending: 'being saved',
};
