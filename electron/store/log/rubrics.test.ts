import type { JudgeAnswer } from '@shared/judging/batch';
import type { JudgeOp } from '@shared/judging/rubric-trial';
import { vote } from '@shared/log/annotation-fixtures';
import { expect, it } from 'vitest';
import { batchStand } from '../../testing/batch-stand';
import { begunBatch } from '../../testing/begun-batch';
import { alice, bob } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';

const by = { judge: 'strict', rubric: 'steps@1' };

async function stand() {
  const { folder, store, run, judge } = await batchStand();
  const { task } = await store.reader.run(run);
  const answer: JudgeAnswer = {
    sha256: 'a'.repeat(64),
    request: { run, rubric: 'steps', context: [], judged: [], asked: [1, 2], frame: '{}' },
    votes: 2,
    against: 2,
    unparsable: 0,
    cost: null,
    inputTokens: 10,
    outputTokens: 2,
  };
  const op = { ...(vote('mask') as JudgeOp), rubric: 'steps@1', why: 'It names the secret word.' };
  const tryOn = async (...steps: number[]) => {
    const held = await begunBatch(store, judge);
    const tried = steps.map((step) => ({ run, step, op }));
    await store.writer.judgeTried(held, answer, 'strict', tried);
    return held;
  };
  const values = async () => (await store.reader.heads(run, 1, 3)).map(({ label }) => label.value);
  return { folder, store, run, task: task.id, judge, answer, op, tryOn, values };
}

it('a rubric is kept for a task, survives a restart, and can be given up', async () => {
  const { store, folder, task } = await stand();
  expect(await store.reader.rubric(task, 'steps')).toBeNull();
  await store.writer.keepRubric({ task, kind: 'steps', text: 'Keep what helps.', author: alice.name });
  await store.close();
  const second = testStore(folder);
  const kept = { task, kind: 'steps', text: 'Keep what helps.', author: alice.name, at: expect.any(Number) };
  expect(await second.reader.rubric(task, 'steps')).toEqual(kept);
  expect(await second.reader.rubricsOf([task, 'another'])).toEqual([kept]);
  expect(await second.reader.rubricsOf(['another'])).toEqual([]);
  expect(await second.reader.verify()).toMatchObject({ ok: true });
  await second.writer.keepRubric({ task, kind: 'steps', text: null, author: alice.name });
  expect(await second.reader.rubric(task, 'steps')).toBeNull();
});

it('the rubric for summaries is kept beside that for steps: neither touches the other', async () => {
  const { store, folder, task } = await stand();
  const steps = { task, kind: 'steps' as const, text: 'Keep what helps.', author: alice.name };
  const summaries = { task, kind: 'summaries' as const, text: 'Keep what is whole.', author: bob.name };
  await store.writer.keepRubric(steps, null);
  await store.writer.keepRubric(summaries, null);
  const other = testStore(folder);
  expect(await other.reader.rubricsOf([task])).toMatchObject([steps, summaries]);
  await expect(other.writer.keepRubric({ ...summaries, text: 'Another.' }, steps.text)).rejects.toMatchObject(
    {
      code: 'conflict',
      message: expect.stringContaining(`The rubric for summaries of task ${task} was changed by ${bob.name}`),
    },
  );
  await other.writer.keepRubric({ ...steps, text: null }, steps.text);
  expect(await store.reader.rubric(task, 'steps')).toBeNull();
  expect(await store.reader.rubric(task, 'summaries')).toMatchObject(summaries);
  const backup = await store.writer.backup();
  await Promise.all([store.close(), other.close()]);
  const db = openDatabase(workspaceFile(folder));
  db.prepare('UPDATE summary_rubric SET text = ?').run('Mask all.');
  db.close();
  expect((await testStore(folder).reader.verify()).workspace).toMatchObject([
    { what: 'row', where: `summary_rubric ${task}` },
  ]);
  const to = `${temporaryFolder()}/restored`;
  await restoreWorkspace({ from: null, backup, to, projector: createProjector() });
  expect(await testStore(to).reader.rubricsOf([task])).toMatchObject([summaries]);
});

it('a text that another process kept meanwhile is not overwritten unseen', async () => {
  const { store, folder, task } = await stand();
  const other = testStore(folder);
  await store.writer.keepRubric({ task, kind: 'steps', text: 'Mine.', author: alice.name }, null);
  await expect(
    other.writer.keepRubric({ task, kind: 'steps', text: 'Theirs.', author: bob.name }, null),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`was changed by ${alice.name}`),
  });
  await other.writer.keepRubric({ task, kind: 'steps', text: 'Theirs.', author: bob.name }, 'Mine.');
  await expect(
    store.writer.keepRubric({ task, kind: 'steps', text: null, author: alice.name }, 'Mine.'),
  ).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await store.reader.rubric(task, 'steps')).toMatchObject({ text: 'Theirs.', author: bob.name });
  // Whoever does not say what was seen means whatever is kept.
  await store.writer.keepRubric({ task, kind: 'steps', text: null, author: alice.name });
  await expect(
    other.writer.keepRubric({ task, kind: 'steps', text: 'Again.', author: bob.name }, 'Theirs.'),
  ).rejects.toMatchObject({
    message: expect.stringContaining('was reset to the built-in text'),
  });
});

it('a rubric that was changed from outside is named by verify, and one that is none is refused', async () => {
  const { store, folder, task } = await stand();
  await store.writer.keepRubric({ task, kind: 'steps', text: 'Keep what helps.', author: alice.name });
  await store.close();
  const change = (text: string) => {
    const db = openDatabase(workspaceFile(folder));
    db.prepare('UPDATE rubric_setting SET text = ?').run(text);
    db.close();
  };
  change('Mask all.');
  const second = testStore(folder);
  expect((await second.reader.verify()).workspace).toMatchObject([
    { what: 'row', where: `rubric_setting ${task}` },
  ]);
  for (const none of ['x'.repeat(65_537), ' \n']) {
    change(none);
    await expect(second.reader.rubric(task, 'steps')).rejects.toMatchObject({ code: 'workspace_corrupt' });
  }
  await second.writer.keepRubric({ task, kind: 'steps', text: 'Keep.', author: alice.name });
  expect(await second.reader.verify()).toMatchObject({ ok: true });
});

it('a backup holds the rubrics, and a workspace restored from it has them', async () => {
  const { store, task } = await stand();
  await store.writer.keepRubric({ task, kind: 'steps', text: 'Keep what helps.', author: alice.name });
  const backup = await store.writer.backup();
  await store.close();
  const to = `${temporaryFolder()}/restored`;
  await restoreWorkspace({ from: null, backup, to, projector: createProjector() });
  expect(await testStore(to).reader.rubric(task, 'steps')).toMatchObject({ text: 'Keep what helps.' });
});

it('tried verdicts are no votes and change no label until they are adopted, once', async () => {
  const { store, folder, run, tryOn, values } = await stand();
  const before = await values();
  const { id } = await tryOn(1, 3);
  expect(await values()).toEqual(before);
  expect((await store.reader.step(run, 1)).labels.judges).toEqual([]);
  expect((await store.reader.triedSteps(run, by)).map(({ step }) => step)).toEqual([1, 3]);
  expect(await store.reader.triedSteps(run, { ...by, judge: 'other' })).toEqual([]);
  expect(await store.reader.triers(run, 'steps@1')).toEqual(['strict']);
  // The answer was paid for like any other.
  expect((await store.reader.judgeBatch(id)).counts).toMatchObject({ asked: 1, votes: 2 });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  const other = testStore(folder);
  expect(await store.writer.adoptTrial(run, by)).toBe(2);
  expect(await other.writer.adoptTrial(run, by)).toBe(0);
  expect(await values()).toEqual(['mask', null, 'mask']);
  expect((await store.reader.step(run, 3)).labels.judges).toMatchObject([
    { judge: 'strict', value: 'mask', rubric: 'steps@1', why: 'It names the secret word.' },
  ]);
  expect(await store.reader.triers(run, 'steps@1')).toEqual([]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

it('a trial of a batch that another process has taken up stores neither its answer nor its verdicts', async () => {
  const { store, run, answer, op, tryOn } = await stand();
  const held = await tryOn(1);
  await store.writer.resumeBatch({ ...held, epoch: 2 }, null);
  await expect(store.writer.judgeTried(held, answer, 'strict', [{ run, step: 2, op }])).rejects.toMatchObject(
    { code: 'conflict' },
  );
  expect((await store.reader.triedSteps(run, by)).map(({ step }) => step)).toEqual([1]);
  expect((await store.reader.judgeBatch(held.id)).counts.asked).toBe(1);
});

it.each(['run', 'text'] as const)('removing a run (%s) removes what was tried on it', async (what) => {
  const { store, folder, run, answer, op, tryOn } = await stand();
  const held = await tryOn(1, 2);
  await store.writer.remove(run, what, alice);
  await store.drain();
  const db = openDatabase(workspaceFile(folder));
  expect(db.prepare('SELECT count(*) AS n FROM judge_trial').get()).toEqual({ n: 0 });
  db.close();
  if (what === 'run')
    await expect(
      store.writer.judgeTried(held, answer, 'strict', [{ run, step: 3, op }]),
    ).rejects.toMatchObject({ code: 'not_found' });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});
