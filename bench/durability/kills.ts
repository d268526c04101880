import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VerifyReport } from '@shared/contract/views';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { childCommand, finished, start } from '../child-process';
import { Material } from '../engine/material';
import { type BenchOptions, type Figure, figure, shorten, size } from '../harness';
import { cores, inLanes, share } from '../lanes';
import { type Acknowledgement, parseAcknowledgements } from './acknowledgement';
import { ended, openEngine } from './engine-child';
import { disorder } from './order';

/** The kill comes at a random moment up to this long after the first acknowledgement, ms. */
const LONGEST_LIFE_MS = 2_500;

/** Workspaces whose processes are killed beside one another; most of a kill's time is waiting for the disk. */
const WORKSPACES = 2 * cores;

/** What the kills of one workspace found. */
interface KillLane {
  lost: string[];
  disordered: string[];
  steps: number;
  slowestOpenMs: number;
  acknowledged: Record<Acknowledgement['kind'], number>;
}

/** Kills processes that drive, hint and label demo runs, again and again, and looks after each kill. */
export async function kills(options: BenchOptions): Promise<Figure[]> {
  const count = size(options, 40, 1_000, 2);
  const workspaces = Math.min(WORKSPACES, count);
  const folders = Array.from({ length: workspaces }, (_, lane) => join(options.folder, `killed-${lane}`));
  for (const folder of folders) mkdirSync(folder);
  const dealt = folders.map((folder, lane) => [
    folder,
    ...[share(count, lane, workspaces), lane].map(String),
  ]);
  const lanes = await inLanes<KillLane>('kills', dealt);
  const lost = lanes.flatMap((lane) => lane.lost);
  const disordered = lanes.flatMap((lane) => lane.disordered);
  for (const line of [...lost.slice(0, 10), ...disordered.slice(0, 10)]) options.say(line);
  const sum = (of: (lane: KillLane) => number) => lanes.reduce((total, lane) => total + of(lane), 0);
  const counted = (kind: Acknowledgement['kind']) => sum(({ acknowledged }) => acknowledged[kind]);
  const slowest = Math.max(...lanes.map(({ slowestOpenMs }) => slowestOpenMs));
  return [
    figure(
      'durability-kills',
      lost.length,
      'lost',
      { is: '≤', value: 0 },
      {
        detail: `${count} kills in ${workspaces} workspaces, ${sum(({ steps }) => steps)} steps, acknowledged: ${counted('events')} appends, ${counted('annotation')} labels, ${counted('hint')} hints, ${counted('bytes')} session writes; slowest reopening ${shorten(slowest)} ms`,
      },
    ),
    figure(
      'crash-order',
      disordered.length,
      'doubled or out of order',
      { is: '≤', value: 0 },
      { detail: `after each of ${count} kills: every event, call and hint once and in order` },
    ),
  ];
}

/** `FOLDER COUNT LANE`: the kills of one workspace. Prints a `KillLane`. */
export async function killInLane([folder = '', count = '', lane = '']: readonly string[]): Promise<void> {
  const chance = new Material(9 + Number(lane));
  const seen: Acknowledgement[] = [];
  const lost: string[] = [];
  const disordered: string[] = [];
  let slowestOpenMs = 0;
  for (let kill = 1; kill <= Number(count); kill += 1) {
    const name = `kill ${kill} of workspace ${lane}`;
    seen.push(...(await liveAndDie(folder, chance.whole(LONGEST_LIFE_MS))));
    const before = performance.now();
    const store = openStoreInProcess(join(folder, 'workspace'));
    await store.reader.runs();
    slowestOpenMs = Math.max(slowestOpenMs, performance.now() - before);
    try {
      lost.push(...(await missing(store, seen)).map((what) => `${name}: ${what}`));
      disordered.push(...(await disorder(store.reader)).map((what) => `${name}: ${what}`));
    } finally {
      await store.close();
    }
  }
  const { steps, lost: atLast } = await finish(folder);
  lost.push(...atLast.map((what) => `workspace ${lane} at last: ${what}`));
  const acknowledged = { events: 0, outbox: 0, hint: 0, annotation: 0, bytes: 0 };
  for (const { kind } of seen) acknowledged[kind] += 1;
  const found: KillLane = { lost, disordered, steps, slowestOpenMs, acknowledged };
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

async function liveAndDie(folder: string, lifeMs: number): Promise<Acknowledgement[]> {
  const child = start(childCommand('engine', [folder]));
  const end = finished(child);
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), lifeMs));
  const { code, signal, out } = await end;
  if (signal !== 'SIGKILL') throw new Error(`The engine ended by itself (${code ?? signal}).`);
  return parseAcknowledgements(out);
}

type OpenStore = ReturnType<typeof openStoreInProcess>;

async function missing(store: OpenStore, seen: readonly Acknowledgement[]): Promise<string[]> {
  await store.drain();
  const { reader } = store;
  const lost: string[] = [];
  const report = await reader.verify();
  const open = new Set((await reader.runs()).filter(({ state }) => !ended.has(state)).map(({ id }) => id));
  lost.push(...problemsOf(report, open));
  const runs = new Map(report.runs.map(({ id, events }) => [id, events]));
  const ids = [...runs.keys()];
  const hints = new Set(
    (await Promise.all(ids.map((id) => reader.hints(id)))).flatMap((all) => all.hints.map(({ id }) => id)),
  );
  const labels = new Set(
    (await Promise.all(ids.map((id) => reader.annotations(id)))).flat().map(({ ulid }) => ulid),
  );
  const ends = new Map(
    (await Promise.all(ids.map((id) => reader.sessions(id))))
      .flat()
      .map(({ uid, endOffset }) => [uid, endOffset]),
  );
  for (const done of seen) {
    const there =
      (done.kind === 'events' && (runs.get(done.run) ?? 0) >= done.seq) ||
      (done.kind === 'hint' && hints.has(done.hint)) ||
      (done.kind === 'annotation' && labels.has(done.ulid)) ||
      (done.kind === 'bytes' && (ends.get(done.uid) ?? 0) >= done.end);
    if (!there) lost.push(JSON.stringify(done));
  }
  return lost;
}

/**
 * What `verify` found. Output that a killed driver had not fetched is on the session's computer until the run is
 * resumed: in the runs of `open` that is no loss.
 */
function problemsOf(report: VerifyReport, open: ReadonlySet<string>): string[] {
  const found = report.runs.flatMap(({ id, problems }) =>
    problems.filter(({ what }) => what !== 'session_short' || !open.has(id)),
  );
  return [...report.workspace, ...found].map((problem) => `verify: ${JSON.stringify(problem)}`);
}

/**
 * Takes up the run that was killed last until it ends, when everything must be stored, and closes the sessions, which
 * outlive the killed processes. Returns the steps of all runs.
 */
async function finish(folder: string): Promise<{ steps: number; lost: string[] }> {
  const { engine, store, close } = await openEngine(folder);
  try {
    const before = await store.reader.runs();
    for (const { id } of before.filter(({ state }) => !ended.has(state))) {
      await engine.resumeRun(id);
      await engine.waitRun(id);
    }
    await store.drain();
    const lost = problemsOf(await store.reader.verify(), new Set());
    const after = await store.reader.runs();
    const open = after
      .filter(({ state }) => !ended.has(state))
      .map(({ id, state }) => `run ${id} is ${state}`);
    await engine.cleanSessions(new Set());
    return { steps: after.reduce((sum, { steps }) => sum + steps, 0), lost: [...lost, ...open] };
  } finally {
    await close();
  }
}
