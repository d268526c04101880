import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { eventually } from '../testing/deadline';
import { cliEntry, requireBuilt, waymark } from '../testing/remote-stand';
import { fillDisk, smallDisk } from '../testing/small-disk';
import { temporaryFolder } from '../testing/store-fixtures';
import { writeTaskPackage } from '../testing/task-package';

/** A text that does not compress: there is no room for it. */
const noise = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCharCode(97 + (Math.imul(at + 7, 2654435761) >>> 27))).join(
    '',
  );

let model: ScriptedModel;
/** While it holds, nobody gets an answer. */
let held: Promise<void> = Promise.resolve();
let asked = 0;

beforeAll(async () => {
  requireBuilt();
  model = await startScriptedModel({
    policy: async ({ answers }) => {
      asked += 1;
      await held;
      const call =
        answers < 2
          ? { name: 'think', arguments: { content: noise(20_000) } }
          : { name: 'finish', arguments: {} };
      return { text: 'On.', calls: [call] };
    },
  });
});
afterAll(() => model.close());

interface Stand {
  disk: string;
  workspace: string;
  environment: Record<string, string>;
  run: string;
  status(): Promise<string>;
}

/** A run in a workspace on a disk of its own; null where none can be mounted. */
async function stand(): Promise<Stand | null> {
  const disk = smallDisk('size=16m');
  if (disk === null) return null;
  const workspace = join(disk, 'workspace');
  const folder = temporaryFolder();
  const environment = { WAYMARK_DATA: join(folder, 'data'), WAYMARK_WORKSPACE: workspace };
  await waymark(environment, 'task', 'add', await writeTaskPackage(join(folder, 'package')));
  const created = await waymark(
    environment,
    ...['run', 'start', '--task', 'small', '--base-url', model.baseUrl, '--model', 'scripted'],
    ...['--isolation', 'none', '--approvals', 'off'],
  );
  const { run } = created as { run: string };
  return {
    disk,
    workspace,
    environment,
    run,
    status: async () => ((await waymark(environment, 'run', 'show', run)) as { status: string }).status,
  };
}

/** Fills the disk while the model thinks, lets it answer, and frees the disk once the answer could not be stored. */
async function fillMeanwhile({ disk, workspace }: Stand, drive: () => Promise<unknown>): Promise<void> {
  let release: () => void = () => undefined;
  held = new Promise((resolve) => {
    release = resolve;
  });
  onTestFinished(() => release());
  const before = asked;
  await drive();
  await eventually('the model is asked', () => asked > before);
  // Empty, so that giving it back makes no room: it only shows when the driver came upon the full disk.
  const ballast = join(workspace, 'ballast');
  writeFileSync(ballast, '');
  const filler = fillDisk(disk);
  expect(statfsSync(disk).bavail).toBe(0);
  release();
  await eventually('the answer finds the disk full', () => !existsSync(ballast));
  rmSync(filler);
}

describe('a full disk', () => {
  test('does not end the background driver whose log lies on it; each line is in the log or counted as lost', async (context) => {
    const found = await stand();
    if (found === null) return context.skip('mounting a small file system needs root on Linux');
    const { environment, run, workspace, status } = found;
    await fillMeanwhile(found, () => waymark(environment, 'run', 'resume', run));
    await eventually('the run is finished', async () => (await status()) === 'finished');
    const log = () => readFileSync(join(workspace, 'logs', `driver-${run}.log`), 'utf8');
    await eventually('the driver has said its last words', () => log().includes(`{"run":"${run}"}`));
    // The line about the disk is lost, and counted, unless the driver came to write it only when there was room again.
    expect(log()).toMatch(/missing here: the log could not be written \(ENOSPC\)|disk_full: The disk/);
  }, 60_000);

  test('does not end a driver whose standard error nobody reads any more', async (context) => {
    const found = await stand();
    if (found === null) return context.skip('mounting a small file system needs root on Linux');
    const { environment, run, status } = found;
    let driver: ChildProcess | undefined;
    await fillMeanwhile(found, async () => {
      driver = spawn(process.execPath, [cliEntry, 'run', 'resume', run, '--wait', '--json'], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      driver.stderr?.destroy();
    });
    await once(driver as ChildProcess, 'exit');
    expect(await status()).toBe('finished');
  }, 60_000);
});
