import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { eventually } from '../testing/deadline';
import { cliEntry, requireBuilt, waymark } from '../testing/remote-stand';
import { temporaryFolder } from '../testing/store-fixtures';
import { writeTaskPackage } from '../testing/task-package';

let model: ScriptedModel;
/** While it holds, nobody gets an answer. */
let held: Promise<void> = Promise.resolve();

beforeAll(async () => {
  requireBuilt();
  model = await startScriptedModel({
    policy: async ({ answers }) => {
      await held;
      const call =
        answers < 2
          ? { name: 'think', arguments: { content: `thought ${answers}` } }
          : { name: 'finish', arguments: {} };
      return { text: 'On.', calls: [call] };
    },
  });
});
afterAll(() => model.close());

interface Stand {
  environment: Record<string, string>;
  create(): Promise<string>;
  states(): Promise<Record<string, string>>;
}

async function stand(): Promise<Stand> {
  const folder = temporaryFolder();
  const environment = { WAYMARK_DATA: join(folder, 'data'), WAYMARK_WORKSPACE: join(folder, 'workspace') };
  await waymark(environment, 'task', 'add', await writeTaskPackage(join(folder, 'package')));
  return {
    environment,
    create: async () => {
      const created = await waymark(
        environment,
        ...['run', 'start', '--task', 'small', '--base-url', model.baseUrl, '--model', 'scripted'],
        ...['--isolation', 'none', '--approvals', 'off'],
      );
      return (created as { run: string }).run;
    },
    states: async () => {
      const { runs } = (await waymark(environment, 'run', 'list')) as {
        runs: { id: string; status: string }[];
      };
      return Object.fromEntries(runs.map(({ id, status }) => [id, status]));
    },
  };
}

/** Each test starts about ten processes of the command line, ms. */
const TIME_LIMIT = 120_000;

describe('a runner without a window', { timeout: TIME_LIMIT }, () => {
  test('drives every run that rests in one process, and ends with 0 when all came to rest', async () => {
    const { environment, create, states } = await stand();
    const runs = [await create(), await create(), await create()];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cliEntry, 'run', 'resume', '--all', '--wait', '--json'],
      { env: { ...process.env, ...environment } },
    );
    const { runs: driven } = JSON.parse(stdout) as { runs: { run: string }[] };
    expect(driven.map(({ run }) => run).sort()).toEqual([...runs].sort());
    expect(await states()).toEqual(Object.fromEntries(runs.map((run) => [run, 'finished'])));
    expect(await waymark(environment, 'run', 'resume', '--all', '--wait')).toEqual({ runs: [] });
  });

  test('SIGTERM pauses all of them after their step and lets go; they go on from there', async () => {
    const { environment, create, states } = await stand();
    const runs = [await create(), await create()];
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const runner: ChildProcess = spawn(
      process.execPath,
      [cliEntry, 'run', 'resume', '--all', '--wait', '--json'],
      { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(runner, 'exit');
    await eventually('both runs think', async () =>
      Object.values(await states()).every((state) => state === 'thinking'),
    );
    runner.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await states()).toEqual(Object.fromEntries(runs.map((run) => [run, 'paused'])));
    release();
    await waymark(environment, 'run', 'resume', '--all', '--wait');
    expect(await states()).toEqual(Object.fromEntries(runs.map((run) => [run, 'finished'])));
  });
});
