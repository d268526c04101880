import type { NewEvent } from '../../log/events';
import { commandName, everyCommand, parseShell } from '../../shell/shell-command';
import type { TaskRules } from './detector';

/** The session an observation is about, from its facts; null when it is about none. */
export function placeOf(data: Record<string, unknown>): { computer: string; session: string } | null {
  const { computer, session } = data;
  return typeof computer === 'string' && typeof session === 'string' ? { computer, session } : null;
}

/** Jobs that are remembered at once. */
const MOST = 32;
/** Longer commands are not read as shell text, characters. */
const LONGEST = 8_000;

/** A job of the agent in one of its sessions. */
export interface OwnJob {
  computer: string;
  session: string;
  step: number;
  training: boolean;
  /** GPUs it was given; null = it names none, and may take all. */
  gpus: number[] | null;
}

/** Jobs that run, as far as the agent's own looks tell, keyed `computer:session`. Plain JSON. */
export type OwnJobs = Record<string, OwnJob>;

/** The job that a `run_command` leaves running; null for any other observation. */
export function startedJob(event: NewEvent, rules: TaskRules): OwnJob | null {
  if (event.kind !== 'action.observed' || event.body.name !== 'run_command') return null;
  const { data, step, ok } = event.body;
  const place = placeOf(data);
  if (place === null || !ok || data.async !== true || typeof data.command !== 'string') return null;
  const training = trains(data.command, rules.trainingCommands);
  const gpus = gpusOf(data.command);
  return training || gpus !== null ? { ...place, step, training, gpus } : null;
}

/** Programs that look at files or move them: `tail -f train.log` trains nothing. */
const LOOKERS: ReadonlySet<string> = new Set(
  'cat head tail less more grep rg ls find wc sed awk echo printf vim nano cp mv rm mkdir touch chmod ln du df diff git pip conda tar unzip wget curl ps pgrep kill pkill killall nvidia-smi'.split(
    ' ',
  ),
);

/** Whether a command of the text starts training, by the task's expressions. */
export function trains(command: string, expressions: readonly string[]): boolean {
  const matches = (text: string) => expressions.some((source) => new RegExp(source, 'i').test(text));
  if (command.length > LONGEST || !matches(command)) return false;
  return everyCommand(parseShell(command)).some(
    (simple) => !LOOKERS.has(commandName(simple)) && matches(simple.argv.map((word) => word ?? '').join(' ')),
  );
}

/** What an event ends: the session is at its prompt again, or is no more. */
export function endedJobs(jobs: OwnJobs, event: NewEvent): OwnJob[] {
  if (event.kind === 'session.ended') {
    const job = jobs[`${event.body.computer}:${event.body.session}`];
    return job === undefined ? [] : [job];
  }
  if (event.kind !== 'action.observed') return [];
  const place = placeOf(event.body.data);
  const { state } = event.body.data;
  if (place === null || (state !== 'idle' && state !== 'ended' && state !== 'lost')) return [];
  const job = jobs[`${place.computer}:${place.session}`];
  return job === undefined ? [] : [job];
}

export function keep(jobs: OwnJobs, job: OwnJob): void {
  const keys = Object.keys(jobs);
  const oldest = keys[0];
  if (keys.length >= MOST && oldest !== undefined) delete jobs[oldest];
  const key = `${job.computer}:${job.session}`;
  delete jobs[key];
  jobs[key] = job;
}

export function forget(jobs: OwnJobs, { computer, session }: OwnJob): void {
  delete jobs[`${computer}:${session}`];
}

/** Numbers after `CUDA_VISIBLE_DEVICES=`; null when the command does not say. */
function gpusOf(command: string): number[] | null {
  const named = /CUDA_VISIBLE_DEVICES=["']?([\d,\s]+)/.exec(command.slice(0, LONGEST))?.[1];
  if (named === undefined) return null;
  return named
    .split(',')
    .map((part) => Number.parseInt(part, 10))
    .filter((index) => Number.isSafeInteger(index));
}

export function shareGpus(a: OwnJob, b: OwnJob): boolean {
  if (a.computer !== b.computer) return false;
  return a.gpus === null || b.gpus === null || a.gpus.some((index) => b.gpus?.includes(index));
}

const KILLERS: ReadonlySet<string> = new Set(['kill', 'pkill', 'killall']);
const INTERRUPT = '\u0003';

/** Jobs that the observed action ended on purpose. */
export function killedJobs(jobs: OwnJobs, event: Extract<NewEvent, { kind: 'action.observed' }>): OwnJob[] {
  const { name, data, ok } = event.body;
  if (!ok) return [];
  const place = placeOf(data);
  const here = Object.values(jobs).filter(
    (job) => job.computer === place?.computer && job.session === place.session,
  );
  switch (name) {
    case 'kill_session_processes':
      return data.ended === 0 ? [] : here;
    case 'close_session':
      return data.state === 'idle' || data.state === 'ended' || data.state === 'lost' ? [] : here;
    case 'close_all_sessions': {
      const computers: unknown[] = Array.isArray(data.computers) ? data.computers : [];
      return Object.values(jobs).filter((job) => computers.includes(job.computer));
    }
    case 'input_in_session':
      return data.input === INTERRUPT ? here : [];
    case 'run_command':
      // Which process it was is not known; with one job on the computer it was that one.
      return kills(data.command) ? oneOf(jobs, place?.computer) : [];
    default:
      return [];
  }
}

function oneOf(jobs: OwnJobs, computer: string | undefined): OwnJob[] {
  const there = Object.values(jobs).filter((job) => job.computer === computer && job.training);
  return there.length === 1 ? there : [];
}

function kills(command: unknown): boolean {
  if (typeof command !== 'string' || command.length > LONGEST || !command.includes('kill')) return false;
  return everyCommand(parseShell(command)).some(
    (simple) => KILLERS.has(commandName(simple)) && !/^-(?:l|L|0|-list|-table)$/.test(simple.argv[1] ?? ''),
  );
}
