import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { electronLaunch } from '../scripts/launch.mjs';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { startPacedModel } from './long-run-model';
import { preparePacedRun, startPacedRun } from './paced-run';
import { giveName, row, runEnded } from './story';

const STEPS = 12;

test('started twice, the first window comes to the front and goes on, and the second says so and ends', async ({
  place,
}) => {
  test.setTimeout(120_000);
  const model = await startPacedModel([6]);
  try {
    await preparePacedRun(place, model, STEPS);
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await startPacedRun(page);
    await model.reached(6);
    // Another window takes the keyboard, as another program's would.
    await app.evaluate(async ({ BrowserWindow }) => {
      const [own] = BrowserWindow.getAllWindows();
      const other = new BrowserWindow({ width: 300, height: 200 });
      Object.assign(globalThis, { own, other });
      other.focus();
    });
    const focused = () =>
      app.evaluate(() => {
        const { own, other } = globalThis as unknown as Record<'own' | 'other', Electron.BrowserWindow>;
        return { own: own.isFocused(), other: other.isFocused() };
      });
    await expect.poll(focused).toEqual({ own: false, other: true });

    const second = await startAgain(place);
    expect(second.code).toBe(0);
    expect(second.said).toContain('Waymark is already open. Its window has come to the front.');
    await expect.poll(focused).toEqual({ own: true, other: false });
    await app.evaluate(() => (globalThis as unknown as { other: Electron.BrowserWindow }).other.destroy());

    model.letOn(6);
    await runEnded(page);
    await expect(row(page, STEPS)).toBeVisible();
    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    expect(runs).toHaveLength(1);
    expect(commandLine(place, 'run', 'show', runs[0]?.id ?? '')).toMatchObject({ taken: STEPS });
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    expect(complaints).toEqual([]);
  } finally {
    await model.close();
  }
});

test('a workspace of a newer version is refused by name and left as it is, byte for byte', async ({
  place,
}) => {
  const node = join(import.meta.dirname, 'fixtures', 'researchgym', 'react-node-real-depth70.json');
  commandLine(place, 'import', node, '--title', 'Made by this version');
  const file = join(place.workspace, 'workspace.db');
  const own = formatOf(file);
  writeFormat(file, own + 1);
  const before = everyFile(place.workspace);

  const { app, page } = await place.start({ args: ['--workspace', place.workspace] });
  await giveName(page, 'Ada');
  const refusal = page
    .getByRole('alert')
    .filter({ hasText: 'The data folder belongs to a newer version of Waymark.' });
  await expect(refusal).toBeVisible();
  await expect(page.getByText('Made by this version')).toHaveCount(0);
  expect(() => commandLine(place, 'run', 'list')).toThrow('workspace_newer');
  expect(everyFile(place.workspace)).toEqual(before);
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  app.process().kill('SIGTERM');
  await ended;
  expect(everyFile(place.workspace)).toEqual(before);

  writeFormat(file, own);
  expect(commandLine<{ runs: unknown[] }>(place, 'run', 'list').runs).toHaveLength(1);
});

/** Starts the application once more, as a person does who does not see that it runs. */
async function startAgain(place: Place): Promise<{ code: number | null; said: string }> {
  const { executablePath, args, env, cwd } = electronLaunch({
    args: ['--workspace', place.workspace],
    env: { WAYMARK_DATA: place.data, HOME: place.folder, LANG: 'en_US.UTF-8' },
  });
  const child = spawn(executablePath, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => said.push(bytes));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said: Buffer.concat(said).toString() };
}

/** The format that a workspace says it has: SQLite's `user_version`, which stands at byte 60 of the file. */
function formatOf(file: string): number {
  return readFileSync(file).readUInt32BE(60);
}

function writeFormat(file: string, format: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(format, 60);
  writeFileSync(file, bytes);
}

/** Path, hash and time of every file below a folder. */
function everyFile(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const about = statSync(join(folder, path));
      if (!about.isFile()) return [path, 'no file'];
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex');
      return [path, `${about.mtimeMs} ${hash}`];
    }),
  );
}
