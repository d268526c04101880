import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../model/scripted-answer';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { LoopStand } from '../testing/loop-stand';
import { finish } from '../testing/scripted-answers';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const danger: ScriptedAnswer = { calls: [{ name: 'danger', arguments: {} }] };
const put: ScriptedAnswer = { calls: [{ name: 'put', arguments: { item: 'a' } }] };

async function stand(...answers: ScriptedAnswer[]): Promise<LoopStand> {
  const model = await startScriptedModel({
    policy: ({ answers: given }) => answers[Math.min(given, answers.length - 1)] ?? {},
  });
  open.push(model);
  return new LoopStand({ model, approvals: 'on' });
}

async function answer(run: LoopStand, count: number, forRun: boolean, decision: 'allow' | 'deny' = 'allow') {
  await run.until(() => run.of('approval.asked').length === count);
  const approval = run.of('approval.asked')[count - 1]?.approval ?? '';
  run.log.post({ op: 'approval.decided', approval, decision, forRun });
}

describe('a kind that a person allowed in a run', () => {
  it('is in the log, so that a driver that comes later asks no more', async () => {
    const run = await stand(danger, danger, put, danger, finish);
    const answered = answer(run, 1, true).then(() => run.log.post({ op: 'run.pause', mode: 'after_step' }));
    expect(await run.drive()).toBe('paused');
    await answered;
    expect(await run.drive()).toBe('finished');
    expect(run.of('approval.asked')).toMatchObject([{ kinds: ['danger'] }]);
    expect(run.of('approval.decided')).toMatchObject([{ decision: 'allow', kinds: ['danger'] }]);
    expect(run.of('action.observed').map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  it('is asked about again once it was taken back, also by a driver that comes later', async () => {
    const run = await stand(danger, put, danger, finish);
    const paused = (async () => {
      await answer(run, 1, true);
      run.log.post({ op: 'run.pause', mode: 'after_step' });
    })();
    expect(await run.drive()).toBe('paused');
    await paused;
    run.log.post({ op: 'approval.withdrawn', kind: 'danger' });
    const second = run.drive();
    await answer(run, 2, false);
    expect(await second).toBe('finished');
    expect(run.of('approval.withdrawn')).toMatchObject([{ kind: 'danger', by: 'Ada' }]);
    expect(run.of('approval.decided')[1]).not.toHaveProperty('kinds');
  });

  it('is not allowed by a refusal, nor by allowing one action', async () => {
    const run = await stand(danger, danger, danger, finish);
    const driving = run.drive();
    await answer(run, 1, false);
    await answer(run, 2, true, 'deny');
    await answer(run, 3, false);
    expect(await driving).toBe('finished');
    expect(run.of('approval.decided').every((each) => each.kinds === undefined)).toBe(true);
  });
});
