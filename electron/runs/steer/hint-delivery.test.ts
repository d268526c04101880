import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../../model/scripted-answer';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { eventually } from '../../testing/deadline';
import { author, EngineStand } from '../../testing/engine-stand';
import { call, finish, steps } from '../../testing/scripted-answers';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const run = (command: string, wait = true) =>
  call('run_command', {
    computer_ip: 'local',
    session_id: 'train',
    command,
    wait_for_completion: wait,
  });
const sleep = (seconds: number): ScriptedAnswer => ({ calls: [call('sleep', { sleep_time: seconds })] });
const job = 'while [ ! -e go ]; do sleep 0.02; done; touch gone';

async function stand(policy: ScriptedPolicy) {
  const made = await EngineStand.open({ policy, files: {}, aliases: [] });
  open.push(made);
  const id = await made.start();
  const [created] = await made.of(id, 'run.created');
  return { made, id, root: created?.workspaceRoot ?? '' };
}

const hintOf = async (made: EngineStand, id: string, number = 1) =>
  (await made.store.reader.hints(id)).hints.find((hint) => hint.number === number);

describe('when a hint goes out', () => {
  it('one that wakes ends a sleep, never the job, and takes those that wait along', async () => {
    const { made, id, root } = await stand(steps({ calls: [run(job, false)] }, sleep(100), finish));
    const { hints } = made.engine;
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started', ({ name }) => name === 'sleep');
    await hints.queue(id, author, { text: 'first', category: 'other' });
    await hints.queue(id, author, { text: 'later', category: 'other', deliver: { when: 'score_changes' } });
    expect(await made.store.reader.hints(id)).toMatchObject({
      textToSend: '\n\n<real_user>first</real_user>',
      waitsFor: { reason: 'sleep', until: expect.any(Number) },
    });
    const woken = await hints.queue(id, author, { text: 'now', category: 'other' });
    await hints.edit(id, author, woken.id, { text: 'right now', deliver: { when: 'wake' } });
    await made.engine.waitRun(id);
    const [, slept] = await made.of(id, 'action.observed');
    expect(slept).toMatchObject({ name: 'sleep', ok: true, data: { woken: true } });
    expect(await made.of(id, 'hint.delivered')).toMatchObject([
      { step: 2, text: '\n\n<real_user>first</real_user>\n\n<real_user>right now</real_user>' },
    ]);
    expect(await hintOf(made, id, 2)).toMatchObject({ state: 'undelivered', due: null });
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished', steps: 3 });
    // The job did not notice.
    await made.touchThere(join(root, 'go'));
    await made.untilThere(join(root, 'gone'));
    expect((await made.store.reader.verify([id])).ok).toBe(true);
  }, 60_000);

  it('a sleep does not begin while one that wakes waits', async () => {
    const { made, id } = await stand(
      steps(
        { calls: [run('while [ ! -e go ]; do sleep 0.02; done'), call('sleep', { sleep_time: 100 })] },
        finish,
      ),
    );
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started');
    await made.engine.hints.queue(id, author, { text: 'up', category: 'other', deliver: { when: 'wake' } });
    const [created] = await made.of(id, 'run.created');
    await made.touchThere(join(created?.workspaceRoot ?? '', 'go'));
    await made.engine.waitRun(id);
    expect((await made.of(id, 'action.observed'))[1]).toMatchObject({ name: 'sleep', data: { woken: true } });
    expect(await hintOf(made, id)).toMatchObject({ state: 'delivered', step: 1 });
  }, 60_000);

  it('one that waits for failures goes out after the last of them, and not before', async () => {
    const bad = { calls: [run('false')] };
    const { made, id } = await stand(steps(bad, bad, { calls: [run('true')] }, finish));
    const { hints } = made.engine;
    const deliver = { when: 'error_streak', steps: 2 } as const;
    await hints.queue(id, author, { text: 'look at it', category: 'correction', deliver });
    await hints.queue(id, author, { text: 'begin', category: 'other' });
    await made.drive(id);
    expect((await made.of(id, 'hint.delivered')).map(({ step, text }) => [step, text])).toEqual([
      [0, '\n\n<real_user>begin</real_user>'],
      [2, '\n\n<real_user>look at it</real_user>'],
    ]);
    expect(await hintOf(made, id)).toMatchObject({ due: '2 failed steps in a row', step: 2 });
    expect(await made.of(id, 'hint.due')).toHaveLength(1);
    expect((await made.store.reader.verify([id])).ok).toBe(true);
  }, 60_000);

  it('one that waits for a session is due once the job ends, and the sleep meanwhile goes on', async () => {
    const { made, id, root } = await stand(steps({ calls: [run(job, false)] }, sleep(9), finish));
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started', ({ name }) => name === 'sleep');
    const deliver = { when: 'session_idle', computer: 'local', session: 'train' } as const;
    await made.engine.hints.queue(id, author, { text: 'evaluate', category: 'other', deliver });
    expect((await made.store.reader.hints(id)).waitsFor).toEqual({ reason: 'condition', until: null });
    await made.touchThere(join(root, 'go'));
    await made.until(id, 'hint.due');
    expect(await made.of(id, 'action.observed'), 'the agent sleeps on').toHaveLength(1);
    await made.engine.waitRun(id);
    expect((await made.of(id, 'action.observed'))[1]).toMatchObject({ data: { woken: false } });
    expect(await hintOf(made, id)).toMatchObject({ step: 2, due: 'train on local is idle again' });
  }, 60_000);

  it('a job that ended while nobody drove the run counts; due stays due', async () => {
    const { made, id, root } = await stand(steps({ calls: [run(job, false)] }, sleep(100), sleep(1), finish));
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started', ({ name }) => name === 'sleep');
    const deliver = { when: 'session_idle', computer: '', session: 'train' } as const;
    await made.engine.hints.queue(id, author, { text: 'evaluate', category: 'other', deliver });
    await made.engine.shutdown({ mode: 'now' });
    expect(await made.of(id, 'hint.due')).toEqual([]);
    await made.touchThere(join(root, 'go'));
    await made.untilThere(join(root, 'gone'));
    await made.next().resumeRun(id);
    await made.until(id, 'hint.due');
    await made.engine.waitRun(id);
    expect(await hintOf(made, id)).toMatchObject({ state: 'delivered', due: 'train on local is idle again' });
    expect(made.errors).toEqual([]);
  }, 60_000);
});

describe('a run that is stopped while nobody drives it', () => {
  it('marks every hint that no answer has seen, also one that was in a request', async () => {
    const { made, id } = await stand(() => ({ fault: { kind: 'silence' } }));
    const { hints } = made.engine;
    await hints.queue(id, author, { text: 'asked with', category: 'other' });
    await made.engine.resumeRun(id);
    await made.until(id, 'hint.delivered');
    await hints.queue(id, author, { text: 'not asked with', category: 'other' });
    const later = { when: 'score_changes' } as const;
    await hints.queue(id, author, { text: 'waits', category: 'other', deliver: later });
    await made.engine.shutdown({ mode: 'now' });
    expect((await made.store.reader.run(id)).state).toBe('paused');
    await made.engine.stop(id, author);
    expect((await made.store.reader.hints(id)).hints.map(({ state }) => state)).toEqual([
      'undelivered',
      'undelivered',
      'undelivered',
    ]);
    // The store itself refuses what comes between the question whether the run has ended and the entry.
    const op = { op: 'hint.queued', hint: ulid(), text: 'late', category: 'other' } as const;
    await expect(made.store.writer.post(id, author, op)).rejects.toMatchObject({ code: 'run_ended' });
    expect((await made.store.reader.verify([id])).ok).toBe(true);
  }, 60_000);
});

describe('the desk', () => {
  it('queues a hint once, however often it is asked with the same id', async () => {
    const { made, id } = await stand(steps(finish));
    const { hints } = made.engine;
    const hint = ulid();
    const again = { hint, text: 'once', category: 'other' } as const;
    const answers = await Promise.all([1, 2, 3].map(() => hints.queue(id, author, again)));
    expect(answers.map(({ number }) => number)).toEqual([1, 1, 1]);
    await hints.edit(id, author, hint, { text: 'once more' });
    expect(await hints.queue(id, author, again)).toMatchObject({ number: 1, text: 'once more' });
    await expect(hints.queue(id, author, { ...again, text: 'other' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    await made.drive(id);
    expect(await hints.queue(id, author, again)).toMatchObject({ state: 'delivered' });
    await expect(hints.queue(id, author, { text: 'late', category: 'other' })).rejects.toMatchObject({
      code: 'run_ended',
    });
    expect((await made.store.reader.hints(id)).hints).toHaveLength(1);
  }, 60_000);

  it('refuses a condition on a computer the run does not have', async () => {
    const { made, id } = await stand(steps(finish));
    const deliver = { when: 'gpu_idle', computer: 'gpu-04', minutes: 10 } as const;
    const asked = made.engine.hints.queue(id, author, { text: 'x', category: 'other', deliver });
    await expect(asked).rejects.toMatchObject({ code: 'bad_input', message: /gpu-04.*local/ });
  }, 60_000);

  it('takes a word on what became of a hint once an answer has seen it', async () => {
    const { made, id } = await stand(({ answers }) =>
      answers === 0 ? { calls: [call('think', { thought: 'x' })] } : finish,
    );
    const { hints } = made.engine;
    const task = await hints.queue(id, author, { text: 'joins the task', category: 'other' });
    await expect(hints.verdict(id, author, task.id, 'acted_on')).rejects.toMatchObject({ code: 'refused' });
    await made.drive(id);
    await hints.verdict(id, author, task.id, 'ignored');
    expect(await hintOf(made, id)).toMatchObject({ step: 0, verdict: 'ignored' });
    expect((await made.store.reader.annotations(id))[0]).toMatchObject({ target: { from: 1, to: 1 } });
    await hints.verdict(id, author, task.id, null);
    await eventually('the word is taken back', async () => (await hintOf(made, id))?.verdict === null);
  }, 60_000);
});
