import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../../model/scripted-answer';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { EndpointsStand, type ServedEndpoint } from '../../testing/endpoints-stand';
import { author } from '../../testing/engine-stand';
import { call, finish, sleepsOn } from '../../testing/scripted-answers';

const stands: EndpointsStand[] = [];
afterEach(async () => {
  await Promise.all(stands.splice(0).map((stand) => stand.close()));
});

async function open(served: Record<string, ServedEndpoint>): Promise<EndpointsStand> {
  const stand = await EndpointsStand.open(served);
  stands.push(stand);
  return stand;
}

const think: ScriptedAnswer = {
  calls: [call('think', { thought: 'Hm.' })],
  usage: { input: 1_000, output: 100 },
};
const thinking =
  (steps: number): ScriptedPolicy =>
  ({ answers }) =>
    answers < steps ? think : finish;
const price = { input: 10, cached: 1, output: 100 };

describe('another model', () => {
  it('gets its own key, price and context, and the log and the window say so', async () => {
    const stand = await open({
      First: { policy: thinking(99), price },
      Second: {
        policy: thinking(3),
        price: { input: 1_000, cached: 0, output: 0 },
        contextTokens: 20_000,
        parallelCalls: true,
      },
    });
    stand.keys.set('First', 'sk-first-key').set('Second', 'sk-second-key');
    const run = await stand.start('First', { maxSteps: 4 });
    stand.engine.live.subscribe((frame) => {
      if (frame.kind === 'state' && frame.state === 'acting') void asked();
    });
    let once: Promise<void> | null = null;
    const asked = () => (once ??= stand.engine.setModel(run, author, stand.endpoint('Second')));
    await stand.drive(run);
    await once;
    const [changed] = await stand.of(run, 'model.changed');
    expect(changed).toMatchObject({
      by: 'Ada',
      model: { endpoint: 'Second', model: 'second', contextTokens: 20_000 },
      request: { model: 'second', max_tokens: 8_192 },
    });
    expect(changed?.request).toMatchObject({ parallel_tool_calls: true });
    const answers = await stand.of(run, 'model.answered');
    const costs = answers.slice(0, -1).map(({ model, cost }) => [model, cost]);
    expect(costs[0]).toEqual(['first', 0.02]);
    expect(costs.at(-1)).toEqual(['second', 1]);
    const [first, second] = ['First', 'Second'].map((name) => stand.models.get(name)?.requests ?? []);
    expect(new Set(first?.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer sk-first-key']),
    );
    expect(new Set(second?.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer sk-second-key']),
    );
    expect(JSON.parse(first?.[0]?.raw ?? '{}').parallel_tool_calls).toBe(false);
    const summary = await stand.store.reader.run(run);
    expect(summary).toMatchObject({ endpoint: 'Second', model: 'second', tokens: { contextLimit: 20_000 } });
    expect(await stand.problems(run)).toEqual([]);
  }, 60_000);

  it('waits in the outbox of a paused run until it is resumed', async () => {
    const stand = await open({ First: { policy: thinking(9) }, Second: { policy: () => finish } });
    const run = await stand.start('First');
    await stand.engine.pause(run, author, 'after_step');
    await stand.engine.setModel(run, author, stand.endpoint('Second'));
    expect((await stand.store.reader.run(run)).endpoint).toBe('First');
    await stand.drive(run);
    expect(stand.models.get('First')?.requests).toEqual([]);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished', endpoint: 'Second' });
    await expect(stand.engine.setModel(run, author, stand.endpoint('First'))).rejects.toMatchObject({
      code: 'run_ended',
    });
    expect(await stand.problems(run)).toEqual([]);
  }, 60_000);
});

describe('limits', () => {
  it('on money need a price: at the start, later, and for another model', async () => {
    const stand = await open({ Priced: { policy: thinking(1), price }, Free: { policy: thinking(1) } });
    await expect(stand.start('Free', { maxCost: 1 })).rejects.toMatchObject({ code: 'refused' });
    await expect(stand.start('Priced', { maxTokens: 8_192 })).rejects.toMatchObject({ code: 'bad_input' });
    const free = await stand.start('Free');
    await expect(stand.engine.setLimits(free, author, { maxCost: 1 })).rejects.toMatchObject({
      code: 'refused',
    });
    await expect(stand.engine.setLimits(free, author, {})).rejects.toMatchObject({ code: 'bad_input' });
    await stand.engine.setModel(free, author, stand.endpoint('Priced'));
    await stand.engine.setLimits(free, author, { maxCost: 1 });
    await expect(stand.engine.setModel(free, author, stand.endpoint('Free'))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('Free'),
    });
    await stand.engine.setLimits(free, author, { maxCost: null });
    await stand.engine.setModel(free, author, stand.endpoint('Free'));
    await stand.drive(free);
    expect(await stand.store.reader.run(free)).toMatchObject({
      state: 'finished',
      endpoint: 'Free',
      maxCost: null,
    });
  }, 60_000);

  it('are kept, evaluated on top, and shown', async () => {
    const stand = await open({ Priced: { policy: thinking(99), price } });
    const run = await stand.start('Priced', { maxCost: 1, maxTokens: 100_000 });
    expect(await stand.store.reader.run(run)).toMatchObject({ maxCost: 1, maxTokens: 100_000 });
    await stand.drive(run);
    const summary = await stand.store.reader.run(run);
    expect(summary).toMatchObject({ state: 'finished', reason: 'max_cost' });
    expect(summary.cost).toBeGreaterThan(0);
    expect(summary.cost).toBeLessThanOrEqual(1);
    expect(await stand.of(run, 'evaluation.ended')).toMatchObject([{ forced: true }]);
  }, 60_000);

  it('on money hold for a branch: with another model only where that has a price', async () => {
    const stand = await open({ Priced: { policy: thinking(3), price }, Free: { policy: thinking(1) } });
    const run = await stand.start('Priced', { maxCost: 1 });
    await stand.drive(run);
    const { branches } = stand.engine;
    expect(await branches.plan(run, 2)).toMatchObject({ maxCost: 1 });
    const order = { run, step: 2, title: 'B', drop: [], add: [] };
    await expect(branches.create({ ...order, endpoint: stand.endpoint('Free') })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('Free'),
    });
    const branch = await branches.create({ ...order, endpoint: stand.endpoint('Priced') });
    expect(await stand.store.reader.run(branch)).toMatchObject({ maxCost: 1, endpoint: 'Priced' });
  }, 60_000);

  it('on evaluations hold for the next one, raised or lowered', async () => {
    const stand = await open({
      Model: { policy: ({ answers }) => (answers < 4 ? { calls: [call('eval')] } : finish) },
    });
    const run = await stand.start('Model');
    await stand.engine.setLimits(run, author, { maxEvals: 0 });
    await stand.drive(run);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished', reason: 'evals_spent' });
    expect(await stand.of(run, 'evaluation.ended')).toMatchObject([{ forced: true }]);
    expect((await stand.of(run, 'model.requested'))[0]?.tail).toContain('0 of 0 evaluations');
  }, 60_000);
});

describe('a run that rests', () => {
  it('says what keeps running on which computer, driven or not', async () => {
    const policy: ScriptedPolicy = ({ answers }) =>
      [
        { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' })] },
        { calls: [sleepsOn] },
      ][answers] ?? { calls: [call('sleep', { sleep_time: 600 })] };
    const stand = await open({ Model: { policy } });
    const run = await stand.start('Model');
    expect(await stand.engine.running(run)).toEqual([]);
    await stand.engine.resumeRun(run);
    await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
    expect(await stand.engine.running(run)).toEqual([
      {
        computer: 'local',
        host: null,
        session: 'main',
        command: 'sleep 300',
        since: expect.any(Number),
        live: true,
      },
    ]);
    await stand.engine.pause(run, author, 'now');
    await stand.engine.waitRun(run);
    const goesOn = '"sleep 300" keeps running in session main on local.';
    expect(await stand.store.reader.run(run)).toMatchObject({
      state: 'paused',
      message: `Paused by Ada. ${goesOn}`,
    });
    expect(await stand.engine.running(run)).toMatchObject([
      { session: 'main', command: 'sleep 300', since: expect.any(Number), live: true },
    ]);
    await stand.engine.stop(run, author);
    expect(await stand.store.reader.run(run)).toMatchObject({
      state: 'stopped',
      message:
        'Stopped by Ada, without a final evaluation. "sleep 300" ran in session main on local when last seen.',
    });
    expect(await stand.of(run, 'evaluation.ended')).toEqual([]);
  }, 60_000);
});

describe('a key', () => {
  it('that is locked pauses the run before anything is sent; unlocked, the run goes on', async () => {
    const stand = await open({ Model: { policy: thinking(1) } });
    stand.locked.add('Model');
    const run = await stand.start('Model');
    await stand.drive(run);
    expect(await stand.store.reader.run(run)).toMatchObject({
      state: 'paused',
      reason: 'model_key_missing',
      message: expect.stringContaining('locked'),
    });
    expect(stand.models.get('Model')?.requests).toEqual([]);
    stand.locked.clear();
    stand.keys.set('Model', 'sk-unlocked-key');
    await stand.drive(run);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished' });
    expect(stand.models.get('Model')?.requests[0]?.authorization).toBe('Bearer sk-unlocked-key');
  }, 60_000);
});
