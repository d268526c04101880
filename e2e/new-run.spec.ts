import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startDemoModel } from '../electron/demo/demo';
import { giveToApplication } from '../scripts/launch.mjs';
import { test } from './application';
import { commandLine } from './command-line';
import { giveName, row, runEnded } from './story';

const resources = join(import.meta.dirname, '..', 'resources');

test('a new run: endpoint with its connection tested, task package, limits, start', async ({ place }) => {
  test.setTimeout(150_000);
  const shared = join(place.folder, 'share');
  mkdirSync(shared);
  giveToApplication(shared);
  const model = await startDemoModel({ resourcesDir: resources, paceMs: 0 });
  try {
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await giveName(page, 'Grace');

    await page.keyboard.press('Control+Comma');
    await page.getByRole('tab', { name: 'Models' }).click();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Recorded');
    await page.getByRole('textbox', { name: 'Base URL' }).fill('not an address');
    await page.getByRole('textbox', { name: 'Model id' }).fill(model.model);
    await page.getByRole('button', { name: 'Save endpoint' }).click();
    await expect(page.getByText('Enter an address that starts with http:// or https://.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Base URL' }).fill(model.baseUrl);
    await page.getByRole('button', { name: 'Save endpoint' }).click();
    await expect(page.getByRole('rowheader', { name: 'Recorded' })).toBeVisible();
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+KeyN');
    await place.answerFolder(app, join(resources, 'demo', 'task'));
    await page.getByRole('button', { name: 'Add task package' }).click();
    await page.getByRole('button', { name: 'Test connection' }).click();
    await expect(page.getByText('The model answers')).toBeVisible();
    await page.getByRole('textbox', { name: 'Steps', exact: true }).fill('6');
    await page.getByRole('checkbox', { name: 'Ask before commands that are not read-only' }).uncheck();
    await page.getByRole('textbox', { name: 'Hours per training' }).fill('12');
    await page.getByRole('textbox', { name: 'Evaluations' }).fill('two');
    await expect(page.getByRole('button', { name: 'Start run' })).toBeDisabled();
    await page.getByRole('textbox', { name: 'Evaluations' }).fill('2');
    await page.getByRole('textbox', { name: 'Working hours' }).fill('1.5');
    await page.getByRole('textbox', { name: 'Tokens in and out' }).fill('900000');
    await place.answerFolder(app, place.data);
    await page.getByRole('button', { name: 'Add read-only folder…' }).click();
    await expect(page.locator('.toasts')).toContainText("holds Waymark's own data");
    await place.answerFolder(app, shared);
    await page.getByRole('button', { name: 'Add writable folder…' }).click();
    await expect(page.getByRole('list', { name: 'Folders' })).toContainText(`${shared}writable`);
    await page.getByText('Compare with other runs').click();
    await page.getByRole('checkbox', { name: 'People may send hints' }).uncheck();
    await page.getByRole('combobox', { name: 'Task hint' }).selectOption('upfront');
    await page.getByRole('textbox', { name: 'Experiment' }).fill('hints or none');
    await page.getByRole('textbox', { name: 'Arm' }).fill('with hints');
    await page.getByRole('textbox', { name: 'Group' }).fill('g1');
    await page.getByRole('textbox', { name: 'Sample' }).fill('3');
    await page.getByRole('textbox', { name: 'Seed' }).fill('17');
    await page.getByRole('button', { name: 'Start run' }).click();
    await expect(row(page, 1)).toBeVisible();
    await runEnded(page);

    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    const shown = commandLine<{ computers: { isolation?: string; folders?: object[] }[] }>(
      place,
      ...['run', 'show', runs[0]?.id ?? ''],
    );
    expect(shown).toMatchObject({
      steps: 6,
      status: 'finished',
      recorded: {
        experiment: 'hints or none',
        arm: 'with hints',
        group: 'g1',
        sample: 3,
        seed: 17,
        humanHints: false,
        taskHint: 'upfront',
      },
      budgets: {
        trainingMs: { limit: 12 * 3_600_000 },
        evaluations: { limit: 2 },
        workingMs: { limit: 1.5 * 3_600_000 },
        tokens: { limit: 900_000 },
      },
    });
    const { messages } = commandLine<{ messages: object[] }>(
      place,
      ...['step', 'show', runs[0]?.id ?? '', '1', '--prompt'],
    );
    // The hint of the demo task, which it does not give unless it is asked to.
    expect(JSON.stringify(messages)).toContain('Look at how often the same text comes back');
    // Where this machine has no sandbox there is nothing that a folder could be shown in.
    const [computer] = shown.computers;
    if (computer?.isolation !== undefined)
      expect(computer.folders).toMatchObject([{ path: shared, write: true }]);
    await page.getByRole('button', { name: 'More run controls' }).click();
    await page.getByRole('menuitem', { name: /^Run details/ }).click();
    const details = page.getByRole('dialog', { name: 'Run details' });
    await expect(details).toContainText('Armwith hints');
    await expect(details).toContainText('Hints from peoplenot allowed');
    expect(complaints).toEqual([]);
  } finally {
    await model.close();
  }
});
