import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from './application';
import { commandLine } from './command-line';
import { focusTimeline, giveName, row } from './story';

const node = join(import.meta.dirname, 'fixtures', 'researchgym', 'react-node-real-depth70.json');

/** Zeros the pages of the file that hold a text: what a disk does that loses a block. */
function lose(file: string, text: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const page = Math.floor(at / 4096) * 4096;
    bytes.fill(0, page, page + 4096);
  }
  writeFileSync(file, bytes);
}

test('a damaged data folder is brought back from a backup into a new one, labels and all', async ({
  place,
}) => {
  test.setTimeout(180_000);
  const { run } = commandLine<{ run: string }>(place, 'import', node, '--title', 'Summaries of data sets');
  commandLine(place, 'label', run, '1-3', 'train', '--annotator', 'Ada');
  const file = join(place.workspace, 'workspace.db');
  const restored = join(place.folder, 'restored');

  // The rows that say how far each run is: the logs themselves stay whole.
  lose(file, '"maxTries"');
  const before = readFileSync(file);

  const data = join(place.folder, 'data of Ada');
  const { app, page, complaints } = await place.start({
    args: ['--workspace', place.workspace],
    env: { WAYMARK_DATA: data },
  });
  await giveName(page, 'Ada');
  await test.step('the window says what is wrong and offers the way out', async () => {
    const banner = page.getByRole('alert').filter({ hasText: 'The data folder is damaged.' });
    await banner.getByRole('button', { name: 'Restore from a backup…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore from a backup' });
    await expect(dialog.getByRole('radio').first()).toBeChecked();
    await expect(dialog).toContainText('1 label, 0 hints, 1 run, by Ada');
  });

  await test.step('the copy is restored into a new folder, which is opened', async () => {
    await place.answerSave(app, restored);
    await page.getByRole('button', { name: 'Choose a new folder and restore…' }).click();
    const done = page.getByRole('dialog', { name: 'Restored' });
    await expect(done).toContainText(restored);
    const list = done.getByRole('list', { name: 'Runs' });
    await expect(list).toContainText('Summaries of data sets Restored: 69 steps, 1 label');
    await done.getByRole('button', { name: 'Close' }).last().click();
    await expect(page.getByRole('alert').filter({ hasText: 'The data folder is damaged.' })).toBeHidden();
  });
  await test.step('its labels are seen', async () => {
    await focusTimeline(page);
    for (const key of ['g', 'r', '0']) await page.keyboard.press(key);
    for (const step of [1, 2, 3]) await expect(row(page, step).locator('[data-label=train]')).toBeVisible();
    await expect(row(page, 4).locator('[data-label=train]')).toBeHidden();
  });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(complaints).toEqual([]);
  await app.close();
  // Nothing asks a damaged folder about its runs after the test.
  rmSync(place.workspace, { recursive: true });
  expect(commandLine<{ ok: boolean }>({ ...place, workspace: restored }, 'verify').ok).toBe(true);
});

test('a data folder whose workspace.db is gone is not begun anew; what its backup holds comes back', async ({
  place,
}) => {
  test.setTimeout(120_000);
  const { run } = commandLine<{ run: string }>(place, 'import', node, '--title', 'Summaries of data sets');
  commandLine(place, 'label', run, '1-3', 'train', '--annotator', 'Ada');
  const file = join(place.workspace, 'workspace.db');
  rmSync(file);
  const restored = join(place.folder, 'restored');
  const { app, page, complaints } = await place.start({
    args: ['--workspace', place.workspace],
    env: { WAYMARK_DATA: join(place.folder, 'data of Ada') },
  });
  await giveName(page, 'Ada');
  const banner = page.getByRole('alert').filter({ hasText: 'The data folder is damaged.' });
  await banner.getByRole('button', { name: 'Restore from a backup…' }).click();
  await expect(page.getByRole('dialog', { name: 'Restore from a backup' })).toContainText('1 label');
  expect(existsSync(file)).toBe(false);
  await place.answerSave(app, restored);
  await page.getByRole('button', { name: 'Choose a new folder and restore…' }).click();
  const done = page.getByRole('dialog', { name: 'Restored' });
  await expect(done.getByRole('list', { name: 'Runs' })).toContainText('Not restored; 1 label set aside');
  await done.getByRole('button', { name: 'Close' }).last().click();
  await expect(banner).toBeHidden();
  expect(existsSync(file)).toBe(false);
  expect(complaints).toEqual([]);
  await app.close();
  rmSync(place.workspace, { recursive: true });
  expect(commandLine<{ ok: boolean }>({ ...place, workspace: restored }, 'verify').ok).toBe(true);
});
