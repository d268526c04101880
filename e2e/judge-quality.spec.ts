import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { giveToApplication } from '../scripts/launch.mjs';
import { test } from './application';
import { commandLine } from './command-line';
import { bob, importExample, STEPS } from './review-workspace';

const steps = Array.from({ length: STEPS }, (_, at) => at + 1);
/** Planted: every fifth step is bad. */
const isBad = (step: number) => step % 5 === 0;
const reasons = ['blind-edit', 'eval-timing', 'idle-compute'];

/** Votes as files hold them: a judge that is mostly right and less sure where it is wrong, one that keeps all, and ratings. */
function votes(): object[] {
  const wrong = (step: number) => step % 7 === 3;
  const careful = (rubric: string, errs: (step: number) => boolean) =>
    steps.map((step) => ({
      step,
      judge: 'careful',
      value: isBad(step) !== errs(step) ? 'mask' : 'keep',
      confidence: errs(step) ? 0.55 : 0.7 + (step % 3) / 10,
      reason: reasons[step % 3],
      rubric,
    }));
  const lenient = steps.map((step) => ({ step, judge: 'lenient', value: 'keep', confidence: 0.9 }));
  const rated = (judge: string, count: number, errs: (step: number, vote: number) => boolean) =>
    steps.flatMap((step) =>
      Array.from({ length: count }, (_, at) => ({
        step,
        judge,
        vote: at + 1,
        value: isBad(step) !== errs(step, at) ? -1 : 1,
        rubric: 'reward-steps@1',
      })),
    );
  return [
    ...lenient,
    ...rated('careful', 3, (step, vote) => (step + vote) % 6 === 0),
    ...rated('strong', 8, (step, vote) => (step * 3 + vote) % 11 === 0),
    ...careful('steps@2', wrong),
  ];
}

async function pictures(page: Page, name: string): Promise<void> {
  const folder = process.env.WAYMARK_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/quality-${name}-${colorScheme}.png` });
  }
}

test('the plots tell how good a judge is, against people and against one who knows, and save it as a file', async ({
  place,
}) => {
  test.setTimeout(150_000);
  const run = importExample(place, 'react-node-real-depth70.json', 'Data set for math');
  const bring = (lines: readonly object[]) => {
    const file = join(place.folder, 'votes.jsonl');
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    giveToApplication(place.folder);
    commandLine(place, 'label', 'judge', run, file);
  };
  bring(steps.map((step) => ({ step, judge: 'careful', value: 'keep', rubric: 'steps@1' })));
  bring(votes());
  const of = (value: boolean) => steps.filter((step) => isBad(step) === value).join();
  commandLine(place, 'label', run, of(true), 'mask', '--annotator', 'planted');
  commandLine(place, 'label', run, of(false), 'train', '--annotator', 'planted');
  commandLine(place, 'label', run, '1-20', 'train', '--annotator', bob);
  const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
  await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
  await page.locator('[role=grid]').focus();
  for (const key of ['g', 'g']) await page.keyboard.press(key);
  const panel = page.getByRole('dialog', { name: 'Plots' });

  await test.step('the figures are those of the command line', async () => {
    await expect(panel.getByRole('heading', { name: 'careful: agreement' })).toBeVisible();
    const found = commandLine<{ judges: { accuracy: { value: number; n: number } }[] }>(
      place,
      'judge',
      'agreement',
    );
    const { value, n } = found.judges[0]?.accuracy ?? { value: Number.NaN, n: 0 };
    await expect(panel.getByRole('img')).toContainText(`${value.toFixed(2)} (`);
    await expect(panel.getByRole('img')).toContainText(`n = ${n}`);
    await pictures(page, 'agreement');
  });

  await test.step('against the planted answers every step counts', async () => {
    await panel.getByLabel('Compared with').selectOption({ label: 'planted (person)' });
    await expect(panel.getByRole('img')).toContainText(`n = ${STEPS}`);
    for (const view of ['Calibration', 'Between raters', 'Votes and outcomes', 'Rubrics']) {
      await panel.getByRole('tab', { name: view }).click();
      await expect(panel.getByRole('img')).toBeVisible();
      await pictures(page, view.toLowerCase().replaceAll(' ', '-'));
    }
    await panel.getByLabel('Compared with').selectOption({ label: 'strong (judge)' });
    await panel.getByRole('tab', { name: 'Between raters' }).click();
    await expect(panel.getByRole('img')).toContainText('careful, majority agrees with strong');
    await pictures(page, 'strong');
  });

  await test.step('it is saved as a table', async () => {
    const path = join(place.folder, 'raters.csv');
    await place.answerSave(app, path);
    await panel.getByRole('button', { name: 'CSV' }).click();
    await expect(page.getByText(`Saved ${path}`)).toBeVisible();
    expect(readFileSync(path, 'utf8')).toMatch(/^Group,Figure,Value,Low,High,n,Note\r\n.*Fleiss/s);
  });
  await app.close();
  expect(complaints).toEqual([]);
});
