import { parseArgs } from 'node:util';
import { WaymarkError } from '@shared/errors';
import { durationMs } from '@shared/task';

const options = {
  workspace: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  task: { type: 'string' },
  title: { type: 'string' },
  model: { type: 'string' },
  'base-url': { type: 'string' },
  'api-key-env': { type: 'string' },
  computer: { type: 'string', multiple: true },
  transport: { type: 'string' },
  'no-test': { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  raw: { type: 'boolean', default: false },
  'max-steps': { type: 'string' },
  'max-time': { type: 'string' },
  'max-evals': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
  now: { type: 'boolean', default: false },
  approvals: { type: 'string' },
  isolated: { type: 'boolean', default: false },
  experiment: { type: 'string' },
  wait: { type: 'boolean', default: false },
  stdio: { type: 'boolean', default: false },
  reason: { type: 'string' },
  call: { type: 'string' },
  arguments: { type: 'string' },
  thought: { type: 'string' },
  annotator: { type: 'string' },
  to: { type: 'string' },
  overlap: { type: 'string' },
  blind: { type: 'boolean', default: false },
  by: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  format: { type: 'string' },
  preset: { type: 'string' },
  carried: { type: 'string' },
  out: { type: 'string' },
  run: { type: 'string', multiple: true },
  undecided: { type: 'string' },
  when: { type: 'string' },
  wake: { type: 'boolean', default: false },
  category: { type: 'string' },
  step: { type: 'string' },
  drop: { type: 'string', multiple: true },
  add: { type: 'string', multiple: true },
  endpoint: { type: 'string' },
  on: { type: 'string', multiple: true },
  off: { type: 'string', multiple: true },
  set: { type: 'string', multiple: true },
  precedence: { type: 'string' },
  again: { type: 'boolean', default: false },
  logs: { type: 'boolean', default: false },
  search: { type: 'boolean', default: false },
  trust: { type: 'boolean', default: false },
} as const;

export interface Arguments {
  words: string[];
  values: ReturnType<typeof parse>['values'];
}

function parse(argv: string[]) {
  return parseArgs({ args: argv, options, allowPositionals: true, strict: true });
}

/** @throws WaymarkError `bad_input` that names the unknown option. */
export function parseArguments(argv: string[]): Arguments {
  try {
    const { positionals, values } = parse(argv);
    return { words: positionals, values };
  } catch (error) {
    throw new WaymarkError(
      'bad_input',
      `${problemOf(error as Error)} Run "waymark --help" for the commands.`,
    );
  }
}

/** Node's first sentence says what is wrong; what follows it is about other programs. */
function problemOf({ message }: Error): string {
  const first = message
    .replace(/\. To specify .*$/s, '')
    .replace(/\n.*$/s, '')
    .replace(/\.$/, '');
  return `${first}.`;
}

/** The value of a required option or word. */
export function required(value: string | undefined, what: string): string {
  if (value !== undefined && value !== '') return value;
  throw new WaymarkError('bad_input', `${what} is missing. Run "waymark --help" for the commands.`);
}

/** One of `allowed`, or `fallback` when nothing was given. */
export function oneOf<T extends string>(
  value: string | undefined,
  allowed: readonly T[],
  fallback: T,
  what: string,
): T {
  if (value === undefined) return fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (found) return found;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be one of ${allowed.join(', ')}.`);
}

/** A whole number ≥ 1, or null when nothing was given. */
export function positive(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be a whole number above 0.`);
}

/** A number above 0, or null when nothing was given. */
export function positiveNumber(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be a number above 0.`);
}

/** Milliseconds of `90s`, `30m`, `48h` or `2d`, or null when nothing was given. */
export function duration(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const ms = durationMs(value);
  if (ms !== null) return ms;
  throw new WaymarkError(
    'bad_input',
    `${what} is "${value}" but must be a time such as 90s, 30m, 48h or 2d.`,
  );
}

/** `12` or `12-15`, per-run step numbers. */
export function stepRange(value: string): { from: number; to: number } {
  const match = /^(\d+)(?:-(\d+))?$/.exec(value);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (match && from >= 1 && to >= from) return { from, to };
  throw new WaymarkError(
    'bad_input',
    `"${value}" is not a step. Write a number such as 12, or a range such as 12-15.`,
  );
}

export const helpText = `waymark: the engine of Waymark without its window

  task add PATH                     take a task package into the workspace
  task list
  run start --task ID               create a run; --wait also drives it to its end
      [--model NAME] [--base-url URL] [--api-key-env VAR]
      [--computer NAME]...          where it runs: local or a host; with several
                                    computers in the task: --computer worker=gpu-03
      [--max-steps N] [--max-time 48h] [--max-tokens N] [--max-cost X]
      [--approvals on|off] [--title TEXT] [--experiment NAME] [--wait]
      [--isolated]                  local sessions in a sandbox (bubblewrap): the agent
                                    sees the run's own folders, no other process
  run resume RUN [--wait]           drive a run on, in the background unless --wait
  run resume --all [--wait]         every run that rests and has not ended
  run list | show RUN | remove RUN | purge RUN
  run pause RUN [--now]             after this step, or at once; says what keeps running
  run stop RUN                      ends it for good, without a final evaluation
  run model RUN NAME                later steps ask this endpoint of the settings
  run limits RUN [--max-steps N]    other limits from the next step on; none takes a
      [--max-time 48h] [--max-evals N] [--max-tokens N|none] [--max-cost X|none]
  hint send RUN TEXT                queue a hint, also while another process drives
      [--when W] [--wake]           W: score_changes, session_idle[:COMPUTER[/SESSION]],
      [--category C]                gpu_idle[:COMPUTER]:MINUTES, error_streak:STEPS
  hint list RUN                     hints and what became of them
  hint edit RUN N [TEXT]            N is the number of a queued hint; options as above
  hint move RUN N M|last            before hint M
  hint withdraw RUN N
  hint verdict RUN N acted-on|ignored|clear
  checkpoint make RUN [NOTE]        keep its state after the step that runs
  checkpoint list RUN
  branch RUN --step N               a run that goes on after that step, with the files
      [--drop HINT]... [--add TEXT]...  of the newest checkpoint up to it; without or
      [--title TEXT] [--endpoint NAME]  with more hints, or asking another model
  session list [--run RUN]          terminals and what they do
  session tail NAME --run RUN       what a terminal printed, and prints; NAME may be
      [--all] [--raw]               computer:session. --raw: its exact bytes
  computer add ALIAS                test a host of your ssh configuration and keep it
      [--transport ssh2|openssh] [--no-test]
  computer list | test ALIAS | remove ALIAS
  label RUN STEP train|mask|clear   STEP is 12, 12-15 or 3,7,12-15
      [--reason R] [--annotator NAME]
  label adjudicate RUN STEP train|mask
                                    settles what opinions differ about
  label correct RUN STEP --call NAME --arguments JSON
      [--thought TEXT]              what the model should have done, kept beside it
  label undo RUN                    takes back what you (or --annotator NAME) did last
  label judge RUN FILE.jsonl        bring in a judge's votes, one JSON object a line
  label export --out FILE           the whole annotation log, for merge elsewhere
  merge PATH                        take over the labels of another workspace: its
                                    folder, a file of label export, or a backup
  rules RUN                         what the rules say, step by step
  rules list | show RULE            the rules, for --task T as they hold there
  rules preview RUN                 what other settings would change: [--on RULE]...
                                    [--off RULE]... [--set RULE.PARAMETER=VALUE]...
  rules set --task T                as previewed, for all runs of the task; also
                                    [--precedence union|judge_over_rule]
  rules clear --task T              as the task itself says
  stats RUN                         scores, labels, rules, actions and people in figures
  import PATH [--format researchgym]  a node, a tree or a checkpoint folder becomes a run
      [--title TEXT] [--task ID] [--again]
  queue [RUN]... | queue next [RUN] what waits for you (or --annotator NAME), by class
  queue assign --run R... --to NAME,NAME  hand out runs or their segments, balanced
      [--by segment|run] [--overlap 0.2] [--blind] [--dry-run]
  queue take-back BATCH             what was decided stays
  queue people [--run R]... [--format csv]  decided, left, agreement, minutes
  export --format slime --out DIR   write a dataset
      [--run RUN]... [--undecided refuse|train|mask] [--preset default|apollo]
  serve --stdio                     the workspace for a window, over the SSH channel
                                    it opened; --workspace DIR, else the default one
  verify [--logs]                   check chains, texts, prompts and session logs; --logs
                                    only what was recorded, not what is derived from it
  rebuild [RUN]... [--search]       derive lists and labels from the logs again, and fill
                                    the search index anew
  restore                           list the backups of the workspace
  restore [BACKUP] --to DIR         a new workspace from a backup (its number, name or
                                    file) and all that is readable of a damaged one
  clean                             remove what no run needs any more

  --workspace DIR   else WAYMARK_WORKSPACE, else the workspace opened last
  --trust           a workspace from another device is only read until this is said once
  Hosts ask for passwords and unknown keys at the terminal; without one they are refused.
  --json            one JSON document instead of text
  Exit code: 0 done, 1 refused (the error says why), 2 a bug in Waymark
`;
