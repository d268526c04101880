import { WaymarkError } from '@shared/contract/errors';
import { afterEach, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../model/scripted-server';
import { eventually } from '../testing/deadline';
import { EngineStand } from '../testing/engine-stand';
import { smallTaskYaml } from '../testing/task-package';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

it('an application that closes while the disk is full does not wait for room, and the run goes on later', async () => {
  const policy: ScriptedPolicy = ({ answers }) =>
    answers < 3
      ? {
          calls: [
            {
              name: 'run_command',
              arguments: {
                computer_ip: 'local',
                session_id: 'main',
                command: `echo ${answers} >> data/lines.txt`,
              },
            },
          ],
        }
      : { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
  const made = await EngineStand.open({
    policy,
    files: { 'task.yaml': smallTaskYaml },
    aliases: ['box'],
    quitGraceMs: 200,
  });
  open.push(made);
  const { writer } = made.store;
  const { append, appendIfOutboxAt, sessionBytes } = writer;
  const full = () => Promise.reject(new WaymarkError('disk_full', 'The disk is full.'));
  const run = await made.start();
  await made.engine.resumeRun(run);
  await eventually('a step is stored', async () => (await made.store.reader.run(run)).steps > 0);
  Object.assign(writer, { append: full, appendIfOutboxAt: full, sessionBytes: full });
  await eventually('events wait', () => made.errors.some((line) => line.includes('Events wait')));
  await made.engine.shutdown({ mode: 'pause' });
  expect(made.errors.join('\n')).toContain('The end of a driver could not be recorded');

  Object.assign(writer, { append, appendIfOutboxAt, sessionBytes });
  expect((await made.store.reader.run(run)).state).toBe('undriven');
  made.next();
  await made.drive(run);
  expect((await made.store.reader.run(run)).state).toBe('finished');
  const { runs, workspace } = await made.store.reader.verify([run]);
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}, 60_000);
