import { afterEach, beforeEach, expect, test } from 'vitest';
import { ActionFactsFold } from './action-facts';
import { type ActionRig, actionRig } from './action-rig';
import type { ActionTaskView } from './task-view';

const hour = 3_600_000;
let used = 0;
let limitMs: number | null = 24 * hour;
let rig: ActionRig;

beforeEach(async () => {
  used = 0;
  limitMs = 24 * hour;
  const view: Partial<ActionTaskView> = {
    get time() {
      return { leftMs: 48 * hour - used, ofMs: 48 * hour };
    },
    training: {
      commands: ['\\btrain'],
      get limitMs() {
        return limitMs;
      },
    },
  };
  rig = await actionRig();
  // Spread would read the getters once.
  Object.defineProperties(rig.task, Object.getOwnPropertyDescriptors(view));
});
afterEach(() => rig.dispose());

const isIdle = async () => (await rig.computer.sessions.state('gpu')).state !== 'busy';

test('a training runs up to its limit and is ended at it, and the agent is told once', async () => {
  const started = await rig.call('run_command', {
    command: "bash -c 'exec -a train sleep 1000'",
    session_id: 'gpu',
  });
  expect(started.data).toMatchObject({ trainingFromMs: 0 });
  used = 24 * hour - 1;
  const before = await rig.call('get_session_status', { session_id: 'gpu' });
  expect(before.text).not.toContain('[Notice]');
  expect(await isIdle()).toBe(false);
  used = 24 * hour;
  const at = await rig.call('get_session_status', { session_id: 'gpu' });
  expect(at.text).toContain(
    '[Notice] The training run in session gpu on local was stopped after 24 h, the limit for a single training run.',
  );
  expect(at.data.trainingsSettled).toHaveLength(1);
  expect(await isIdle()).toBe(true);
  expect((await rig.call('list_sessions')).text).not.toContain('[Notice]');
});

test('a sleep ends where the limit is reached, and what is no training or has no limit goes on', async () => {
  await rig.call('run_command', { command: "bash -c 'exec -a train sleep 1000'", session_id: 'gpu' });
  await rig.call('run_command', { command: 'sleep 1000 # trai', session_id: 'other' });
  used = 24 * hour - 50;
  const slept = await rig.call('sleep', { sleep_time: 600 });
  expect(slept.text).toContain('a training run has reached its time limit');
  expect(Number(slept.data.sleepMs)).toBeLessThan(60_000);
  limitMs = null;
  used = 40 * hour;
  await rig.call('list_sessions');
  expect(await isIdle()).toBe(false);
  limitMs = 24 * hour;
  expect((await rig.call('list_sessions')).text).toContain('session gpu on local was stopped');
  expect((await rig.computer.sessions.state('other')).state).toBe('busy');
});

test('whoever takes the run up again knows since when a training runs; one that ended by itself is not spoken of', async () => {
  const started = await rig.call('run_command', {
    command: "bash -c 'exec -a train sleep 1000'",
    session_id: 'gpu',
  });
  const fold = new ActionFactsFold(rig.task);
  const observed = {
    step: 1,
    call: 0,
    callId: 'c',
    name: 'run_command',
    ok: true,
    error: null,
    text: '',
    data: started.data,
    offsets: {},
    durationMs: 1,
    closedBy: 'run' as const,
    imitatesHuman: false,
  };
  fold.apply({ kind: 'action.observed', body: observed }, 1);
  expect([...fold.facts.trainings.values()]).toMatchObject([{ session: 'gpu', fromMs: 0 }]);
  await rig.computer.sessions.signal('gpu', 'KILL');
  used = 30 * hour;
  const again = rig.again(fold);
  const parsed = again.parse('list_sessions', '{}');
  if (!parsed.ok) throw new Error(parsed.problem);
  const looked = await again.run(parsed.call, rig.context());
  expect(looked.text).not.toContain('[Notice]');
  expect(fold.facts.trainings.size).toBe(0);
});
