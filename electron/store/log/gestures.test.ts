import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { AnnotationOp, Author } from '@shared/log/annotations';
import { spentIn } from '@shared/log/event-fixtures';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, bob, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';

/** A run of four steps, and a branch of it after step 2 with steps 3 and 4 of its own. */
async function family(store: Store): Promise<{ parent: string; branch: string }> {
  const first = new RunWriter(store, await createRun(store));
  await first.start();
  for (let step = 1; step <= 4; step += 1) await first.command('true', '');
  const run = ulid();
  const parent = { run: first.run, step: 2 };
  await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), parent } }]);
  const writer = new RunWriter(store, run);
  await writer.start();
  const began = {
    parent,
    checkpoint: null,
    spent: spentIn(2),
    dropped: [],
    added: [],
    message: '',
  };
  await writer.record([{ kind: 'branch.began', body: began }]);
  writer.step = 2;
  for (let step = 3; step <= 4; step += 1) await writer.command('true', '');
  return { parent: first.run, branch: run };
}

const values = async (store: Store, run: string) =>
  (await store.reader.heads(run, 1, 10)).map(({ label }) => label.value ?? '-').join(' ');
const label = (store: Store, run: string, from: number, to = from, value: 'train' | 'mask' = 'mask') =>
  store.writer.annotate(alice, { run, from, to }, { op: 'label', value, reason: null });
const reason = (store: Store, run: string, from: number, to: number) =>
  store.writer.annotate(alice, { run, from, to }, { op: 'label', value: 'mask', reason: 'blind-edit' });

async function expectSound(store: Store): Promise<void> {
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  const problems = [...workspace, ...runs.flatMap((run) => run.problems)];
  expect(problems.filter(({ what }) => what !== 'prompt')).toEqual([]);
}

test('a range over a branch point is written and undone as one, from either run, and after a restart', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { parent, branch } = await family(store);
  await label(store, branch, 1, 4);
  expect([await values(store, parent), await values(store, branch)]).toEqual([
    'mask mask - -',
    'mask mask mask mask',
  ]);
  const undone = await store.writer.undo(branch, alice);
  expect(undone?.unit.map(({ target }) => [target.run, target.from, target.to])).toEqual([
    [parent, 1, 2],
    [branch, 3, 4],
  ]);
  expect([await values(store, parent), await values(store, branch)]).toEqual(['- - - -', '- - - -']);
  await store.close();

  const again = testStore(folder);
  expect(await again.writer.undo(branch, alice)).toBeNull();
  expect((await again.writer.redo(branch, alice))?.unit).toHaveLength(2);
  expect(await values(again, branch)).toBe('mask mask mask mask');
  // Half of it shows in the parent; undo there takes the whole.
  expect((await again.writer.undo(parent, alice))?.unit).toHaveLength(2);
  expect(await values(again, branch)).toBe('- - - -');
  expect((await again.writer.redo(branch, alice))?.unit).toHaveLength(2);
  expect(await values(again, parent)).toBe('mask mask - -');
  await expectSound(again);
});

test('a gesture is stored whole or not at all', async () => {
  const store = testStore();
  const { parent, branch } = await family(store);
  await label(store, branch, 1, 4);
  const entries = [...(await store.reader.annotations(parent)), ...(await store.reader.annotations(branch))];
  const lead = entries.at(-1)?.ulid;
  expect(entries.map(({ gesture }) => gesture)).toEqual([
    { id: lead, run: branch },
    { id: lead, run: branch },
  ]);
  // Asked for again under the same id, nothing is stored twice.
  const op: AnnotationOp = { op: 'label', value: 'train', reason: null };
  const id = ulid();
  const twice = [1, 2].map(() => store.writer.annotate(alice, { run: branch, from: 2, to: 3 }, op, id));
  expect((await Promise.all(twice)).map((entry) => entry.ulid)).toEqual([id, id]);
  expect(await store.reader.annotations(parent)).toHaveLength(2);
  expect(await store.reader.annotations(branch)).toHaveLength(2);
});

test('undo in a branch follows what was decided there about inherited steps, also after a restart', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { parent, branch } = await family(store);
  await label(store, parent, 4);
  await label(store, branch, 3);
  await label(store, branch, 1);
  await label(store, parent, 2);
  await store.close();
  const again = testStore(folder);
  const undo = async () => (await again.writer.undo(branch, alice))?.undid.target;
  expect(await undo()).toMatchObject({ run: parent, from: 1 });
  expect(await undo()).toMatchObject({ run: branch, from: 3 });
  expect(await undo()).toBeUndefined();
  expect(await values(again, parent)).toBe('- mask - mask');
  expect((await again.writer.redo(branch, alice))?.redid.target).toMatchObject({ run: branch, from: 3 });
  expect((await again.writer.redo(branch, alice))?.redid.target).toMatchObject({ run: parent, from: 1 });
  expect(await values(again, branch)).toBe('mask mask mask -');
  await expectSound(again);
});

test('a decision and its reason are one undo, also over a branch point and after a restart', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { parent, branch } = await family(store);
  await label(store, branch, 1, 4, 'train');
  await label(store, branch, 1, 4);
  await reason(store, branch, 1, 4);
  await store.close();
  const again = testStore(folder);
  expect((await again.writer.undo(branch, alice))?.unit).toHaveLength(4);
  expect(await values(again, branch)).toBe('train train train train');
  const back = await again.writer.redo(branch, alice);
  expect(back?.unit).toHaveLength(4);
  expect(back?.redid.body).toMatchObject({ reason: 'blind-edit' });
  const { humans } = (await again.reader.step(parent, 1)).labels;
  expect(humans).toMatchObject([{ value: 'mask', reason: 'blind-edit' }]);
  await again.writer.undo(branch, alice);
  await again.writer.undo(branch, alice);
  expect(await values(again, branch)).toBe('- - - -');
  // A reason for other steps than the decision is a decision of its own.
  await label(again, branch, 1, 3);
  await reason(again, branch, 1, 4);
  expect((await again.writer.undo(branch, alice))?.unit).toHaveLength(2);
  expect(await values(again, branch)).toBe('mask mask mask -');
  await expectSound(again);
});

test('undo after handing out steps takes the last label; the assignment stays', async () => {
  const store = testStore();
  const { branch } = await family(store);
  const to = { uuid: bob.uuid, name: bob.name };
  const assign = { op: 'assign', batch: ulid(), to, blind: false, on: true } as const;
  await label(store, branch, 3);
  await label(store, branch, 4);
  await store.writer.undo(branch, alice);
  await store.writer.annotate(alice, { run: branch, from: 3, to: 4 }, assign);
  expect(await store.reader.assignedSteps(branch)).toEqual([{ from: 3, to: 4 }]);
  expect((await store.writer.redo(branch, alice))?.redid.target).toMatchObject({ from: 4 });
  expect((await store.writer.undo(branch, alice))?.undid.body.op).toBe('label');
  expect((await store.writer.undo(branch, alice))?.undid.body.op).toBe('label');
  expect(await store.writer.undo(branch, alice)).toBeNull();
  expect(await store.reader.assignedSteps(branch)).toEqual([{ from: 3, to: 4 }]);
});

test('an entry named by its id is undone with its gesture, whatever came after it', async () => {
  const store = testStore();
  const { parent, branch } = await family(store);
  const wide = await label(store, branch, 2, 3);
  await label(store, branch, 4);
  const undo = (author: Author) => store.writer.undo(branch, author, wide.ulid);
  expect(await undo(bob)).toBeNull();
  expect((await undo(alice))?.unit).toHaveLength(2);
  expect(await undo(alice)).toBeNull();
  expect([await values(store, parent), await values(store, branch)]).toEqual(['- - - -', '- - - mask']);
});

test('steps of a removed parent are left out of a range, and refused on their own', async () => {
  const store = testStore();
  const { parent, branch } = await family(store);
  await label(store, branch, 1, 4, 'train');
  await store.writer.remove(parent, 'run', alice);
  await label(store, branch, 1, 4);
  expect(await values(store, branch)).toBe('- - mask mask');
  await expect(label(store, branch, 1, 2)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(parent),
  });
  expect((await store.writer.undo(branch, alice))?.unit).toHaveLength(1);
  expect(await values(store, branch)).toBe('- - train train');
  // Of the gesture that was half in the parent, what is left is undone.
  expect((await store.writer.undo(branch, alice))?.unit).toHaveLength(1);
  expect(await values(store, branch)).toBe('- - - -');
  await expectSound(store);
});

test('gestures go into other workspaces with the log, and stay the undo of whoever made them', async () => {
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  const first = testStore(here);
  const { branch } = await family(first);
  await first.drain();
  await first.close();
  cpSync(here, there, { recursive: true });
  const [mine, theirs] = [testStore(here), testStore(there)];
  await label(theirs, branch, 1, 4);
  await theirs.drain();
  const file = join(temporaryFolder(), 'labels.jsonl');
  await theirs.reader.exportAnnotations(file);
  expect(await mine.writer.merge(file)).toMatchObject({ added: 2 });
  expect(await values(mine, branch)).toBe('mask mask mask mask');
  expect(await mine.writer.undo(branch, alice)).toBeNull();
  await theirs.writer.undo(branch, alice);
  expect(await mine.writer.merge(there)).toMatchObject({ added: 2, known: 2 });
  expect(await values(mine, branch)).toBe('- - - -');
  await mine.writer.rebuild(branch);
  await expectSound(mine);
});
