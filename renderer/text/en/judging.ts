import type { JudgedSteps } from '@shared/judging/batch';
import { plural } from './common';

const kinds: Record<JudgedSteps, string> = {
  all: 'All steps',
  undecided: 'Undecided steps',
  disagreeing: 'Steps on which opinions differ',
  changed: 'Steps that changed since they were judged',
};

export const judging = {
  item: 'Ask a judge…',
  itemText: 'A model votes on what to keep and what to mask.',
  title: 'Ask a judge',
  lead: 'A model reads the steps and votes on which of them the next model should learn from. The text of the steps is sent to its endpoint.',
  leadRewards:
    'A model rates each step several times, +1 or −1, as a reward for training. Ratings change no label. The text of the steps is sent to its endpoint.',
  asks: 'Question',
  asksOf: { mask: 'Keep or mask', reward: 'Step rewards' },
  runs: 'Runs',
  thisRun: (title: string) => `This run: ${title}`,
  allRuns: (n: string, count: number) => (count === 1 ? 'The only run' : `All ${n} runs`),
  someRuns: (n: number) => (n === 0 ? 'Selected runs' : `Selected runs (${n})`),
  steps: 'Steps',
  stepsOf: (kind: JudgedSteps) => kinds[kind],
  stepsHelp: 'Steps that this judge has already judged are left out.',
  changedHelp:
    'Steps that this judge judged with another rubric, or before a hint or a purge changed their content.',
  judges: 'Judges',
  endpoint: (at: number, of: number) => (of === 1 ? 'Model' : `Model of judge ${at}`),
  name: (at: number, of: number) => (of === 1 ? 'Judge’s name' : `Name of judge ${at}`),
  nameHelp:
    'The model, and the name that signs the votes. Each name has one vote per step, so use different names to compare judges.',
  addJudge: 'Add a judge',
  removeJudge: (at: number) => `Remove judge ${at}`,
  sameName: (name: string) => `Two judges are called ${name}. Give them different names.`,
  rubric: 'Rubric',
  rubricOf: {
    task: 'The rubric of the task',
    'built-in': 'The built-in rubric',
    steps: 'Waymark’s own',
    rlanything: 'In the manner of RLAnything',
  },
  rubricFile: (name: string) => (name === '' ? 'A file…' : `File ${name}`),
  chooseFile: 'Choose file…',
  rubricFileField: 'File with the rubric',
  noFile: 'Choose the file with the rubric.',
  badFile: {
    empty: 'The file is empty.',
    long: 'The file is too long to be a rubric: at most 64 KB.',
    binary: 'The file is not UTF-8 text.',
  },
  rubricVersions: (versions: string) => `Version ${versions}`,
  editRubric: 'Edit…',
  votesPerStep: 'Votes per step',
  temperature: 'Temperature',
  future: 'Weigh its effect on the outcome',
  badVotes: (most: number) => `Enter a whole number from 1 to ${most}.`,
  badTemperature: (most: number) => `Enter a number from 0 to ${most}.`,
  limit: (judges: number): string => (judges === 1 ? 'Cost limit, $' : 'Cost limit each, $'),
  limitHelp: 'No request is sent that could exceed it. Empty: no limit.',
  limitNeedsPrice: (judges: number): string =>
    judges === 1
      ? 'Needs a price for this model. Set one in Settings, Models.'
      : 'Needs a price for each of these models. Set them in Settings, Models.',
  limitBelow: (estimate: string) =>
    `Below the estimate of ${estimate}: it stops at the limit and can continue later.`,
  estimate: 'Estimate',
  toJudge: 'Steps to judge',
  requests: 'Requests',
  tokens: 'Tokens',
  tokensOf: (input: string, output: string) => `about ${input} in, ${output} out`,
  cost: 'Cost',
  costAbout: (cost: string) => `about ${cost}`,
  costUnknown: 'unknown, the model has no price',
  costPartlyUnknown: 'unknown, not every model has a price',
  lessThan: (cost: string) => `less than ${cost}`,
  counting: 'Counting what would be sent…',
  nothingSent: 'Nothing has been sent yet.',
  start: 'Start',
  starting: 'Starting…',
  noRuns: 'Select at least one run.',
  tooManyRuns: (n: string) => `Select at most ${n} runs.`,
  badLimit: 'Enter a cost above 0, or leave the limit empty.',
  noEndpoint: 'Choose a model.',
  nothingLeft: (judge: string) => `${judge} has already judged all of these steps.`,
  nothingForAny: 'No step is left for any of these judges.',
  nothingOf: {
    undecided: (judge: string) => `No undecided step is left for ${judge} to judge.`,
    disagreeing: (judge: string) => `No step with differing opinions is left for ${judge} to judge.`,
    changed: (judge: string) => `Nothing has changed since ${judge} judged these steps.`,
  },
  all: 'All judges',
  columns: ['Judge', 'Steps', 'Requests', 'Tokens', 'Cost'],

  job: (judge: string) => `Judge ${judge}`,
  state: {
    asking: 'asking',
    stopping: 'stopping after the requests in progress',
    done: 'done',
    cancelled: 'stopped',
    cost: 'reached its cost limit',
    failed: 'failed',
    interrupted: 'interrupted',
  },
  what: (model: string, runs: string, kind: JudgedSteps) =>
    `${model} · ${runs}${kind === 'all' ? '' : ` · ${kinds[kind].toLowerCase()}`}`,
  runCount: (n: string) => `${n} runs`,
  progress: (judge: string) => `Progress of judge ${judge}`,
  votes: (n: string, count: number) => (count === 1 ? '1 vote' : `${n} votes`),
  votesOf: (n: string, of: string) => `${n} of ${of} steps`,
  requestCount: (n: string, count: number) => (count === 1 ? '1 request' : `${n} requests`),
  tokenCount: (n: string) => `${n} tokens`,
  costOf: (cost: string, limit: string) => `${cost} of ${limit}`,
  whatRewards: 'step rewards',
  whatTrial: 'trial of a rubric',
  ofVotes: (n: string, of: string) => `${n} of ${of} votes`,
  unparsable: (n: string, count: number) =>
    count === 1 ? '1 answer could not be read' : `${n} answers could not be read`,
  found: (masks: string, keeps: string) => `${masks} to mask, ${keeps} to keep`,
  rated: (against: string, inFavour: string) => `${inFavour} × +1, ${against} × −1`,
  missing: (n: string, count: number) =>
    count === 1 ? '1 step got no verdict' : `${n} steps got no verdict`,
  withheld: 'Its verdicts are hidden until you have decided your blind steps.',
  elsewhere: 'It runs in a separate process and continues when you close this window.',
  interruptedText: 'Its process ended early. Continuing asks only about steps without a vote.',
  stop: 'Stop',
  resume: 'Continue',
  resumeUpTo: (limit: string) => `Continue up to ${limit}`,
  askAgain: 'Ask about them again',
  quality: 'How good is it?',
  reviewOf: {
    differs: (n: string, count: number) =>
      count === 1
        ? 'Review 1 step where rule and judge differ'
        : `Review ${n} steps where rule and judge differ`,
    unsure: (n: string, count: number) =>
      count === 1 ? 'Review 1 step where the judge is unsure' : `Review ${n} steps where the judge is unsure`,
  },
  noneQueued: {
    differs: 'There are no undecided steps of this run where rule and judge differ',
    unsure: 'There are no undecided steps of this run where the judge is unsure',
  },
  trialToast: (judge: string, votes: number) => `${judge} has tried the rubric on ${plural(votes, 'step')}`,
  doneToast: (judge: string, votes: number) => `Judge ${judge} is done: ${plural(votes, 'vote')}`,
  left: (n: number) =>
    n === 1
      ? 'A judge’s batch was interrupted and can continue'
      : `${n} batches of judges were interrupted and can continue`,
};
