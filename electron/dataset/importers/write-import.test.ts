import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatedEvent, RunEvent } from '@shared/log/events';
import { expect, it } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import type { CliContext } from '../../cli/context';
import { cleanCommand, verifyCommand } from '../../cli/dataset-commands';
import { statusWords } from '../../cli/status-words';
import { refuseImport } from '../../runs/drive/load-run';
import type { Engine } from '../../runs/engine';
import type { Store } from '../../store/api';
import { openForReading } from '../../store/file/workspace-file';
import { fillDisk, smallDisk } from '../../testing/small-disk';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { exportDataset } from '../export-dataset';
import { planExport } from '../export-plan';
import { importResearchGym } from './researchgym/import-researchgym';

const node = join(import.meta.dirname, '../../../e2e/fixtures/researchgym/react-node-real-depth70.json');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const once = { title: null, task: null, again: false };
const half = '01K00000000000000000000000';

/** The first events of an import, as a killed process leaves them; its lock is still held. */
async function begun(store: Store, events = 40): Promise<{ release(): void }> {
  const whole = testStore();
  const { run } = await importResearchGym(whole, author, node, once);
  const dated = (await whole.reader.events(run, 1, events)).map(
    ({ kind, body, at }: RunEvent) =>
      ({ kind, body: kind === 'run.created' ? { ...body, run: half } : body, at }) as DatedEvent,
  );
  const lock = store.lockRun(half, true);
  if (lock === null) throw new Error('The run is locked.');
  await store.writer.append(half, lock.epoch, dated);
  return lock;
}

/** Rows and files by which a run is known. */
function tracesOf(folder: string): { runs: number; removed: number; locks: number } {
  const db = openForReading(folder);
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  const traces = { runs: count('run'), removed: count('tombstone'), locks: locksIn(folder) };
  db.close();
  return traces;
}

const locksIn = (folder: string) =>
  readdirSync(join(folder, 'locks')).filter((name) => /^[0-9A-Z]{26}\.db/.test(name)).length;

const contextOf = (store: Store) => {
  const engine: Pick<Engine, 'cleanSessions'> = {
    cleanSessions: async () => ({ closed: 0, folders: [], notReached: [] }),
  };
  return { store, reader: store.reader, author, engine } as unknown as CliContext;
};

it('a broken-off import is shown as such, counts for nothing and is replaced by the next one', async () => {
  const store = testStore();
  (await begun(store)).release();
  const summary = await store.reader.run(half);
  expect(summary.state).toBe('import_broken');
  expect(statusWords(summary)).toBe('import not finished');
  const all = { format: 'slime', undecided: 'train' } as const;
  await expect(planExport(store.reader, all)).rejects.toMatchObject({ code: 'export_empty' });
  const named = { ...all, runs: [half], out: join(temporaryFolder(), 'out') };
  await expect(exportDataset(store.reader, named)).rejects.toThrow('was interrupted');
  expect(() => refuseImport(half, summary.state)).toThrow('was interrupted');
  const verified = await verifyCommand(contextOf(store), parseArguments(['verify']));
  expect(verified).toMatchObject({ exitCode: 1 });
  expect(verified.lines).toEqual([
    expect.stringMatching(`import_unfinished at run ${half}: Its import was not finished`),
    '1 problem found.',
  ]);
  expect((await cleanCommand(contextOf(store))).lines.join('\n')).toContain(`The import of run ${half}`);
  const { run, replaced } = await importResearchGym(store, author, node, once);
  expect(replaced).toEqual([half]);
  expect((await store.reader.runs()).map(({ id }) => id)).toEqual([run]);
  expect((await planExport(store.reader, all)).runs).toHaveLength(1);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

it('what another process imports right now is left alone', async () => {
  const folder = temporaryFolder();
  const lock = await begun(testStore(folder));
  const store = testStore(folder);
  expect((await store.reader.run(half)).state).toBe('importing');
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  for (const again of [false, true]) {
    await expect(importResearchGym(store, author, node, { ...once, again })).rejects.toThrow('right now');
  }
  expect(await store.reader.runs()).toHaveLength(1);
  lock.release();
  expect((await store.reader.run(half)).state).toBe('import_broken');
});

it('steps of an import that is not finished wait for nobody', async () => {
  const store = testStore();
  const lock = await begun(store);
  const target = { run: half, from: 1, to: 5 };
  const batch = '01K00000000000000000000001';
  const looks = async () => {
    expect((await store.reader.queueView(author, half)).total).toBe(0);
    expect(await store.reader.queueNext(author, half, null, 1)).toBeNull();
  };
  await looks();
  await store.writer.annotate(author, target, { op: 'assign', batch, to: author, blind: false, on: true });
  await looks();
  lock.release();
  await looks();
});

it('of two imports of the same files that begin at one moment one is refused and leaves nothing', async () => {
  const folder = temporaryFolder();
  const stores = [testStore(folder), testStore(folder)];
  const done = await Promise.allSettled(stores.map((each) => importResearchGym(each, author, node, once)));
  const failed = done.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(failed).toEqual([expect.objectContaining({ code: 'already_exists' })]);
  for (const store of stores) {
    expect((await store.reader.runs()).map(({ state, steps }) => [state, steps])).toEqual([['stopped', 69]]);
  }
  expect(tracesOf(folder)).toEqual({ runs: 1, removed: 0, locks: 1 });
});

it('an import that another one overtakes looks again before it writes anything', async () => {
  const folder = temporaryFolder();
  const [quick, slow] = [testStore(folder), testStore(folder)];
  const runs = slow.reader.runs.bind(slow.reader);
  const overtaken = (again: boolean) => {
    slow.reader.runs = async () => {
      const found = await runs();
      slow.reader.runs = runs;
      await importResearchGym(quick, author, node, { ...once, again });
      return found;
    };
  };
  overtaken(false);
  const failure = await importResearchGym(slow, author, node, once).catch((thrown: unknown) => thrown);
  expect(String(failure)).toMatch(/imported before.* with --again\.$/);
  expect(tracesOf(folder)).toEqual({ runs: 1, removed: 0, locks: 1 });
  overtaken(true);
  await importResearchGym(slow, author, node, { ...once, again: true });
  expect(tracesOf(folder)).toEqual({ runs: 3, removed: 0, locks: 3 });
  expect((await verifyCommand(contextOf(slow), parseArguments(['verify']))).lines).toEqual([
    'All is well: 3 runs verified.',
  ]);
});

it('labels that somebody gave to what a broken-off import left are not removed unasked', async () => {
  const store = testStore();
  (await begun(store)).release();
  await store.writer.annotate(
    author,
    { run: half, from: 1, to: 1 },
    { op: 'label', value: 'mask', reason: null },
  );
  await expect(importResearchGym(store, author, node, once)).rejects.toThrow(`run remove ${half}`);
  expect(await store.reader.annotations(half)).toHaveLength(1);
});

it('on a full disk the import takes back what it wrote, and says so', async (context) => {
  const disk = smallDisk('size=12m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const store = testStore(join(disk, 'workspace'), { ballastBytes: 1024 * 1024 });
  await store.writer.backup();
  let filler = '';
  const write = store.writer.append.bind(store.writer);
  let batches = 0;
  store.writer.append = async (...args) => {
    batches += 1;
    if (batches === 2) filler = fillDisk(disk);
    return write(...args);
  };
  const failure = await importResearchGym(store, author, node, once).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'disk_full' });
  expect(String(failure)).not.toContain('being driven');
  const [left] = await store.reader.runs();
  if (left === undefined) expect(String(failure)).toContain('nothing was kept');
  else expect(String(failure)).toContain(`stays as run ${left.id}`);
  expect(left?.state ?? 'import_broken').toBe('import_broken');
  rmSync(filler);
  expect(statfsSync(disk).bavail).toBeGreaterThan(0);
});
