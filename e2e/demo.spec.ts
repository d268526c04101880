import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { test } from './application';
import { commandLine } from './command-line';
import { readRows, wrongHashes } from './dataset';
import { ExportScreen } from './export-screen';
import { focusTimeline, row, runEnded, runState, startDemo } from './story';

const hint =
  'Look for repeated paragraphs: licence clauses come back in many packages with other quotes or case. Compare the texts with case and punctuation taken out, and keep only the first copy.';

interface Shown {
  id: string;
  status: string;
  steps: number;
  hints: { id: string; text: string; state: string; step: number | null }[];
  scores: { best: number; final: number; tries: number };
}

async function seriousProblems(page: Page): Promise<string[]> {
  // The page's policy forbids injected evaluation in frames; there are none, so the legacy mode suffices.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

test('first use to dataset: watch, hint, label, look, export', async ({ place }) => {
  test.setTimeout(180_000);
  const { app, page, complaints } = await startDemo(place);

  await test.step('a hint is queued while the agent works, and obeyed at its next step', async () => {
    await expect(row(page, 3)).toBeVisible();
    await focusTimeline(page);
    await page.keyboard.press('i');
    await page.getByRole('textbox', { name: 'Hint to the agent' }).fill(hint);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText(/^Hint 1/).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await runEnded(page);
  });

  const shown = await test.step('the log says the same', async () => {
    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    const run = commandLine<Shown>(place, 'run', 'show', runs[0]?.id ?? '');
    expect(run).toMatchObject({ status: 'finished', hints: [{ text: hint, state: 'delivered' }] });
    expect(run.scores.final).toBeGreaterThan(70);
    expect(run.scores.tries).toBe(2);
    const delivered = run.hints[0]?.step ?? 0;
    await focusTimeline(page);
    await page.keyboard.press('0');
    await page.keyboard.press('h');
    await expect(row(page, delivered)).toContainText('Hint 1');
    await expect(row(page, delivered + 1)).toContainText('think');
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(run.steps));
    return run;
  });

  /** Loss mask of step 1 in a dataset that another process makes from the disk, undecided steps waived as TRAIN. */
  const firstMask = (name: string) => {
    const out = `${place.folder}/${name}`;
    commandLine(place, 'export', '--out', out, '--undecided', 'train');
    return readRows(out)[0]?.messages.find(({ role }) => role === 'assistant')?.step_loss_mask;
  };

  await test.step('one key masks, one undoes; both are in the annotation log', async () => {
    await focusTimeline(page);
    await page.keyboard.press('0');
    await page.keyboard.press('m');
    await expect(row(page, 1).locator('[data-label=mask][data-pending=false]')).toBeVisible();
    await expect(row(page, 2)).toHaveAttribute('aria-selected', 'true');
    expect(firstMask('masked')).toBe(0);
    await page.keyboard.press('z');
    await expect(row(page, 1).locator('[data-label=undecided]')).toBeVisible();
    expect(firstMask('undone')).toBe(1);
    await page.keyboard.press('0');
    await page.keyboard.press('v');
    await page.keyboard.press('End');
    await page.keyboard.press('t');
    await expect(row(page, shown.steps).locator('[data-label=train][data-pending=false]')).toBeVisible();
    await expect(page.getByTestId('undecided-count')).not.toHaveText(/[1-9]/);
  });

  await test.step('the exact prompt is proven by its hash', async () => {
    await page.keyboard.press('e');
    await expect(page.getByText(/^Verified/).filter({ visible: true })).toBeVisible();
    await expect(page.getByRole('listbox', { name: 'Messages' }).getByRole('option').first()).toBeVisible();
  });

  await test.step('a changed file is shown as a diff', async () => {
    await focusTimeline(page);
    await page.keyboard.press('d');
    await expect(page.locator('.monaco-diff-editor .view-line').first()).toBeVisible({ timeout: 30_000 });
  });

  await test.step('the terminal shows what the session printed', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await expect(page.locator('.xterm-rows > div').filter({ hasText: /\S/ }).first()).toBeVisible();
  });

  await test.step('nothing serious is wrong for assistive technology', async () => {
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    expect(await seriousProblems(page)).toEqual([]);
  });

  await test.step('the export is a dataset whose masks are the labels', async () => {
    await focusTimeline(page);
    const out = `${place.folder}/dataset`;
    const screen = new ExportScreen(page, app, place);
    await screen.open();
    await screen.writeTo(out);
    const rows = readRows(out);
    expect(rows).toHaveLength(1);
    const answers = rows[0]?.messages.filter(({ role }) => role === 'assistant') ?? [];
    expect(answers).toHaveLength(shown.steps);
    expect(answers.every(({ step_loss_mask }) => step_loss_mask === 0 || step_loss_mask === 1)).toBe(true);
    expect(answers.some(({ step_loss_mask }) => step_loss_mask === 1)).toBe(true);
    expect(rows[0]?.messages.some(({ content }) => content?.includes('<real_user>'))).toBe(true);
    expect(wrongHashes(out)).toEqual([]);
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  });

  await expect(runState(page)).toHaveAttribute('data-state', 'finished');
  expect(complaints).toEqual([]);
});
