import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { judgeAnswer } from '../electron/testing/scripted-judges';
import { giveToApplication } from '../scripts/launch.mjs';
import { test } from './application';
import { commandLine, commandLineBeside } from './command-line';
import { readRows, wrongHashes } from './dataset';
import { importExample, STEPS } from './review-workspace';
import { looked, row } from './story';

/** What the judge masks by the first rubric; by the second it lets one of them stay. */
const MASKED = [5, 30] as const;
const STAYS = 30;

function says(page: Page, step: number, words: RegExp): Promise<void> {
  return expect(row(page, step)).toHaveAttribute('aria-label', words);
}

/** The row holds this, and the decision is on the disk. */
function decided(page: Page, step: number, label: 'train' | 'mask'): Locator {
  return row(page, step).locator(`[data-label=${label}][data-pending=false]`);
}

/** Losses of the row's steps; the first answer is the summary the log begins with. */
function maskedIn(folder: string): number[] {
  const [first] = readRows(folder);
  const answers = first?.messages.filter(({ role }) => role === 'assistant').slice(1) ?? [];
  return answers.flatMap(({ step_loss_mask: loss }, at) => (loss === 0 ? [at + 1] : []));
}

test('a judge is asked beside an open window: its votes appear, another rubric changes them, a person has the last word', async ({
  place,
}) => {
  test.setTimeout(150_000);
  let masked: readonly number[] = MASKED;
  const server = await startScriptedModel({
    policy: (request) => judgeAnswer(request, (step) => (masked.includes(step) ? 'mask' : 'keep')),
  });
  try {
    const run = importExample(place, 'react-node-real-depth70.json', 'Data set for math');
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
    const endpoint = ['--base-url', server.baseUrl, '--model', 'judge-a'];
    const judge = (...more: string[]) =>
      commandLineBeside<{ votes: number; masks: number }>(
        place,
        'judge',
        'run',
        '--run',
        run,
        ...endpoint,
        ...more,
      );

    await test.step('the votes of another process appear in the open window', async () => {
      expect(await judge()).toMatchObject({ votes: STEPS, masks: MASKED.length });
      await page.locator('[role=grid]').focus();
      for (const key of ['g', 'r', '0']) await page.keyboard.press(key);
      await says(page, 5, /judge says mask 0\.90/);
      await says(page, 1, /judge says train 0\.90/);
    });

    await test.step('the step shows the reason that the judge gave', async () => {
      for (const key of ['j', 'j', 'j', 'j']) await page.keyboard.press(key);
      await expect(row(page, 5)).toHaveAttribute('aria-selected', 'true');
      await expect(page.getByText('Blind edit: Because.').first()).toBeVisible();
    });

    await test.step('a person keeps what the judge masks', async () => {
      await looked(page);
      await page.keyboard.press('t');
      await expect(decided(page, 5, 'train')).toBeVisible();
    });

    await test.step('by another rubric all steps are judged again, and the later vote stands', async () => {
      const rubric = join(place.folder, 'rubric.md');
      writeFileSync(rubric, 'Keep what makes progress.\n\n{{points}}\n');
      giveToApplication(place.folder);
      masked = MASKED.filter((step) => step !== STAYS);
      expect(await judge('--rubric', rubric)).toMatchObject({ votes: STEPS, masks: 1 });
      expect(await judge('--rubric', rubric)).toMatchObject({ votes: 0 });
      await page.keyboard.press('Control+K');
      await page.keyboard.insertText(String(STAYS));
      await page.keyboard.press('Enter');
      await says(page, STAYS, /judge says train 0\.90/);
    });

    await app.close();
    expect(complaints).toEqual([]);
    const out = join(place.folder, 'dataset');
    const options = ['--run', run, '--undecided', 'train', '--no-tools', 'allow'];
    const variants = ['--variant', 'all', '--variant', 'judge', '--variant', 'human'];
    commandLine(place, 'export', '--out', out, '--format', 'slime', ...options, ...variants);
    expect(maskedIn(join(out, 'judge'))).toEqual([5]);
    expect(maskedIn(join(out, 'human'))).toEqual([]);
    expect(maskedIn(join(out, 'all'))).not.toContain(5);
    expect(wrongHashes(out)).toEqual([]);
    const found = commandLine<{ judges: unknown[] }>(place, 'judge', 'agreement', '--run', run);
    expect(found.judges).toMatchObject([{ judge: 'judge-a', votes: STEPS, accuracy: { n: 1, value: 0 } }]);
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  } finally {
    await server.close();
  }
});
