import { createHash } from 'node:crypto';
import { settingsSchema } from '@shared/contract/settings';
import { afterEach, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { EngineStand } from '../../testing/engine-stand';
import { call, finish } from '../../testing/scripted-answers';
import { Rehearsals } from './rehearse';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const usage = { input: 1_000, output: 50 };

/** Thinks twice and finishes; with the draft in its context it says so. */
const policy: ScriptedPolicy = ({ answers, raw }) => {
  if (raw.includes('try awk'))
    return { text: 'With awk, then.', calls: [call('think', { thought: 'awk' })], usage };
  return answers < 2
    ? { text: `Step ${answers + 1}.`, calls: [call('think', { thought: 'x' })], usage }
    : finish;
};

async function stand(asks: ScriptedPolicy = policy) {
  const made = await EngineStand.open({ policy: asks, files: {}, aliases: [] });
  open.push(made);
  return { made, id: await made.start() };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('asks once with the draft where its delivery would put it, and leaves no trace in the run', async () => {
  const { made, id } = await stand();
  const { rehearsals } = made.engine;
  await expect(rehearsals.cost(id, 'x')).rejects.toMatchObject({ code: 'refused' });
  await made.drive(id);
  const before = await made.events(id);
  const [, , last] = await made.of(id, 'model.requested');
  const cost = await rehearsals.cost(id, 'try awk');
  expect(cost).toMatchObject({ step: 3, model: 'scripted', cost: null });
  expect(made.model.requests, 'the price asks nobody').toHaveLength(3);
  const tried = await rehearsals.rehearse(id, 'try awk');
  expect(tried).toMatchObject({
    ...cost,
    without: { text: 'Done.', calls: [{ name: 'finish' }] },
    with: { text: 'With awk, then.', calls: [{ name: 'think', arguments: '{"thought":"awk"}' }] },
    paid: null,
  });
  const sent = made.model.requests[3]?.raw ?? '';
  const block = '\\n\\n<real_user>try awk</real_user>';
  expect(sent.split(block)).toHaveLength(2);
  expect(sha256(sent.replace(block, '')), 'all but the draft is what was sent').toBe(last?.sha256);
  expect(await made.events(id)).toEqual(before);
  expect(await made.store.reader.hints(id)).toMatchObject({ hints: [] });
}, 60_000);

it('says what it may cost and what it did cost', async () => {
  const { made, id } = await stand();
  await made.drive(id);
  const priced = new Rehearsals({
    store: made.store,
    settings: {
      current: settingsSchema.parse({
        endpoints: [
          {
            name: 'Scripted',
            baseUrl: made.model.baseUrl,
            model: 'scripted',
            price: { input: 10, cached: 1, output: 100 },
          },
        ],
      }),
    },
    findKey: () => null,
  });
  const cost = await priced.cost(id, 'try awk');
  const { usage: real } = await made.store.reader.step(id, 3);
  expect(cost.inputTokens).toBeGreaterThan(real?.inputTokens ?? Number.NaN);
  expect(cost.outputTokens).toBe(real?.outputTokens);
  expect(cost.cost).toBeCloseTo((cost.inputTokens * 10 + cost.outputTokens * 100) / 1e6, 9);
  expect((await priced.rehearse(id, 'try awk')).paid).toBeCloseTo((1_000 * 10 + 50 * 100) / 1e6, 9);
  expect((await made.store.reader.run(id)).cost).toBe(0);
}, 60_000);

it('works while the run is driven, one at a time, and can be ended', async () => {
  const asked: (() => void)[] = [];
  const { made, id } = await stand(async ({ raw, answers }) => {
    if (raw.includes('wait for it')) return { fault: { kind: 'silence' } };
    if (answers === 1) await new Promise<void>((resolve) => asked.push(resolve));
    return answers === 0 ? { calls: [call('think', { thought: 'x' })] } : finish;
  });
  const { rehearsals } = made.engine;
  await made.engine.resumeRun(id);
  await made.until(id, 'model.requested', ({ step }) => step === 2);
  const tried = await rehearsals.rehearse(id, 'be quick');
  expect(tried).toMatchObject({ step: 1, without: { calls: [{ name: 'think' }] } });
  const requests = made.model.requests.length;
  const hanging = rehearsals.rehearse(id, 'wait for it');
  const ended = expect(hanging).rejects.toMatchObject({ code: 'cancelled' });
  await expect(rehearsals.rehearse(id, 'another')).rejects.toMatchObject({ code: 'refused' });
  while (made.model.requests.length === requests) await new Promise((resolve) => setTimeout(resolve, 5));
  rehearsals.cancel(id);
  await ended;
  rehearsals.cancel(id);
  for (const resolve of asked) resolve();
  await made.engine.waitRun(id);
  expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished', steps: 2 });
}, 60_000);

it('says what is missing: the key, or the model at the other end', async () => {
  const { made, id } = await stand(({ raw }) =>
    raw.includes('refuse this') ? { fault: { kind: 'status', status: 400, body: '{}' } } : finish,
  );
  await made.drive(id);
  await expect(made.engine.rehearsals.rehearse(id, 'refuse this')).rejects.toMatchObject({
    code: 'model_rejected',
  });
  await made.model.close();
  await expect(made.engine.rehearsals.rehearse(id, 'x')).rejects.toMatchObject({ code: 'model_unreachable' });
  const [created] = await made.of(id, 'run.created');
  expect(created?.model.keyRef).toBeNull();
}, 60_000);
