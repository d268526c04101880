import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { LocalComputer } from '../../computer/local/local-computer';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { eventually } from '../../testing/deadline';
import { author, EngineStand } from '../../testing/engine-stand';
import { smallTaskYaml } from '../../testing/task-package';
import { keepsRunning } from './running-commands';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
const worker = '  - name: worker\n    host: worker\n    type: cpu\n';
const training = 'for i in 1 2 3; do sleep 100; done';
const policy: ScriptedPolicy = ({ answers }) => {
  const at = { computer_ip: 'worker', session_id: 'train' };
  return answers === 0
    ? {
        calls: [{ name: 'run_command', arguments: { ...at, command: training, wait_for_completion: false } }],
      }
    : { calls: [{ name: 'sleep', arguments: { sleep_time: 100 } }] };
};

it('names the host, and takes what was seen last where the host is away', async () => {
  const stand = await EngineStand.open({
    policy,
    files: { 'task.yaml': smallTaskYaml.replace(localPool, worker) },
    aliases: ['gpu-03'],
  });
  open.push(stand);
  const run = await stand.start({ worker: 'gpu-03' });
  await stand.engine.resumeRun(run);
  await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
  const there = { computer: 'worker', host: 'gpu-03', session: 'train', command: training };
  expect(await stand.engine.running(run)).toEqual([{ ...there, since: expect.any(Number), live: true }]);
  expect(await stand.store.reader.run(run)).toMatchObject({
    state: 'sleeping',
    runningOn: [{ computer: 'worker', session: 'train' }],
  });
  stand.agents.cut('gpu-03');
  expect(await stand.engine.running(run)).toEqual([{ ...there, since: null, live: false }]);
  await stand.engine.pause(run, author, 'now');
  await stand.engine.waitRun(run);
  expect((await stand.store.reader.run(run)).message).toBe(
    `Paused by Ada. "${training}" ran in session train on worker (gpu-03) when last seen.`,
  );
  expect(await stand.engine.running(run)).toEqual([{ ...there, since: null, live: false }]);
}, 60_000);

it('is looked at anew on resume: what ended while nobody drove the run no longer goes on', async () => {
  const at = { computer_ip: 'local', session_id: 'train', wait_for_completion: false };
  const command = 'while [ ! -e stop ]; do sleep 0.05; done';
  const stand = await EngineStand.open({
    policy: ({ answers }) => ({
      calls: [
        answers === 0
          ? { name: 'run_command', arguments: { ...at, command } }
          : { name: 'sleep', arguments: { sleep_time: 100 } },
      ],
    }),
    files: {},
    aliases: [],
  });
  open.push(stand);
  const run = await stand.start();
  await stand.engine.resumeRun(run);
  await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
  await stand.engine.shutdown({ mode: 'now' });
  const runningOn = async () => (await stand.store.reader.run(run)).runningOn;
  expect(await runningOn()).toEqual([{ computer: 'local', session: 'train' }]);
  const [created] = await stand.of(run, 'run.created');
  await stand.touchThere(join(created?.workspaceRoot ?? '', 'stop'));
  const computer = new LocalComputer({ resourcesDir, sessionsDir: join(stand.folder, 'sessions', run) });
  await eventually(
    'the session is at its prompt',
    async () => (await computer.sessions.state('train')).state === 'idle',
  );
  await computer.dispose();
  await stand.next().resumeRun(run);
  await stand.until(run, 'session.rested', ({ session }) => session === 'train');
  expect(await runningOn()).toEqual([]);
  expect((await stand.store.reader.verify([run])).runs[0]?.problems).toEqual([]);
}, 60_000);

it('puts it into sentences', () => {
  const base = { computer: 'local', host: null, session: 'main', command: null, since: null, live: true };
  expect(keepsRunning([])).toBe('');
  expect(keepsRunning([base, { ...base, computer: 'box', host: 'box', command: 'make' }])).toBe(
    'A command keeps running in session main on local. "make" keeps running in session main on box.',
  );
});
