import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { applicationUser } from '../scripts/launch.mjs';
import { policyViolations, test } from './application';
import { startPacedModel } from './long-run-model';
import { preparePacedRun, startPacedRun } from './paced-run';

const variable = 'PLANTED_API_KEY';
/** Put together, so that the test's own process does not hold it where it would be searched. */
const planted = ['sk-planted', 'in-the-window', '0123456789abcdef'].join('-');
/** The key as it is, and as base64 of whatever stands before it. */
const forms = [
  planted,
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${planted}`)
      .toString('base64')
      .slice(4, -4),
  ),
];

/** Files below a folder that hold the key, in any form. */
function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return forms.some((form) => bytes.includes(form));
    });
}

/** What each process shows to another one of the same user: of those the user may read, which hold the key. */
function processesWith(): { read: number; found: string[] } {
  const user = applicationUser();
  const script =
    'for p in /proc/[0-9]*; do for f in environ cmdline; do [ -r $p/$f ] && echo "== $p/$f" && cat $p/$f; done; done';
  const { stdout } = spawnSync('sh', ['-c', `{ ${script}; } 2>/dev/null`], {
    maxBuffer: 64e6,
    env: { PATH: process.env.PATH },
    cwd: '/',
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  const blocks = stdout.toString('latin1').split('== ').slice(1);
  const found = blocks.filter((block) => forms.some((form) => block.includes(form)));
  return { read: blocks.length, found: found.map((block) => block.slice(0, 200).replaceAll('\0', ' ')) };
}

/** What the page's engine holds, in full. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const pieces: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => pieces.push(chunk));
  await session.send('HeapProfiler.takeHeapSnapshot', { captureNumericValue: true });
  await session.detach();
  return pieces.join('');
}

test('a key of a real session stands nowhere but in the main process', async ({ place }) => {
  test.setTimeout(180_000);
  const model = await startPacedModel([3]);
  try {
    const endpoint = { name: 'Paced', baseUrl: model.baseUrl, model: 'scripted', contextTokens: 30_000 };
    await preparePacedRun(place, model, 4, 'Ada', 'off', { endpoints: [{ ...endpoint, keyEnv: variable }] });
    const { app, page } = await place.start({
      args: ['--workspace', place.workspace],
      env: { [variable]: planted },
    });
    await startPacedRun(page);
    await model.reached(3);

    await test.step('it is used', async () => {
      expect(new Set(model.requests.map(({ authorization }) => authorization))).toEqual(
        new Set([`Bearer ${planted}`]),
      );
    });
    await test.step('no process shows it, no session has it', async () => {
      const { read, found } = processesWith();
      expect(read).toBeGreaterThan(10);
      expect(found).toEqual([]);
    });
    await test.step('the main process leaves no core file, and no page of its memory would be in one', async () => {
      // No other system lets a process say so.
      if (process.platform !== 'linux') return;
      const pid = await app.evaluate(() => process.pid);
      expect(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +[01] /m);
    });
    await test.step('the page does not hold it', async () => {
      await page.keyboard.press('Control+,');
      await expect(page.getByRole('dialog')).toBeVisible();
      const heap = await heapOf(page);
      // What the page surely holds is in it.
      expect(heap).toContain(model.baseUrl);
      for (const form of forms) expect(heap.includes(form)).toBe(false);
      await page.keyboard.press('Escape');
    });
    await test.step('a page that crashes leaves no dump', async () => {
      await app.evaluate(async ({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        const again = new Promise<void>((resolve) => contents?.once('did-finish-load', () => resolve()));
        contents?.forcefullyCrashRenderer();
        await again;
      });
      expect(filesWith(place.folder)).toEqual([]);
    });
    model.letOn(3);
    await test.step('nor does the main process', async () => {
      const dumps = await app.evaluate(({ app: application }) => application.getPath('crashDumps'));
      expect(dumps.startsWith(place.folder)).toBe(true);
      const child = app.process();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await app.evaluate(() => setImmediate(() => process.crash())).catch(() => null);
      await ended;
      expect(filesWith(place.folder)).toEqual([]);
      const names = readdirSync(place.folder, { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => /\.dmp$|(?:^|\/)core(?:\.\d+)?$/.test(name))).toEqual([]);
      expect(names.filter((name) => name.endsWith('workspace.db'))).toHaveLength(1);
      expect(policyViolations(place.data)).toEqual([]);
    });
  } finally {
    await model.close();
  }
});
