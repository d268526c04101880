import { expect, it } from 'vitest';
import type { ScriptedAnswer } from '../model/scripted-answer';
import type { StandOptions } from '../testing/loop-stand';
import { loopStands } from '../testing/loop-stands';
import { finish } from '../testing/scripted-answers';

const cut: ScriptedAnswer = { fault: { kind: 'disconnect', after: 0 } };

const stands = loopStands();
const stand = (outage: number, options: Omit<StandOptions, 'model'>) =>
  stands.stand(({ index }) => (index < outage ? cut : finish), options);

it('waits for a model that cannot be reached, says so, and goes on by itself', async () => {
  const run = await stand(7, { attempts: 2, patienceMs: 60_000 });
  expect(await run.drive()).toBe('finished');
  expect(run.of('model.failed').map(({ code }) => code)).toEqual(Array(7).fill('model_unreachable'));
  expect(run.of('run.status').map(({ status, reason }) => [status, reason])).toEqual([
    ['running', null],
    ['waiting_host', 'model_unreachable'],
    ['running', null],
    ['finished', 'finish'],
  ]);
  const kinds = run.log.events.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'model.failed').length).toBe(7);
  expect(kinds.indexOf('model.answered')).toBeGreaterThan(kinds.lastIndexOf('model.failed'));
  expect(run.unverified()).toBe(0);
});

it('gives up when its patience is over', async () => {
  const run = await stand(1_000, { attempts: 3, patienceMs: 1 });
  expect(await run.drive()).toBe('paused');
  expect(run.of('run.status').at(-1)).toMatchObject({ status: 'paused', reason: 'model_unreachable' });
});

it('can be paused while it waits, and asks again when it is resumed', async () => {
  const run = await stand(6, { attempts: 2, patienceMs: 60_000 });
  const driven = run.drive();
  await run.until(() => run.of('run.status').some(({ status }) => status === 'waiting_host'));
  run.log.post({ op: 'run.pause', mode: 'after_step' });
  expect(await driven).toBe('paused');
  expect(await run.drive()).toBe('finished');
  expect(run.of('model.answered')).toHaveLength(1);
});
