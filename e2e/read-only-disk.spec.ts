import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { giveToApplication } from '../scripts/launch.mjs';
import { test } from './application';
import { commandLine } from './command-line';
import { focusTimeline, giveName, looked, row } from './story';

const node = join(import.meta.dirname, 'fixtures', 'researchgym', 'react-node-real-depth70.json');

test('a data folder on a read-only disk opens, says so, and is read', async ({ place }) => {
  const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
  test.info().skip(!mayMount, 'mounting a disk needs root on Linux');
  test.setTimeout(120_000);
  const { run } = commandLine<{ run: string }>(place, 'import', node, '--title', 'Summaries of data sets');
  commandLine(place, 'label', run, '1-3', 'train', '--annotator', 'Ada');
  const disk = join(place.folder, 'disk');
  const folder = join(disk, 'workspace');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
  try {
    cpSync(place.workspace, folder, { recursive: true });
    giveToApplication(disk);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const before = readdirSync(folder).sort();
    const { app, page, complaints } = await place.start({ args: ['--workspace', folder] });
    await giveName(page, 'Ada');
    await test.step('it says that it is only read', async () => {
      const banner = page.getByRole('alert').filter({ hasText: 'The data folder is read-only.' });
      await expect(banner).toContainText('its disk or folder is read-only. It can be read;');
      await expect(page.getByRole('alert').filter({ hasText: 'Not trusted yet' })).toHaveCount(0);
    });
    await test.step('its run and labels are there, and a step can be read', async () => {
      await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', '69');
      await focusTimeline(page);
      for (const key of ['g', 'r', '0']) await page.keyboard.press(key);
      await expect(row(page, 1).locator('[data-label=train]')).toBeVisible();
    });
    await test.step('a decision is not taken', async () => {
      await looked(page);
      await page.keyboard.press('m');
      await expect(page.getByRole('contentinfo')).toContainText('Not saving');
      await expect(row(page, 1).locator('[data-label=train]')).toBeVisible();
    });
    expect(complaints).toEqual([]);
    await app.close();
    expect(readdirSync(folder).sort()).toEqual(before);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
