import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluated } from '@shared/log/event-fixtures';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { alice, bob, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { AttentionReader } from '../queries/read-attention';
import { openReadContext } from '../queries/read-context';

/** A store whose wall clock a test moves. */
function clockedStore(folder = temporaryFolder()) {
  const clock = { now: Date.UTC(2026, 10, 20, 22) };
  return { folder, clock, store: testStore(folder, { now: () => clock.now }) };
}

async function driven(store: ReturnType<typeof testStore>) {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  const lock = store.lockRun(run);
  await writer.start();
  return { run, writer, lock };
}

const paused = { status: 'paused', reason: 'model_key_missing', message: 'No key.' } as const;

it('asks a person no longer once an answer is stored, also while nobody drives the run', async () => {
  const { store } = clockedStore();
  const { run, writer } = await driven(store);
  const [answered, other] = [ulid(), ulid()];
  for (const [call, approval] of [answered, other].entries())
    await writer.record([
      { kind: 'approval.asked', body: { step: 1, call, approval, what: 'rm x', why: 'It removes.' } },
    ]);
  const asking = async () => {
    const [listed] = await store.reader.attentionList(alice.uuid);
    const { items } = await store.reader.attention(run);
    const open = (all: typeof items) => all.filter((item) => item.kind === 'asks_you' && item.open).length;
    return [open(listed?.items ?? []), open(items)];
  };
  expect(await asking()).toEqual([2, 2]);
  await store.writer.post(run, alice, { op: 'approval.decided', approval: answered, decision: 'allow' });
  expect(await asking()).toEqual([1, 1]);
  await store.writer.post(run, alice, { op: 'approval.decided', approval: other, decision: 'deny' });
  expect(await asking()).toEqual([0, 0]);
});

describe('what is new to a person', () => {
  it('is everything before the first look, then what came since, and what is open still', async () => {
    const { store } = clockedStore();
    const { run, writer } = await driven(store);
    for (let i = 0; i < 5; i += 1) await writer.command(`make ${i}`, 'no', { exitCode: 2 });
    await writer.hint('Look at the log.');
    await writer.command('cat log', 'ok');
    const [first] = await store.reader.attentionList(alice.uuid);
    expect(first).toMatchObject({ run, title: 'A run', seenSeq: 0, seenAt: null, newSteps: 6, behind: 0 });
    expect(first?.items.map(({ kind }) => kind)).toEqual(['error_streak', 'hint_delivered']);

    const { seq } = await store.reader.run(run);
    await store.writer.see(run, alice.uuid, seq);
    await writer.record([{ kind: 'run.status', body: paused }]);
    await writer.command('ls', 'a');
    await writer.command('ls b', 'a');
    const [second] = await store.reader.attentionList(alice.uuid);
    expect(second).toMatchObject({ seenSeq: seq, newSteps: 2 });
    expect(second?.items.map(({ kind }) => kind)).toEqual(['paused']);
    expect((await store.reader.attentionList(bob.uuid))[0]?.items).toHaveLength(3);

    await store.writer.see(run, alice.uuid, (await store.reader.run(run)).seq);
    expect((await store.reader.attentionList(alice.uuid))[0]).toMatchObject({
      newSteps: 0,
      items: [{ kind: 'paused', open: true }],
    });
    await writer.record([{ kind: 'run.status', body: { status: 'stopped', reason: 'asked', message: '' } }]);
    await store.writer.see(run, alice.uuid, (await store.reader.run(run)).seq);
    expect(await store.reader.attentionList(alice.uuid)).toEqual([]);
  });

  it('of a branch is what it did itself, not what it took over', async () => {
    const { store } = clockedStore();
    const parent = { run: await createRun(store), step: 40 };
    const run = ulid();
    const writer = new RunWriter(store, run);
    await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), parent } }]);
    await writer.start();
    const spent = { workingMs: 0, steps: 40, inputTokens: 0, outputTokens: 0, cost: 0 };
    const evaluations = { tries: 0, best: null, last: null };
    const began = {
      parent,
      checkpoint: null,
      spent: { ...spent, evaluations },
      dropped: [],
      added: [],
      message: '',
    };
    await writer.record([{ kind: 'branch.began', body: began }]);
    const news = async () => (await store.reader.attentionList(alice.uuid)).find((each) => each.run === run);
    expect((await news())?.newSteps ?? 0).toBe(0);
    writer.step = 40;
    await writer.command('true', '');
    await store.writer.see(run, alice.uuid, (await store.reader.run(run)).seq);
    await writer.command('true', '');
    await writer.command('true', '');
    expect((await news())?.newSteps).toBe(2);
  });

  it('never moves a bookmark back, nor past the end', async () => {
    const { store } = clockedStore();
    const { run, writer } = await driven(store);
    await writer.command('ls', 'a');
    await store.writer.see(run, alice.uuid, 1_000_000);
    const { seq } = await store.reader.run(run);
    await store.writer.see(run, alice.uuid, 2);
    await writer.command('ls', 'a');
    expect((await store.reader.attentionList(alice.uuid))[0]).toMatchObject({ seenSeq: seq, newSteps: 1 });
  });

  it('puts the run with the most urgent item first', async () => {
    const { store } = clockedStore();
    const [calm, stuck, quiet] = [await driven(store), await driven(store), await driven(store)];
    await stuck.writer.record([{ kind: 'run.status', body: paused }]);
    await calm.writer.command('ls', 'a');
    await calm.writer.hint('Go on.');
    await quiet.writer.command('ls', 'a');
    const list = await store.reader.attentionList(alice.uuid);
    expect(list.map(({ run }) => run)).toEqual([stuck.run, calm.run, quiet.run]);
  });

  it('is found whether events come one by one, after a restart, or with a kept state that is damaged', async () => {
    const { store, folder } = clockedStore();
    const { run, writer, lock } = await driven(store);
    for (let i = 0; i < 4; i += 1) {
      await writer.command(`make ${i}`, 'no', { exitCode: 2 });
      await store.reader.attention(run);
    }
    await writer.command('make', 'no', { exitCode: 2 });
    const live = await store.reader.attention(run);
    await writer.record([{ kind: 'run.status', body: { status: 'failed', reason: 'bug', message: '' } }]);
    const ended = await store.reader.attention(run);
    expect(live.items).toMatchObject([{ kind: 'error_streak', open: true }]);
    const kept = join(folder, 'cache', 'attention', `${run}.json`);
    expect(existsSync(kept)).toBe(true);
    for (const content of [null, '{"version":', '{"version":"0"}']) {
      if (content !== null) writeFileSync(kept, content);
      const context = openReadContext(folder, Date.now);
      expect(await new AttentionReader(context).findings(run)).toEqual(ended);
      context.statements.db.close();
    }
    lock?.release();
    await store.writer.remove(run, 'run', alice);
    expect(await store.reader.attentionList(alice.uuid)).toEqual([]);
    expect(readdirSync(join(folder, 'cache', 'attention'))).toEqual([]);
    writeFileSync(kept, '{}');
    const context = openReadContext(folder, Date.now);
    await new AttentionReader(context).list(alice.uuid);
    context.statements.db.close();
    await expect(store.reader.attention(run)).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(join(folder, 'cache', 'attention'))).toEqual([]);
  });
});

describe('the report of a night', () => {
  it('counts what happened between two times, and nothing else', async () => {
    const { store, clock } = clockedStore();
    const { run, writer } = await driven(store);
    const minute = 60_000;
    const scored = (score: number, attempt: number) =>
      writer.record([{ kind: 'evaluation.ended', body: evaluated(writer.step, score, { attempt }) }]);
    await writer.command('ls', 'a');
    await scored(20, 1);
    clock.now += 10 * minute;
    const from = clock.now;
    await writer.command('ls', 'b');
    await writer.hint('Train longer.');
    clock.now += 41 * minute;
    await writer.record([{ kind: 'clock.suspended', body: { from: from + minute, to: clock.now } }]);
    await writer.command('ls', 'c');
    await scored(35, 2);
    clock.now += 9 * minute;
    const to = clock.now;
    clock.now += minute;
    await scored(30, 3);
    await writer.command('ls', 'd');
    const [night] = await store.reader.attentionReport(from, to);
    expect(night).toMatchObject({
      run,
      title: 'A run',
      steps: 2,
      tokens: 30,
      hintsDelivered: 1,
      state: 'thinking',
      scores: { before: 20, after: 35, best: 35 },
      workingMs: 10 * minute,
      stoodStillMs: 40 * minute,
    });
    expect(night?.cost).toBeCloseTo(0.002);
    expect(night?.items.map(({ kind }) => kind)).toEqual(['stood_still', 'hint_delivered']);
    expect(await store.reader.attentionReport(0, from - 3_600_000)).toEqual([]);
    expect(await store.reader.attentionReport(clock.now + 1, clock.now + minute)).toEqual([]);
  });

  it('counts only the night of a run that waits all along', async () => {
    const { store, clock } = clockedStore();
    const { writer } = await driven(store);
    const from = clock.now;
    clock.now += 600_000;
    await writer.record([
      { kind: 'run.status', body: { status: 'waiting_human', reason: 'approval', message: '' } },
    ]);
    clock.now += 6_000_000;
    const [night] = await store.reader.attentionReport(from + 300_000, clock.now);
    expect(night).toMatchObject({
      steps: 0,
      workingMs: 300_000,
      scores: { before: null, after: null, best: null },
    });
  });
});
