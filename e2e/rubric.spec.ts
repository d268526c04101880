import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { judgeAnswer } from '../electron/testing/scripted-judges';
import { test } from './application';
import { commandLine, commandLineBeside } from './command-line';
import { readRows, wrongHashes } from './dataset';
import { picture } from './picture';
import { bob, importExample, STEPS } from './review-workspace';
import { looked, row } from './story';

/** What the judge masks by the built-in rubric, and by one that says so; a keep rule speaks for 22. */
const BUILT_IN = [5, 22];
const OTHER = [22, 30];
const price = { input: 3, cached: 1, output: 15 };

/** Steps whose answers the dataset gives no loss; the first answer is the summary that the log begins with. */
function maskedIn(folder: string): number[] {
  const [first] = readRows(folder);
  const answers = first?.messages.filter(({ role }) => role === 'assistant').slice(1) ?? [];
  return answers.flatMap(({ step_loss_mask: loss }, at) => (loss === 0 ? [at + 1] : []));
}

test('a run is judged, a disagreement looked at, the rubric tried and kept, people differ and settle it, and both are exported', async ({
  place,
}) => {
  test.setTimeout(180_000);
  const server = await startScriptedModel({
    policy: (request) => {
      const masked = String(request.messages[0]?.content).includes('OTHER') ? OTHER : BUILT_IN;
      return judgeAnswer(request, (step) => (masked.includes(step) ? 'mask' : 'keep'));
    },
  });
  try {
    const endpoints = [{ name: 'strict', baseUrl: server.baseUrl, model: 'judge-1', price }];
    const run = importExample(place, 'react-node-real-depth70.json', 'Data set for math', { endpoints });
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
    const grid = page.locator('[role=grid]');
    await expect(grid).toHaveAttribute('aria-rowcount', String(STEPS));
    const press = async (...keys: string[]) => {
      await grid.focus();
      for (const key of keys) await page.keyboard.press(key);
    };
    const tray = page.getByTestId('jobs');
    const decided = (step: number, label: 'train' | 'mask') =>
      expect(row(page, step).locator(`[data-label=${label}][data-pending=false]`)).toBeVisible();

    await test.step('the judge is asked, by the rubric of the task', async () => {
      await press('g', 'a');
      const start = page.getByRole('button', { name: 'Start', exact: true });
      await expect(start).toBeEnabled();
      await picture(page, 'judge-dialog');
      await page.getByRole('button', { name: 'Add a judge' }).click();
      await page.getByLabel('Name of judge 2').fill('second');
      await expect(page.getByText('All judges')).toBeVisible();
      await picture(page, 'judge-dialog-two');
      await page.getByRole('button', { name: 'Remove judge 2' }).click();
      await page.getByRole('button', { name: 'Step rewards' }).click();
      await expect(start).toBeEnabled();
      await picture(page, 'judge-dialog-rewards');
      await page.getByRole('button', { name: 'Keep or mask' }).click();
      await expect(start).toBeEnabled();
      await start.click();
      await expect(tray).toContainText('2 to mask, 67 to keep');
    });

    await test.step('where rule and judge differ, one key agrees with the judge, another one disagrees', async () => {
      await tray.getByRole('button', { name: /^Review 1 step where rule and judge differ/ }).click();
      await expect(row(page, 22)).toHaveAttribute('aria-selected', 'true');
      const judge = page.getByRole('button', { name: 'Agree with strict: MASK' });
      await expect(judge).toBeVisible();
      await picture(page, 'judge-on-step');
      await looked(page);
      await press('w');
      await expect(row(page, 22).locator('[data-label=mask][data-pending=false]')).toBeVisible();
      await press('Escape', '0');
      for (let step = 1; step < 5; step += 1) await page.keyboard.press('j');
      await expect(row(page, 5)).toHaveAttribute('aria-selected', 'true');
      await looked(page);
      await press('Shift+W');
      await decided(5, 'train');
    });

    await test.step('another rubric is tried on the run: what it costs, what changes, how far it agrees with people', async () => {
      await press('g', 'z');
      await expect(page.getByText('Change the text to try it.')).toBeVisible();
      await picture(page, 'rubric');
      const field = page.getByLabel('Text of the rubric');
      await field.fill(`${await field.inputValue()}\nOTHER: mask what is never looked at again.`);
      await expect(page.getByTestId('trial-state')).toContainText(`${STEPS} steps, 3 requests, cost about $`);
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      const trial = page.getByTestId('trial');
      await expect(trial).toContainText(`1 from keep to mask, 1 from mask to keep, on ${STEPS} steps.`);
      await expect(page.getByTestId('trial-state')).toContainText(
        'strict has judged this run with this text.',
      );
      await expect(trial.getByRole('row').nth(1)).toContainText('50 %, n = 2');
      await expect(trial.getByRole('row').nth(1)).toContainText('100 %, n = 1');
      await expect(trial.getByRole('listitem').first()).toContainText('agrees with people');
      await picture(page, 'rubric-tried');
      // The votes are as they were.
      const [before] = await commandLineBeside<unknown[]>(place, 'judge', 'list');
      expect(before).toMatchObject({ votes: STEPS, trial: true });
      expect(await commandLineBeside(place, 'judge', 'agreement', '--run', run)).toMatchObject({
        judges: [{ judge: 'strict', maskPrecision: { value: 0.5, n: 2 } }],
        drift: [],
      });
      await trial.getByRole('button', { name: 'Go to step 30' }).click();
      await expect(row(page, 30)).toHaveAttribute('aria-selected', 'true');
      await expect(row(page, 30)).toHaveAttribute('aria-label', /judge says train 0\.90/);
    });

    await test.step('it is kept: its verdicts are votes, and nothing is paid twice', async () => {
      const sent = server.requests.length;
      await press('g', 'z');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByText(`Rubric saved. ${STEPS} trial verdicts count as votes now`)).toBeVisible();
      await picture(page, 'rubric-saved');
      await page.keyboard.press('Escape');
      await expect(row(page, 30)).toHaveAttribute('aria-label', /judge says mask 0\.90/);
      expect(server.requests).toHaveLength(sent);
      expect(await commandLineBeside(place, 'judge', 'agreement', '--run', run)).toMatchObject({
        judges: [{ judge: 'strict', maskPrecision: { value: 1, n: 1 } }],
        drift: [
          { steps: STEPS, toMask: 1, toKeep: 1, recall: { before: { value: 1 }, after: { value: 1 } } },
        ],
      });
    });

    await test.step('people differ on the step, and it is settled', async () => {
      await commandLineBeside(place, 'label', run, '30', 'train', '--annotator', bob);
      await expect(row(page, 30)).toHaveAttribute('aria-label', /decided by Bob Ng/);
      await looked(page);
      await press('w');
      await expect(row(page, 30)).toHaveAttribute('aria-label', /opinions differ/);
      await page.keyboard.press('k');
      await expect(row(page, 30)).toHaveAttribute('aria-selected', 'true');
      await looked(page);
      await press('Shift+T');
      await decided(30, 'train');
    });

    await test.step('what another process saves meanwhile is not lost by a click: its differences are shown first', async () => {
      const { runs } = await commandLineBeside<{ runs: { task: string }[] }>(place, 'run', 'list');
      const task = runs[0]?.task ?? '';
      const kept = () =>
        commandLineBeside<{ text: string }>(place, 'judge', 'rubric', 'show', '--task', task);
      await press('g', 'z');
      const field = page.getByLabel('Text of the rubric');
      await field.fill(`${await field.inputValue()}\nMine.`);
      const theirs = join(place.folder, 'theirs.md');
      writeFileSync(theirs, 'Theirs: mask what is OTHER.\n');
      await commandLineBeside(place, 'judge', 'rubric', 'set', theirs, '--task', task);
      await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
      await expect(page.getByTestId('rubric-state')).toContainText(
        'saved another text while you were editing',
      );
      await expect(page.getByLabel('Changes', { exact: true })).toContainText('Theirs: mask what is OTHER.');
      await picture(page, 'rubric-overtaken');
      expect((await kept()).text).toBe('Theirs: mask what is OTHER.\n');
      await page.getByRole('button', { name: 'Save mine over it' }).click();
      await expect(page.getByText('Rubric saved').last()).toBeVisible();
      expect((await kept()).text).toMatch(/OTHER: mask.*\nMine\.$/s);
      await page.getByRole('button', { name: 'Summaries' }).click();
      await expect(page.getByTestId('rubric-state')).toContainText('The built-in text is in use (summaries@');
      await field.fill('Mask a summary that forgets a path.');
      await picture(page, 'rubric-summaries');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByTestId('rubric-state')).toContainText('Saved by Ada Lovelace');
      await page.keyboard.press('Escape');
    });

    await app.close();
    expect(complaints).toEqual([]);
    const out = join(place.folder, 'dataset');
    const options = ['--run', run, '--undecided', 'train', '--no-tools', 'allow'];
    const variants = ['--variant', 'judge', '--variant', 'human'];
    commandLine(place, 'export', '--out', out, '--format', 'slime', ...options, ...variants);
    expect(maskedIn(join(out, 'judge'))).toEqual(OTHER);
    expect(maskedIn(join(out, 'human'))).toEqual([22]);
    expect(wrongHashes(out)).toEqual([]);
    const { runs } = commandLine<{ runs: { task: string }[] }>(place, 'run', 'list');
    expect(commandLine(place, 'judge', 'rubric', 'show', '--task', runs[0]?.task ?? '')).toMatchObject({
      kept: { author: 'Ada Lovelace' },
      text: expect.stringContaining('OTHER'),
    });
    expect(
      commandLine(place, 'judge', 'rubric', 'show', '--task', runs[0]?.task ?? '', '--summaries'),
    ).toMatchObject({ kind: 'summaries', text: 'Mask a summary that forgets a path.' });
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  } finally {
    await server.close();
  }
});
