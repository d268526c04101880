import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { test } from './application';
import { commandLine, commandOutput } from './command-line';
import { makeExperiment } from './experiment-workspace';

/** A picture for whoever looks at the window, where one is asked for. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.WAYMARK_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
}

test('an experiment is read in the window, its figures are saved as the command line says them, and two of its runs stand side by side', async ({
  place,
}) => {
  test.setTimeout(240_000);
  // Three tasks, half of the runs with hints.
  await makeExperiment(place, { name: 'Hints or not', runs: 12, tasks: 3, steps: 40 });
  const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
  const shown = commandLine<{ arms: { arm: string; figures: { final: { overTasks: { mean: number } } } }[] }>(
    place,
    ...['experiment', 'show', 'Hints or not'],
  );

  await test.step('a key leads to the experiments, the arms side by side', async () => {
    await page.locator('[role=grid]').focus();
    for (const key of ['g', 'e']) await page.keyboard.press(key);
    const row = page
      .getByTestId('arms')
      .getByRole('row', { name: /^Final score/ })
      .first();
    for (const { figures } of shown.arms)
      await expect(row).toContainText(figures.final.overTasks.mean.toFixed(1));
    await picture(page, 'experiment');
    await page.getByTestId('effort').scrollIntoViewIfNeeded();
    await picture(page, 'experiment-effort');
    await page.getByTestId('runs').scrollIntoViewIfNeeded();
    await picture(page, 'experiment-runs');
  });

  const save = async (button: ReturnType<Page['getByRole']>, name: string) => {
    const path = join(place.folder, name);
    await place.answerSave(app, path);
    await button.click();
    await expect(page.getByText(`Saved ${path}`)).toBeVisible();
    return readFileSync(path);
  };
  await test.step('report, runs and curve are files on the disk with the figures of the command line', async () => {
    const says = (format: string) =>
      commandOutput(place, 'experiment', 'show', 'Hints or not', '--format', format).toString();
    const report = await save(page.getByRole('button', { name: 'Save report' }), 'report.md');
    expect(report.toString()).toBe(says('markdown'));
    const runs = await save(page.getByRole('button', { name: 'Save runs as CSV' }), 'runs.csv');
    expect(runs.toString()).toBe(says('csv'));
    expect(says('csv').trimEnd().split('\n')).toHaveLength(13);
    const plot = page.getByRole('figure', { name: 'Scaling' });
    const png = await save(plot.getByRole('button', { name: 'PNG' }), 'scaling.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const svg = (await save(plot.getByRole('button', { name: 'SVG' }), 'scaling.svg')).toString();
    expect(svg).toMatch(/^<svg[^>]*viewBox="0 0 860 316"/);
    expect(svg).toContain('no hints');
    const csv = (await save(plot.getByRole('button', { name: 'CSV' }), 'scaling.csv')).toString();
    expect(csv.split('\r\n')[0]).toBe('Arm,Hour,Score,Tasks with a score,Tasks');
  });

  await test.step('two runs side by side, and a step of one in Review', async () => {
    for (const title of ['Task 1, no hints, sample 1', 'Task 1, hints, sample 1'])
      await page.getByLabel(`Compare ${title}`).check();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const steps = page.getByRole('region', { name: 'Steps of both runs' });
    await expect(steps.getByText(/^Up to score/).first()).toBeVisible();
    await picture(page, 'pair');
    await page.getByRole('button', { name: 'Scores', exact: true }).click();
    await picture(page, 'pair-scores');
    await page.getByRole('button', { name: 'Step by step' }).click();
    await steps.getByRole('button', { name: 'Open step 2', exact: true }).last().click();
    await expect(page.locator('[role=row][data-step="2"]')).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText('Task 1, hints, sample 1').first()).toBeVisible();
    await page.locator('[role=grid]').focus();
    for (const key of ['g', 'v']) await page.keyboard.press(key);
    await expect(page.getByRole('region', { name: 'Two runs side by side' })).toBeVisible();
  });
  expect(complaints).toEqual([]);
});
