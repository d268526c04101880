import { expect } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { judgeAnswer } from '../electron/testing/scripted-judges';
import { test } from './application';
import { commandLine } from './command-line';
import { picture } from './picture';
import { importExample, STEPS } from './review-workspace';
import { row } from './story';

/** What the judge masks; a keep rule speaks for the second. */
const MASKED = [5, 22] as const;
const price = { input: 3, cached: 1, output: 15 };

test('a judge is asked from the window: the estimate first, then its votes on the disk and on the steps', async ({
  place,
}) => {
  test.setTimeout(150_000);
  const held: (() => void)[] = [];
  let holds = true;
  const server = await startScriptedModel({
    policy: async (request) => {
      if (holds && request.index > 0) await new Promise<void>((answer) => held.push(answer));
      return judgeAnswer(request, (step) => ((MASKED as readonly number[]).includes(step) ? 'mask' : 'keep'));
    },
  });
  try {
    const endpoints = [{ name: 'strict', baseUrl: server.baseUrl, model: 'judge-1', price }];
    const run = importExample(place, 'react-node-real-depth70.json', 'Data set for math', { endpoints });
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
    const start = page.getByRole('button', { name: 'Start', exact: true });
    const tray = page.getByTestId('jobs');

    await test.step('the dialog tells what it would take, and nothing has been sent', async () => {
      await page.locator('[role=grid]').focus();
      for (const key of ['g', 'a']) await page.keyboard.press(key);
      await expect(page.getByRole('dialog', { name: 'Ask a judge' })).toBeVisible();
      await expect(start).toBeEnabled();
      await expect(page.getByRole('region', { name: 'Estimate' })).toContainText(`Steps to judge${STEPS}`);
      await expect(page.getByText('Nothing has been sent yet.')).toBeVisible();
      await page.getByLabel('Cost limit').fill('0.01');
      await expect(page.getByText(/Below the estimate of/)).toBeVisible();
      await picture(page, 'dialog-limit');
      await page.getByLabel('Cost limit').fill('5');
      await picture(page, 'dialog');
      expect(server.requests).toEqual([]);
    });

    await test.step('it works in the background, and the jobs show how far it is', async () => {
      await start.click();
      await expect(tray.getByText('Judge strict')).toBeVisible();
      await expect(tray).toContainText(`24 of ${STEPS} steps`);
      await picture(page, 'tray-asking');
      await tray.getByRole('button', { name: 'Stop', exact: true }).click();
      await expect(tray).toContainText('stopping after the requests in progress');
      holds = false;
      for (const answer of held) answer();
    });

    await test.step('what had been sent is stored, and the steps show it', async () => {
      await expect(tray).toContainText('2 to mask, 67 to keep');
      await expect(tray.getByRole('button', { name: /^Review 1 step/ })).toBeVisible();
      await picture(page, 'tray-done');
      await tray.getByRole('button', { name: /^Review 1 step/ }).click();
      await expect(row(page, 22)).toHaveAttribute('aria-label', /judge says mask 0\.90/);
      await expect(row(page, 21)).toBeHidden();
      await picture(page, 'differences');
      await page.locator('[role=grid]').focus();
      for (const key of ['Escape', '0']) await page.keyboard.press(key);
      await expect(row(page, 5)).toHaveAttribute('aria-label', /judge says mask 0\.90/);
      expect(commandLine<{ state: string }[]>(place, 'judge', 'list')).toMatchObject([
        { judge: 'strict', state: 'done', votes: STEPS, masks: MASKED.length, runs: [run] },
      ]);
    });

    await test.step('a second look finds nothing left, and says so', async () => {
      await page.keyboard.press('Control+K');
      await page.keyboard.insertText('Ask a judge');
      await page.keyboard.press('Enter');
      await expect(page.getByText('strict has already judged all of these steps.')).toBeVisible();
      await expect(start).toBeDisabled();
      await picture(page, 'dialog-nothing-left');
      await page.keyboard.press('Escape');
    });

    await app.close();
    expect(complaints).toEqual([]);
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  } finally {
    await server.close();
  }
});

test('a window that closes in the middle leaves a batch that the next one continues, and pays for no answer twice', async ({
  place,
}) => {
  test.setTimeout(150_000);
  let holds = true;
  const server = await startScriptedModel({
    policy: async (request) => {
      if (holds && request.index > 0) await new Promise(() => undefined);
      return judgeAnswer(request, () => 'keep');
    },
  });
  try {
    const endpoints = [{ name: 'local', baseUrl: server.baseUrl, model: 'judge-1' }];
    importExample(place, 'react-node-real-depth70.json', 'Data set for math', { endpoints });
    const first = await place.start({ args: ['--workspace', place.workspace] });
    await expect(first.page.locator('[role=grid]')).toBeFocused();
    for (const key of ['g', 'a']) await first.page.keyboard.press(key);
    await expect(first.page.getByText('unknown, the model has no price')).toBeVisible();
    await expect(first.page.getByLabel('Cost limit')).toBeDisabled();
    await first.page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(first.page.getByTestId('jobs')).toContainText(`24 of ${STEPS} steps`);
    await first.app.close();
    const asked = server.requests.length;
    expect(commandLine(place, 'judge', 'list')).toMatchObject([{ state: 'interrupted', votes: 24 }]);

    holds = false;
    const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
    await expect(page.getByText('A judge’s batch was interrupted and can continue')).toBeVisible();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const tray = page.getByTestId('jobs');
    await expect(tray).toContainText('interrupted');
    await picture(page, 'tray-interrupted');
    await tray.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect(tray).toContainText(`0 to mask, ${STEPS} to keep`);
    expect(server.requests).toHaveLength(asked + 2);
    await tray.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.getByTestId('jobs-button')).toHaveCount(0);
    await app.close();
    expect([...first.complaints, ...complaints]).toEqual([]);
    expect(commandLine(place, 'judge', 'list')).toMatchObject([{ state: 'done', votes: STEPS }]);
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  } finally {
    await server.close();
  }
});
