import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ImportProgress } from '@shared/contract/ipc/imports';
import { type DatedEvent, type EventBody, eventBodies } from '@shared/log/events';
import { newUlid } from '../../../base/new-ulid';
import { type LogHead, type LogPart, partsOf, type ReadLog, type ReadOptions } from '../read-log';
import { type GymRun, livesOf } from './lives';
import { RunEvents } from './run-events';
import { type GymSource, readGymSource } from './source';

/**
 * Makes a run of a ResearchGym node, tree or checkpoint folder: one step for each call of a model, with duplicates of the tree as
 * carried steps, summaries as summary steps, what a person said as hints. What has no place in our events is kept with its step.
 * Hundreds of megabytes may be read: window and command line do it in a thread (`readApart`).
 * @throws WaymarkError not_found, bad_input
 */
export async function readGymRun(
  path: string,
  options: ReadOptions,
  tell: (progress: ImportProgress) => void,
): Promise<ReadLog & { parts: Iterable<LogPart> }> {
  tell({ stage: 'reading', files: 0, bytes: 0 });
  const source = await readGymSource(path, (files, bytes) => tell({ stage: 'reading', files, bytes }));
  const gym = livesOf(source.nodes);
  const fingerprint = fingerprintOf(source);
  const run = newUlid();
  const title = options.title ?? titleOf(path, gym);
  const start = gym.lives.flatMap(({ own }) => own.flatMap(({ at }) => (at === null ? [] : [at])));
  const built = new RunEvents(Math.min(Date.now(), ...start.slice(0, 1)), { stream: true });
  for (const life of gym.lives) built.life(life);
  const created = createdBody(run, title, gym, built, { fingerprint, task: options.task });
  const left = [...firstOf(gym.left), ...limitsOfTheSource(gym)];
  const at = built.events[0]?.at;
  const when = at === undefined ? {} : { at };
  const imported: EventBody<'run.imported'> = {
    format: 'researchgym',
    tool: 'ResearchGym',
    files: source.files,
    left,
    unknown: { root: gym.root, ...source.beside },
  };
  const first = [
    { kind: 'run.created' as const, body: created, ...when },
    { kind: 'run.imported' as const, body: imported, ...when },
  ];
  const last = ending(built);
  checkEvents(basename(path), [...first, ...built.events, last]);
  const head: LogHead = {
    run,
    title,
    fingerprint,
    left,
    first,
    last,
    steps: built.steps,
    segments: gym.lives.length,
    hints: built.hints.length,
    events: built.events.length,
  };
  return { head, parts: partsOf(built.hints, built.events), close: async () => undefined };
}

/** What could not be stored is refused before anything is. @throws WaymarkError bad_input */
function checkEvents(name: string, events: readonly DatedEvent[]): void {
  for (const { kind, body } of events) {
    const parsed = eventBodies[kind].safeParse(body);
    if (parsed.success) continue;
    const [issue] = parsed.error.issues;
    throw new WaymarkError(
      'bad_input',
      `${name} contains what no run can contain (${kind}, ${issue?.path.join('.')}: ${issue?.message}). Nothing was imported.`,
    );
  }
}

/** Lines of what was left out, as many as a person reads. */
function firstOf(left: readonly string[]): string[] {
  const shown = left.slice(0, 200);
  return left.length === shown.length
    ? shown
    : [...shown, `And ${left.length - shown.length} more such nodes.`];
}

function ending(built: RunEvents): DatedEvent {
  const at = built.events.at(-1)?.at;
  const body: EventBody<'run.status'> = built.ended
    ? { status: 'finished', reason: 'finish', message: 'Imported. The agent finished.' }
    : { status: 'stopped', reason: 'imported', message: 'Imported. The log ends here.' };
  return { kind: 'run.status', body, ...(at === undefined ? {} : { at }) };
}

/** sha256 over the files' hashes: the same files are the same run, whatever their names. */
function fingerprintOf({ files }: GymSource): string {
  const hashes = files.map(({ sha256 }) => sha256).sort();
  return createHash('sha256').update(hashes.join('\n')).digest('hex');
}

function titleOf(path: string, gym: GymRun): string {
  const said = gym.lives[0]?.head.find(({ role }) => role === 'user')?.content ?? '';
  const line = said
    .replace(/<\/?[a-z_]+>/g, '')
    .split('\n')
    .map((each) => each.replace(/^#+\s*/, '').trim())
    .find((each) => each !== '' && each !== 'Motivation');
  return line === undefined ? basename(resolve(path)) : line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function createdBody(
  run: string,
  title: string,
  gym: GymRun,
  built: RunEvents,
  { fingerprint, task }: { fingerprint: string; task: string | null },
): EventBody<'run.created'> {
  const turns = gym.lives.flatMap(({ own }) => own);
  const computers = [...new Set(built.events.flatMap(computerOf))];
  const model = turns.find((turn) => turn.model !== null && turn.model !== '')?.model ?? 'unknown';
  const id = task ?? `researchgym-${fingerprint.slice(0, 12)}`;
  return {
    run,
    title,
    task: { id, title, domain: null, hash: fingerprint },
    spec: { importedFrom: fingerprint },
    model: {
      endpoint: 'imported',
      baseUrl: 'http://imported.invalid/v1',
      model,
      keyRef: null,
      params: {},
      contextTokens: 100_000,
      sendReasoning: false,
    },
    computers: (computers.length === 0 ? ['imported'] : computers).map((name) => ({ name, kind: 'local' })),
    workspaceRoot: '/workspace',
    approvals: 'off',
    taskHint: 'off',
    humanHints: true,
    limits: { maxSteps: Math.max(4_000, built.steps), maxWorkingMs: 48 * 3_600_000, maxEvals: 3 },
    evaluatorIsolated: false,
    experiment: null,
    arm: null,
    group: null,
    sample: null,
    seed: null,
    parent: null,
    ruleSet: 'default',
  };
}

function computerOf(event: DatedEvent): string[] {
  const computer = event.kind === 'action.observed' ? event.body.data.computer : undefined;
  return typeof computer === 'string' && computer !== '' && computer !== 'None' ? [computer] : [];
}

/** What such files never hold, in words. */
function limitsOfTheSource(gym: GymRun): string[] {
  const missing = [
    'Which tools were offered, the bytes of the terminals and the files of the workspace are not in these files.',
    'Arguments are kept there as parsed objects; the text of the model itself is not kept.',
  ];
  const first = gym.lives[0];
  const summarised = /I have also made (\d+) actions/.exec(first?.head.at(-2)?.content ?? '')?.[1];
  return first !== undefined && first.summary === null && summarised !== undefined
    ? [...missing, `The ${summarised} actions before the first step are there as a summary only.`]
    : missing;
}
