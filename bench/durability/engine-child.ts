import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoHint } from '../../electron/demo/demo';
import { startDemoRun } from '../../electron/demo/start-demo-run';
import { openWorkbench } from '../../electron/open-workbench';
import { SettingsFile } from '../../electron/settings-file';
import type { Workbench } from '../../electron/workbench';
import { author } from '../engine/run-events';
import { acknowledge } from './acknowledgement';

/** States of a run that nobody takes up again. */
export const ended: ReadonlySet<string> = new Set(['finished', 'stopped', 'failed']);
/** Between two hints and labels, ms. */
const PACE_MS = 25;

/** The application's engine on a folder, without a window. */
export async function openEngine(folder: string): Promise<Workbench> {
  return openWorkbench(join(folder, 'workspace'), {
    data: join(folder, 'settings'),
    settings: await SettingsFile.open(join(folder, 'settings')),
    findKey: () => null,
    resourcesDir: join(process.cwd(), 'resources'),
    log: { info: () => undefined, error: (message) => process.stderr.write(`  engine: ${message}\n`) },
    demoPaceMs: 0,
  });
}

/** `FOLDER`: drives demo runs, hints and labels them without an end, and says what was acknowledged. */
export async function driveUntilKilled([folder = '']: readonly string[]): Promise<void> {
  const bench = await openEngine(folder);
  bench.store.subscribe((notice) => {
    if (notice.kind === 'run') acknowledge({ kind: 'events', run: notice.run, seq: notice.seq });
    if (notice.kind === 'session')
      acknowledge({ kind: 'bytes', run: notice.run, uid: notice.uid, end: notice.endOffset });
  });
  for (;;) {
    const run = await openRun(bench);
    await Promise.all([bench.engine.waitRun(run), interfere(bench, run)]);
  }
}

/** The run an earlier process was killed in, else a new one. */
async function openRun(bench: Workbench): Promise<string> {
  const open = (await bench.store.reader.runs()).find(({ state }) => !ended.has(state));
  if (open === undefined)
    return startDemoRun(bench, { author, resourcesDir: join(process.cwd(), 'resources') });
  await bench.engine.resumeRun(open.id);
  return open.id;
}

async function interfere({ engine, store }: Workbench, run: string): Promise<void> {
  for (let turn = 0; engine.drivenRuns().includes(run); turn += 1) {
    const { steps } = await store.reader.run(run);
    if (steps > 0) {
      const at = 1 + (turn % steps);
      const value = turn % 2 === 0 ? 'train' : 'mask';
      const entry = await store.writer.annotate(
        author,
        { run, from: at, to: at },
        { op: 'label', value, reason: null },
      );
      acknowledge({ kind: 'annotation', ulid: entry.ulid });
    }
    // A hint just before the end may find the run over: then it is refused, not acknowledged.
    const hint = turn % 8 === 0 ? await engine.hint(run, author, demoHint, 'strategy').catch(refused) : null;
    if (hint !== null) acknowledge({ kind: 'hint', run, hint });
    await sleep(PACE_MS);
  }
}

function refused(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'run_ended') return null;
  throw error;
}
