import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../model/scripted-server';
import { author, EngineStand } from '../testing/engine-stand';
import { smallTaskYaml } from '../testing/task-package';
import { removeRun } from './remove-run';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

async function stand(): Promise<{ made: EngineStand; run: string }> {
  const policy: ScriptedPolicy = ({ answers }) =>
    answers === 0
      ? { calls: [{ name: 'think', arguments: { thought: 'First.' } }] }
      : { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
  const made = await EngineStand.open({ policy, files: { 'task.yaml': smallTaskYaml }, aliases: ['box'] });
  open.push(made);
  return { made, run: await made.start() };
}

describe('the texts of a run', () => {
  it('stay while it has not ended: without them it could never be resumed', async () => {
    const { made, run } = await stand();
    await expect(removeRun(made, run, 'text', author)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/has not ended.*run stop/),
    });
    await made.drive(run);
    expect((await made.store.reader.run(run)).state).toBe('finished');
    await removeRun(made, run, 'text', author);
    expect(JSON.stringify(await made.events(run))).not.toContain('First.');
  });

  it('are said to be gone to whoever wants a branch of it', async () => {
    const { made, run } = await stand();
    await made.drive(run);
    await removeRun(made, run, 'text', author);
    const branch = { run, step: 1, title: 'B', endpoint: null, drop: [], add: [] };
    await expect(made.engine.branches.create(branch)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/were removed.*no branch can begin from it/),
    });
  });
});
