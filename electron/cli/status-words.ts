import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import type { RunningCommand, RunSummary } from '@shared/contract/views';
import { type RunStatus, type RunStatusWord, runStatus } from '@shared/runs/run-status';
import { keepsRunning } from '../runs/drive/running-commands';

const words: Record<RunStatusWord, string> = {
  created: 'not started',
  thinking: 'thinking',
  acting: 'acting',
  sleeping: 'sleeping',
  training: 'training',
  waiting_host: 'waiting for host',
  waiting_model: 'waiting for model',
  waiting_human: 'waiting for human',
  paused: 'paused',
  finished: 'finished',
  stopped: 'stopped',
  failed: 'failed',
  undriven: 'not driven',
  importing: 'being imported',
  import_broken: 'import not finished',
};

/** Of what a run asks, in a list. */
const shownOfQuestion = 60;

/**
 * "training on gpu-03 until 14:20": what a run does, in a few words. `asked`: what it waits for a person to answer; nothing else
 * that it does matters more, and it goes on asking while it is paused or nobody drives it.
 */
export function statusWords(summary: RunSummary, asked: readonly ApprovalAsked[] = []): string {
  const status = runStatus(summary);
  const [first] = asked;
  if (first !== undefined) {
    const [line = ''] = first.what.trim().split('\n');
    const what = line.length > shownOfQuestion ? `${line.slice(0, shownOfQuestion)}…` : line;
    const also = status.word === 'waiting_human' ? '' : ` (${words[status.word]})`;
    return `waiting for your answer: ${what}${also}`;
  }
  const place = status.word === 'training' && status.on !== null ? ` on ${placeOf(status.on)}` : '';
  return `${words[status.word]}${place}${untilWords(status)}`;
}

/**
 * The same with why, and with what goes on by itself. `running`: what was found to run just now, where somebody looked;
 * without it, what the store knows.
 */
export function statusLine(
  summary: RunSummary,
  running?: readonly RunningCommand[],
  asked: readonly ApprovalAsked[] = [],
): string {
  const status = runStatus(summary);
  // What its driver last said of itself is not true any more.
  const gone = status.word === 'undriven';
  const why = status.reason === null || gone ? '' : ` (${status.reason})`;
  const message = gone
    ? `The process that drove it is gone. Continue with: run resume ${summary.id}`
    : status.message;
  const said = message === null ? '' : `: ${message}`;
  // Where it asks, that is why.
  const first = asked.length === 0 ? `${statusWords(summary)}${why}${said}` : statusWords(summary, asked);
  if (running !== undefined && !/keeps running|when last seen/u.test(said)) {
    const goesOn = keepsRunning(running);
    return goesOn === '' ? first : `${first}${/[.]$/u.test(first) ? '' : '.'} ${goesOn}`;
  }
  if (status.on === null || /keeps running|when last seen/u.test(said)) return first;
  const on = `A command is running in session ${status.on.session} on ${placeOf(status.on)}.`;
  return `${first}${first.endsWith('.') ? '' : '.'} ${on}`;
}

/** Used and allowed of each budget; null: no limit. */
export function budgetsOf(summary: RunSummary) {
  const { taken, maxSteps, workingMs, maxWorkingMs, tokens, maxTokens, cost, maxCost, scores } = summary;
  return {
    steps: { used: taken, limit: maxSteps },
    workingMs: { used: Math.round(workingMs), limit: maxWorkingMs },
    evaluations: { used: scores.tries, limit: scores.maxTries },
    tokens: { used: tokens.input + tokens.output, limit: maxTokens },
    cost: { used: cost, limit: maxCost },
  };
}

/** `costKnown`: whether any answer had a price. */
export function budgetLine(summary: RunSummary, costKnown = true): string {
  const { steps, workingMs, evaluations, tokens, cost } = budgetsOf(summary);
  const of = (limit: string | null) => (limit === null ? '' : ` of ${limit}`);
  return [
    `steps ${steps.used} of ${steps.limit}`,
    `time ${hours(workingMs.used)} of ${hours(workingMs.limit)}`,
    ...(summary.maxTrainingMs === undefined ? [] : [`one training ${hours(summary.maxTrainingMs)} at most`]),
    `evaluations ${evaluations.used} of ${evaluations.limit}`,
    `tokens ${tokens.used}${of(tokens.limit === null ? null : String(tokens.limit))}`,
    `cost ${costKnown ? cost.used.toFixed(2) : 'unknown'}${of(cost.limit === null ? null : String(cost.limit))}`,
  ].join(', ');
}

function placeOf({ computer, host }: NonNullable<RunStatus['on']>): string {
  return host === null || host === computer ? computer : `${computer} (${host})`;
}

function untilWords({ until }: RunStatus): string {
  if (until === null) return '';
  const at = new Date(until);
  const two = (value: number) => String(value).padStart(2, '0');
  return ` until ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function hours(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
