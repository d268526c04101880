import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Author, judgeAuthor } from '@shared/log/annotations';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { CHAIN_START, chainHash } from '../log/hashing';

async function runOf(store: Store, steps: number): Promise<RunWriter> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await more(writer, steps);
  return writer;
}

async function more(writer: RunWriter, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await writer.command('ls', 'out', { exitCode: 0 });
  }
}

/** A workspace with one run, and a real copy of its folder beside it. */
async function twoCopies(steps: number) {
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  const first = testStore(here);
  const { run } = await runOf(first, steps);
  await first.drain();
  await first.close();
  cpSync(here, there, { recursive: true });
  return { here, there, run, mine: testStore(here), theirs: testStore(there) };
}

async function label(
  store: Store,
  run: string,
  author: Author,
  from: number,
  value: 'train' | 'mask' | 'clear',
  to = from,
) {
  return store.writer.annotate(author, { run, from, to }, { op: 'label', value, reason: null });
}

const labels = async (store: Store, run: string) =>
  (await store.reader.heads(run, 1, 100)).map(({ label: { value }, by }) =>
    `${value} ${by.join('+')}`.trim(),
  );

async function expectSound(store: Store): Promise<void> {
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

test('two copies of a folder are two devices; their logs come together whichever way, and merging again adds nothing', async () => {
  const { here, there, run, mine, theirs } = await twoCopies(6);
  const one = await label(mine, run, alice, 1, 'train', 3);
  const two = await label(theirs, run, bob, 2, 'mask', 4);
  expect(one.device).not.toBe(two.device);
  await label(theirs, run, bob, 3, 'train');
  await theirs.writer.annotate(
    bob,
    {
      run,
      from: 1,
      to: 6,
      parts: [
        { from: 1, to: 1 },
        { from: 5, to: 6 },
      ],
    },
    { op: 'label', value: 'train', reason: null },
  );
  await theirs.writer.annotate(
    judgeAuthor('One'),
    { run, from: 6, to: 6 },
    {
      op: 'judge',
      value: 'mask',
      confidence: 0.5,
      reason: 'J3',
      why: 'w',
      steps: [],
      rubric: '1',
    },
  );
  const undone = await label(theirs, run, bob, 4, 'train');
  expect(await theirs.writer.undo(run, bob)).toMatchObject({ undid: { ulid: undone.ulid } });

  // The other one stays open and in use.
  const report = await mine.writer.merge(there);
  expect(report).toMatchObject({ added: 6, known: 0, people: ['Bob', 'One'], runs: [run], disagreements: 1 });
  expect(await labels(mine, run)).toEqual([
    ...['train Alice+Bob', 'null Alice+Bob', 'train Alice+Bob', 'mask Bob', 'train Bob', 'train Bob'],
  ]);
  expect((await mine.reader.heads(run, 6, 6))[0]).toMatchObject({
    judge: { value: 'mask', confidence: 0.5, differ: false },
    decided: [bob.uuid],
    marks: [],
  });
  expect((await mine.reader.heads(run, 2, 2))[0]?.marks).toEqual(['disagreement', 'humans_differ']);
  expect(await mine.writer.merge(there)).toMatchObject({ added: 0, known: 6, disagreements: 0 });
  expect(await theirs.writer.merge(here)).toMatchObject({ added: 1, known: 6, people: ['Alice'] });
  expect(await theirs.reader.heads(run, 1, 6)).toEqual(await mine.reader.heads(run, 1, 6));
  await expectSound(mine);
  await expectSound(theirs);

  // Undo stays the person's own, here and after the merge.
  expect(await mine.writer.undo(run, alice)).toMatchObject({ undid: { ulid: one.ulid } });
  expect(await mine.writer.undo(run, bob)).toBeNull();
});

test('an exported file says the same as the folder, and a damaged or shortened one gives nothing', async () => {
  const { there, run, mine, theirs } = await twoCopies(4);
  await label(theirs, run, bob, 1, 'mask');
  await label(theirs, run, bob, 2, 'train', 4);
  const file = join(temporaryFolder(), 'labels.jsonl');
  expect(await theirs.reader.exportAnnotations(file)).toBe(2);
  const text = readFileSync(file, 'utf8');
  const refused = async (changed: string, message: string | RegExp) => {
    writeFileSync(file, changed);
    await expect(mine.writer.merge(file)).rejects.toThrow(message);
    expect(await mine.reader.annotations(run)).toEqual([]);
  };
  await refused(text.replace('\\"mask\\"', '\\"train\\"'), 'was changed after it was stored');
  await refused(text.split('\n').slice(0, 2).join('\n'), 'ends early');
  const lines = text.split('\n');
  const without = [lines[0], lines[2], '{"entries":1}', ''].join('\n');
  await refused(without, 'comes after number 0');
  await refused('{}', 'was not made by');
  await refused(text.replace('"version":1', '"version":2'), 'newer');
  await refused([lines[0], 'nonsense', '{"entries":1}'].join('\n'), 'Line 2');
  writeFileSync(file, text);
  expect(await mine.writer.merge(file)).toMatchObject({ added: 2, people: ['Bob'] });
  expect(await mine.writer.merge(there)).toMatchObject({ added: 0, known: 2 });
  await expectSound(mine);
});

test('one device with other content under the same number is refused by name, and nothing is taken', async () => {
  const { there, run, mine, theirs } = await twoCopies(3);
  const entry = await label(theirs, run, bob, 1, 'mask');
  await mine.writer.merge(there);
  // As after an older state of the folder was put back: the log goes on from there, and its chain is sound.
  const other = { ...entry, body: { op: 'label', value: 'train', reason: null } };
  const next = { ...entry, ulid: ulid(), deviceSeq: 2 };
  const file = join(temporaryFolder(), 'labels.jsonl');
  writeFileSync(file, logFile([other, next]));
  const failure = mine.writer.merge(file);
  await expect(failure).rejects.toMatchObject({ code: 'conflict' });
  await expect(failure).rejects.toThrow(`Entry 1 of device ${entry.device}`);
  expect(await mine.reader.annotations(run)).toEqual([entry]);
  // Also when it says something this application does not know.
  writeFileSync(file, logFile([{ ...next, device: 'newer', deviceSeq: 1, body: { op: 'praise' } }]));
  await expect(mine.writer.merge(file)).rejects.toMatchObject({ code: 'unsupported' });
});

function logFile(entries: readonly unknown[]): string {
  let hash = CHAIN_START;
  const lines = entries.map((entry) => {
    const body = JSON.stringify(entry);
    hash = chainHash(hash, body);
    return JSON.stringify({ hash: hash.toString('hex'), body });
  });
  const header = JSON.stringify({ format: 'waymark-annotations', version: 1 });
  return [header, ...lines, JSON.stringify({ entries: entries.length })].join('\n');
}

test('what is about runs or steps that are not here is kept aside until they come, also across a restart', async () => {
  const folder = temporaryFolder();
  const [there, copy] = [temporaryFolder(), temporaryFolder()];
  const theirs = testStore(there);
  const writer = await runOf(theirs, 2);
  const { run } = writer;
  await theirs.drain();
  await theirs.close();
  cpSync(there, copy, { recursive: true });
  const grown = testStore(there);
  const events = await grown.reader.events(run, 1, 100);
  await label(grown, run, bob, 1, 'mask');
  await label(grown, run, bob, 2, 'train');
  const mine = testStore(folder);
  const report = await mine.writer.merge(there);
  expect(report).toMatchObject({ added: 0, kept: { entries: 2, runs: [run] }, people: ['Bob'], runs: [] });
  expect(await mine.writer.merge(there)).toMatchObject({ added: 0, known: 2, kept: { entries: 0 } });
  // Verified, copied and handed on like the others.
  await expectSound(mine);
  await mine.writer.backup();
  const file = join(temporaryFolder(), 'labels.jsonl');
  expect(await mine.reader.exportAnnotations(file)).toBe(2);
  const third = testStore(copy);
  expect(await third.writer.merge(file)).toMatchObject({ added: 2, kept: { entries: 0 } });
  await mine.close();

  const again = testStore(folder);
  const answered = events.findIndex(
    ({ kind, body }) => kind === 'model.requested' && 'step' in body && body.step === 2,
  );
  const news = (list: typeof events) => list.map(({ kind, body }) => ({ kind, body }) as never);
  await again.writer.append(run, 1, news(events.slice(0, answered)));
  await again.drain();
  expect(await labels(again, run)).toEqual(['mask Bob']);
  await again.writer.append(run, 1, news(events.slice(answered)));
  await again.drain();
  expect(await labels(again, run)).toEqual(['mask Bob', 'train Bob']);
  await expectSound(again);
});

test('what another process kept aside is taken in by the one that drives the run to those steps', async () => {
  const { here, there, run, mine, theirs } = await twoCopies(2);
  const grown = new RunWriter(theirs, run);
  grown.step = 2;
  await more(grown, 1);
  await label(theirs, run, bob, 3, 'mask');
  const other = testStore(here);
  expect(await other.writer.merge(there)).toMatchObject({ added: 0, kept: { entries: 1 } });
  const driver = new RunWriter(mine, run);
  driver.step = 2;
  await more(driver, 1);
  await mine.drain();
  expect(await labels(mine, run)).toEqual(['null', 'null', 'mask Bob']);
});

test('entries about a run that was removed here stay away, and their places in the chain do not', async () => {
  const { there, run, mine, theirs } = await twoCopies(2);
  await label(theirs, run, bob, 1, 'mask');
  await mine.writer.remove(run, 'run', alice);
  const other = await runOf(theirs, 1);
  await label(theirs, other.run, bob, 1, 'train');
  expect(await mine.writer.merge(there)).toMatchObject({ added: 1, kept: { entries: 1, runs: [other.run] } });
  await expectSound(mine);
  expect(await mine.writer.merge(there)).toMatchObject({ added: 0, known: 2 });
  const file = join(temporaryFolder(), 'labels.jsonl');
  await mine.reader.exportAnnotations(file);
  expect(readFileSync(file, 'utf8')).toContain('"purged":true');
  const third = testStore();
  expect(await third.writer.merge(file)).toMatchObject({ added: 0, kept: { entries: 2 } });
  await expectSound(third);
});

test('a folder that was moved goes on; its own name, a stranger and nothing at all are refused', async () => {
  const { here, there, run, mine, theirs } = await twoCopies(2);
  const before = await label(theirs, run, bob, 1, 'mask');
  await theirs.close();
  const moved = `${there}-moved`;
  renameSync(there, moved);
  const back = testStore(moved);
  expect(await back.writer.undo(run, bob)).toMatchObject({ undid: { ulid: before.ulid } });
  await expect(mine.writer.merge(here)).rejects.toThrow('is the workspace that is open');
  await expect(mine.writer.merge(join(here, 'none'))).rejects.toMatchObject({ code: 'not_found' });
  await expect(mine.writer.merge(temporaryFolder())).rejects.toThrow('is not a Waymark workspace');
  await back.close();
  renameSync(moved, there);
});

async function busyCopies() {
  const copies = await twoCopies(40);
  for (let step = 1; step <= 40; step += 1) {
    await label(copies.theirs, copies.run, bob, step, step % 2 === 0 ? 'mask' : 'train');
  }
  return copies;
}

test('two merges of one log at once: both succeed, and every entry is taken once', async () => {
  const { here, there, run, mine } = await busyCopies();
  const other = testStore(here);
  for (const [one, two] of [
    [mine, mine],
    [mine, other],
  ] as const) {
    const reports = await Promise.all([one.writer.merge(there), two.writer.merge(there)]);
    const added = reports.map((report) => report.added);
    expect(added.reduce((sum, each) => sum + each)).toBe(one === two ? 40 : 0);
    for (const { added: taken, known } of reports) expect(taken + known).toBe(40);
  }
  expect((await mine.reader.annotations(run)).length).toBe(40);
  await expectSound(mine);
});

test('two processes that merge one log at once take every entry once between them', async () => {
  const { here, there, run, mine } = await busyCopies();
  const other = testStore(here);
  const reports = await Promise.all([mine, other].map((store) => store.writer.merge(there)));
  expect(reports.map(({ added, known }) => added + known)).toEqual([40, 40]);
  expect(reports.reduce((sum, { added }) => sum + added, 0)).toBe(40);
  expect((await mine.reader.annotations(run)).length).toBe(40);
  await expectSound(other);
});

test('merges of two logs that share entries come together at once', async () => {
  const { here, there, run, mine, theirs } = await busyCopies();
  const third = join(temporaryFolder(), 'third');
  await theirs.close();
  cpSync(there, third, { recursive: true });
  const more = testStore(third);
  await label(more, run, alice, 3, 'mask');
  await more.drain();
  const other = testStore(here);
  await Promise.all([mine.writer.merge(there), other.writer.merge(third), mine.writer.merge(third)]);
  expect((await mine.reader.annotations(run)).length).toBe(41);
  await expectSound(mine);
});

test('a backup is merged like the workspace it is of; a damaged one gives nothing', async () => {
  const { here, run, mine, theirs } = await busyCopies();
  const backup = await theirs.writer.backup();
  expect(await mine.writer.merge(backup)).toMatchObject({ added: 40, people: ['Bob'], runs: [run] });
  expect(await mine.writer.merge(backup)).toMatchObject({ added: 0, known: 40 });
  await expectSound(mine);
  const bytes = readFileSync(backup);
  const spoiled = join(here, 'spoiled.db');
  writeFileSync(spoiled, bytes.subarray(0, bytes.length - 4096));
  await expect(mine.writer.merge(spoiled)).rejects.toMatchObject({ code: 'workspace_corrupt' });
  await expect(mine.writer.merge(join(here, 'workspace.db'))).rejects.toMatchObject({ code: 'bad_input' });
});
