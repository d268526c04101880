import type { AttentionKind } from '@shared/runs/attention/attention';

/** Shown in the list of runs next to a run. */
const short: Record<AttentionKind, string> = {
  asks_you: 'asks you',
  failed: 'failed',
  paused: 'paused',
  host_lost: 'host lost',
  error_streak: 'errors in a row',
  gpu_idle: 'GPUs idle',
  secret_seen: 'saw a secret',
  score_dropped: 'score fell',
  budget: 'budget nearly used',
  finished: 'finished',
  hint_delivered: 'hint delivered',
  stood_still: 'suspended',
  summary_lost: 'summary left things out',
  impatience: 'impatient',
  contention: 'GPU conflict',
  forgotten_session: 'session forgotten',
  template_thought: 'template reasoning',
  repeated_action: 'repeats itself',
  early_finish: 'finished early',
};

const secrets: Record<string, string> = {
  known: 'a key that is kept on this machine',
  model_key: 'a key for a model',
  cloud_key: 'a key for a cloud service',
  service_token: 'a token for a service',
  login_token: 'a login token',
  private_key: 'a private key',
  password: 'a password',
};

const budgets: Record<string, string> = {
  steps: 'steps',
  time: 'time',
  tokens: 'tokens',
  cost: 'cost',
  evaluations: 'evaluations',
};

export const inbox = {
  title: 'Inbox',
  button: (n: number) => (n === 0 ? 'Inbox, nothing new' : n === 1 ? 'Inbox, 1 item' : `Inbox, ${n} items`),
  region: 'Inbox',
  tabs: 'Inbox and report',
  news: 'New',
  report: 'Report',
  nothing: 'Nothing needs your attention',
  nothingText:
    'What needs your attention appears here: questions, errors in a row, idle GPUs, falling scores, delivered hints.',
  reading: (n: string) => `Reading ${n} more events`,
  newSteps: (n: number, count: string) => (n === 1 ? '1 new step' : `${count} new steps`),
  neverSeen: 'not seen yet',
  open: 'ongoing',
  atStep: (step: string) => `step ${step}`,
  go: (sentence: string, step: string | null) =>
    step === null ? sentence : `${sentence} Go to step ${step}.`,
  short: (kind: AttentionKind) => short[kind],
  more: (n: number) => `and ${n} more`,
  close: 'Close',
  asks: 'Asks for your approval.',
  failed: (reason: string) => `Failed: ${reason}.`,
  paused: (reason: string) => `Paused: ${reason}.`,
  undriven: 'No process is driving it. Resume it to continue.',
  modelLost: 'Waiting for the model, which cannot be reached.',
  hostLost: 'Waiting for a computer that cannot be reached.',
  errors: (n: string, code: string) => `${n} steps in a row failed (${code}).`,
  gpuIdle: (computer: string, time: string) => `The GPUs of ${computer} have done nothing for ${time}.`,
  gpuWasIdle: (computer: string, time: string) => `The GPUs of ${computer} did nothing for ${time}.`,
  scoreFell: (from: string, to: string, best: string) =>
    `The score fell from ${from} to ${to} (best ${best}).`,
  budget: (name: string, used: string, limit: string) => `${used} of ${limit} ${budgets[name] ?? name} used.`,
  finished: (score: string, best: string) => `Finished with ${score} points (best ${best}).`,
  stopped: 'Stopped.',
  hints: (n: number) => (n === 1 ? 'A hint is in the context.' : `${n} hints are in the context.`),
  secretSeen: (kinds: readonly string[]) =>
    `This run has seen a secret: ${kinds.map((kind) => secrets[kind] ?? kind).join(', ')}. It is in the log and in prompts: revoke and replace it.`,
  stoodStill: (time: string) => `Was suspended for ${time} while the machine slept.`,
  summaryLost: (n: number) =>
    n === 1 ? 'A summary no longer mentions 1 thing.' : `A summary no longer mentions ${n} things.`,
  killedTraining: (session: string, needed: string, left: string) =>
    `Ended its training in ${session}, which needed ${needed} more; ${left} remained.`,
  shortSleeps: (n: string) => `Slept ${n} times in a row for under 2 min during training.`,
  ownConflict: (session: string, other: string, computer: string) =>
    `Started a job in ${session} on GPUs of ${computer} that ${other} is still using.`,
  takenGpu: (session: string, gpu: string, computer: string, used: string) =>
    `Started a job in ${session} on GPU ${gpu} of ${computer}, where ${used} are in use.`,
  forgotten: (session: string, computer: string, n: string) =>
    `Has not looked at ${session} on ${computer} for ${n} steps; it was busy.`,
  templateThoughts: (n: string) => `${n} of its recent thoughts are identical except for their numbers.`,
  templateFile: (path: string) => `${path} pastes question and answer into a fixed rationale.`,
  repeated: (action: string, n: string) => `Called ${action} ${n} times in a row with the same result.`,
  earlyFinish: (best: string, tries: string, left: string) =>
    `Finished at ${best} points with ${tries} evaluations and ${left} left.`,
  ranges: 'Report period',
  sinceLooked: 'Since I looked',
  lastNight: 'Last night',
  lastDay: 'Last 24 hours',
  span: (from: string, to: string) => `${from} to ${to}`,
  noReport: 'Nothing happened then',
  noReportText: 'No run was active in this period.',
  workingTime: 'working time',
  tokens: 'tokens',
  cost: 'cost',
  stepsWord: (n: number): string => (n === 1 ? 'step' : 'steps'),
  score: 'score',
  best: (score: string) => `best ${score}`,
  hintsWord: (n: number): string => (n === 1 ? 'hint delivered' : 'hints delivered'),
  stoodStillWord: 'suspended',
  standstillTitle: (time: string) => `The agents were suspended for ${time} while this machine slept.`,
  standstillRuns: (titles: string) => `Runs: ${titles}.`,
  standstillOne: (time: string) => `The agent was suspended for ${time} while this machine slept.`,
  dismiss: 'Dismiss',
  onBattery: 'Runs are on battery power.',
  onBatteryText: 'When the battery is empty, they stop until the machine is back on. Plug it in.',
};
