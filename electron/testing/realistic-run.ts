import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { noRuleSettings } from '@shared/contract/rules/rule-settings';
import { createdBody } from '@shared/log/event-fixtures';
import type { EventBody } from '@shared/log/events';
import { openWriterPart } from '../store/commands/writer-part';
import { migrations } from '../store/file/migrate';
import { FOLD_VERSION } from '../store/log/run-state';
import { createProjector } from '../store/projections/projector';
import { WORKSPACE } from './realistic-run-hands';
import { annotateRealistically, reviewer } from './realistic-run-labels';
import { ResearchLife } from './realistic-run-life';
import { RunPen } from './realistic-run-pen';
import { Chance, RunTexts } from './realistic-run-texts';
import { StampQueue } from './stamp-queue';

/** Raised when the same seed gives another run: cached workspaces of older versions are left aside. */
const GENERATOR_VERSION = 2;

export type RealisticSize = 'S' | 'M' | 'L';

/**
 * Steps, and the median length of an output (UTF-16 units) that leads to the size: S 500 steps and 5 MB of text, M 10,000 and
 * 100 MB, L 174,500 and 1 GB (some 750,000 events: a step is four and more). Habits end whole, so a few steps more are normal.
 */
const sizes: Record<RealisticSize, { steps: number; median: number }> = {
  S: { steps: 500, median: 21_000 },
  M: { steps: 10_000, median: 19_000 },
  L: { steps: 174_500, median: 6_000 },
};

export interface RealisticOptions {
  /** Where the workspace is put; it must not exist or be empty. The caller removes it. */
  folder: string;
  /** Folder that keeps built workspaces for later; absent: it is built in `folder` every time. */
  cache?: string;
  /** Default 1. The same size, seed and options give the same run, byte for byte, but for the workspace's own identity. */
  seed?: number;
  /** Labels of two people, judges' votes, flags and comments on top of what rules say. Default false. */
  labels?: boolean;
  /** Another number of steps than the size has. */
  steps?: number;
  /** What else is done to it before it is kept, once; only with `cache`. Its name tells it from others of the same run. */
  finish?: { name: string; work: (folder: string) => Promise<void> };
}

export interface RealisticWorkspace {
  folder: string;
  run: string;
  steps: number;
  events: number;
  /** Bytes of thoughts, arguments, observations and file texts. */
  textBytes: number;
}

/**
 * A workspace with one finished research run as it could have been driven here: every event in the shapes and order of the
 * loop, true prompt hashes, summaries with carried steps, three computers, hints, evaluations, file revisions and the mistakes
 * that rules look for; about one text in ten is Chinese. Written through the store's own writer. The search index is not
 * built: whoever opens the workspace does that in the background.
 */
export async function realisticWorkspace(
  size: RealisticSize,
  options: RealisticOptions,
): Promise<RealisticWorkspace> {
  const { cache, folder } = options;
  if (cache === undefined) return build(size, options);
  const key = cacheKey(size, options);
  const kept = join(cache, key.run + key.version);
  if (!existsSync(kept)) {
    mkdirSync(cache, { recursive: true });
    forgetOlder(cache, key);
    const draft = mkdtempSync(join(cache, 'draft-'));
    try {
      await buildKept(size, { ...options, cache, folder: draft });
      publish(draft, kept);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  mkdirSync(dirname(folder), { recursive: true });
  cpSync(kept, folder, { recursive: true });
  return { ...(JSON.parse(readFileSync(join(folder, FACTS), 'utf8')) as RealisticWorkspace), folder };
}

/** What is done on top is done to a copy of the kept run without it. */
async function buildKept(
  size: RealisticSize,
  { finish, ...options }: RealisticOptions & { cache: string },
): Promise<void> {
  if (finish === undefined) {
    await build(size, options);
    return;
  }
  await realisticWorkspace(size, options);
  await finish.work(options.folder);
}

const FACTS = 'realistic.json';

/** Another process may have built the same one meanwhile. */
function publish(draft: string, kept: string): void {
  try {
    renameSync(draft, kept);
  } catch (thrown) {
    if (!existsSync(kept)) throw thrown;
  }
}

/** Everything that decides what is stored: which run it is, and by which code. */
function cacheKey(
  size: RealisticSize,
  { seed = 1, labels = false, steps, finish }: RealisticOptions,
): { run: string; version: string } {
  const rules = createProjector().inForce({}, noRuleSettings).version;
  const parts = [GENERATOR_VERSION, FOLD_VERSION, rules, migrations.map(({ sql }) => sql)];
  const version = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
  return {
    run: `${size}-${steps ?? sizes[size].steps}-${seed}${labels ? '-labels' : ''}${finish === undefined ? '' : `-${finish.name}`}-`,
    version,
  };
}

/** The same run as older code wrote it: up to a gigabyte that nobody asks for any more. */
function forgetOlder(cache: string, key: { run: string; version: string }): void {
  for (const name of readdirSync(cache)) {
    if (name.startsWith(key.run) && name.length === key.run.length + key.version.length) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
}

/** Steps in one append. */
const BATCH_STEPS = 200;
const STARTED = Date.UTC(2026, 2, 1, 8);

async function build(size: RealisticSize, options: RealisticOptions): Promise<RealisticWorkspace> {
  const { folder, seed = 1, labels = false } = options;
  const { median } = sizes[size];
  const wanted = options.steps ?? sizes[size].steps;
  const chance = new Chance(seed);
  const texts = new RunTexts(chance);
  const clock = new StampQueue(STARTED);
  const writer = openWriterPart({
    folder,
    now: () => clock.next(),
    projector: createProjector(),
    ballastBytes: 0,
    notify: () => undefined,
    device: chance.ulid(STARTED),
  });
  const { db } = writer.statements;
  // Nobody reads it before it is whole: what a power cut leaves is built again.
  db.pragma('synchronous = OFF');
  const run = chance.ulid(STARTED);
  const pen = new RunPen(texts, STARTED);
  const life = new ResearchLife(pen, texts, median);
  const main = chance.ulid(STARTED);
  let events = 0;
  const store = async () => {
    const printed = pen.takePrinted();
    if (printed.bytes.length > 0) {
      const stamp = { receivedAt: pen.at, hostAt: null };
      await writer.sessionBytes(run, 1, main, { ...printed, ...stamp });
    }
    // Many steps in one append, each with its own time: a commit of its own for each would be a third of the minutes.
    const dated = pen.take().flatMap(({ at, events }) => events.map((event) => ({ ...event, at })));
    events += dated.length;
    if (dated.length > 0) await writer.append(run, 1, dated);
  };
  try {
    begin(pen, run, main);
    await store();
    life.begin();
    while (pen.step < wanted - 1) {
      const until = Math.min(wanted - 1, pen.step + BATCH_STEPS);
      while (pen.step < until) life.live();
      await store();
      if (pen.hearsHints && chance.is(0.6)) {
        const hint = { id: chance.ulid(pen.at), text: chance.is(0.2) ? texts.chinese(80) : texts.prose(160) };
        const op = {
          op: 'hint.queued' as const,
          hint: hint.id,
          text: hint.text,
          category: 'strategy' as const,
        };
        clock.add(pen.at);
        await writer.post(run, reviewer, op, chance.ulid(pen.at));
        pen.deliver(hint);
      }
    }
    finish(pen, texts);
    await store();
    if (labels)
      await annotateRealistically(writer.annotations, { run, steps: pen.step, chance, clock, at: pen.at });
    // Closing copies the log into the file, and syncs both.
    db.pragma('synchronous = FULL');
  } finally {
    await writer.close();
  }
  const facts = { folder, run, steps: pen.step, events, textBytes: pen.bytes };
  writeFileSync(join(folder, FACTS), JSON.stringify(facts));
  return facts;
}

function begin(pen: RunPen, run: string, main: string): void {
  pen.add({ kind: 'run.created', body: created(run) });
  pen.add({
    kind: 'driver.started',
    body: { epoch: 1, pid: 1, host: 'bench-host', app: '0.0.0', runtime: 'node', reason: 'start' },
  });
  pen.add({ kind: 'run.status', body: { status: 'running', reason: null, message: 'Started' } });
  pen.add({
    kind: 'session.opened',
    body: { computer: 'local', session: 'main', uid: main, rows: 40, cols: 120 },
  });
  pen.startSegment([
    { role: 'system', content: 'You are a research agent. You work alone and write down what you find.' },
    {
      role: 'user',
      content: 'Filter the corpus so that the model trained on it scores best on the hidden split.',
    },
  ]);
  pen.flush();
}

function finish(pen: RunPen, texts: RunTexts): void {
  const call = { name: 'finish', args: { summary_content: texts.prose(400) }, text: 'The run is over.' };
  pen.answer(texts.thought(300), [call]);
  pen.add({ kind: 'run.status', body: { status: 'finished', reason: 'finish', message: 'Finished' } });
  pen.flush();
}

function created(run: string): EventBody<'run.created'> {
  return createdBody(run, {
    title: 'A long research run',
    task: { id: 'corpus-filter', title: 'Corpus filter', domain: 'data', hash: 'a'.repeat(64) },
    model: { model: 'glm-long', contextTokens: 200_000 },
    computers: [
      { name: 'local', kind: 'local' },
      { name: 'gpu-1', kind: 'ssh', host: 'gpu-1' },
      { name: 'cpu-1', kind: 'ssh', host: 'cpu-1' },
    ],
    workspaceRoot: WORKSPACE,
    limits: { maxSteps: 1_000_000, maxWorkingMs: 1_000_000_000, maxEvals: 10_000 },
  });
}
