import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startDemoModel } from '../electron/demo/demo';
import { test } from './application';
import { commandLine } from './command-line';
import { row, runEnded } from './story';

const resources = join(import.meta.dirname, '..', 'resources');

test('a new run: endpoint with its connection tested, task package, limits, start', async ({ place }) => {
  test.setTimeout(150_000);
  const model = await startDemoModel({ resourcesDir: resources, paceMs: 0 });
  try {
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await page.getByRole('textbox', { name: 'Your name' }).fill('Grace');
    await page.keyboard.press('Enter');

    await page.keyboard.press('Control+Comma');
    await page.getByRole('tab', { name: 'Models' }).click();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Recorded');
    await page.getByRole('textbox', { name: 'Base URL' }).fill('not an address');
    await page.getByRole('textbox', { name: 'Model id' }).fill(model.model);
    await page.getByRole('button', { name: 'Save endpoint' }).click();
    await expect(page.getByText('Write an address that starts with http:// or https://.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Base URL' }).fill(model.baseUrl);
    await page.getByRole('button', { name: 'Save endpoint' }).click();
    await expect(page.getByRole('rowheader', { name: 'Recorded' })).toBeVisible();
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+KeyN');
    await place.answerFolder(app, join(resources, 'demo', 'task'));
    await page.getByRole('button', { name: 'Add task package' }).click();
    await page.getByRole('button', { name: 'Test connection' }).click();
    await expect(page.getByText('The model answers')).toBeVisible();
    await page.getByRole('textbox', { name: 'Stops after steps' }).fill('6');
    await page.getByRole('checkbox', { name: 'Ask before commands that do more than look' }).uncheck();
    await page.getByRole('button', { name: 'Start run' }).click();
    await expect(row(page, 1)).toBeVisible();
    await runEnded(page);

    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    expect(commandLine(place, 'run', 'show', runs[0]?.id ?? '')).toMatchObject({
      steps: 6,
      status: 'finished',
    });
    expect(complaints).toEqual([]);
  } finally {
    await model.close();
  }
});
