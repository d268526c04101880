import { type RunStatus, type RunStatusWord, runStatus } from '@shared/run-status';
import type { RunSummary } from '@shared/views';

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

/** "training on gpu-03 until 14:20": what a run does, in a few words. */
export function statusWords(summary: RunSummary): string {
  const status = runStatus(summary);
  const place = status.word === 'training' && status.on !== null ? ` on ${placeOf(status.on)}` : '';
  return `${words[status.word]}${place}${untilWords(status)}`;
}

/** The same with why, and with what goes on by itself. */
export function statusLine(summary: RunSummary): string {
  const status = runStatus(summary);
  const why = status.reason === null ? '' : ` (${status.reason})`;
  // What its driver last said of itself is not true any more.
  const stale = status.word === 'undriven' && summary.stored === 'running';
  const said = status.message === null || stale ? '' : `: ${status.message}`;
  const first = `${statusWords(summary)}${why}${said}`;
  if (status.on === null || /keeps running|when last seen/u.test(said)) return first;
  const on = `A command runs in session ${status.on.session} on ${placeOf(status.on)}.`;
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

export function budgetLine(summary: RunSummary): string {
  const { steps, workingMs, evaluations, tokens, cost } = budgetsOf(summary);
  const of = (limit: string | null) => (limit === null ? '' : ` of ${limit}`);
  return [
    `steps ${steps.used} of ${steps.limit}`,
    `time ${hours(workingMs.used)} of ${hours(workingMs.limit)}`,
    `evaluations ${evaluations.used} of ${evaluations.limit}`,
    `tokens ${tokens.used}${of(tokens.limit === null ? null : String(tokens.limit))}`,
    `cost ${cost.used.toFixed(2)}${of(cost.limit === null ? null : String(cost.limit))}`,
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

function hours(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
