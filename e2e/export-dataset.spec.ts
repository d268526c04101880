import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { giveToApplication } from '../scripts/launch.mjs';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { type readRows, wrongHashes } from './dataset';
import { ExportScreen } from './export-screen';
import { ada, bob, exampleLog, importLog, STEPS } from './review-workspace';
import { row } from './story';

/** Steps that are masked; all others train. */
const MASKED = [7, 8, 9, 30] as const;
/** Keys of a made-up service account, put together here so that no file of ours holds one. */
const stays = `ghp_${'a1B2c3D4e5'.repeat(3)}f6G7h8`;
const goes = `ghp_${'z9Y8x7W6v5'.repeat(3)}u4T3s2`;

/** A run of a real agent in which two keys were printed, all of it decided: people mask some steps, the rest trains. */
function prepare(place: Place): string {
  const log = JSON.parse(readFileSync(exampleLog, 'utf8')) as {
    messages: { tool_result: { content: string } | null }[];
  };
  const printed = log.messages.flatMap(({ tool_result: result }) => (result === null ? [] : [result]));
  for (const [at, key] of [stays, goes].entries()) {
    const result = printed[10 + at];
    if (result === undefined) throw new Error('The example log has no observations.');
    result.content = result.content.replace('{', `{"printed": "export GITHUB_TOKEN=${key}", `);
  }
  const run = importLog(place, log, 'Data set for math');
  commandLine(place, 'label', run, `1-${STEPS}`, 'train', '--annotator', bob);
  for (const step of MASKED) commandLine(place, 'label', run, String(step), 'mask', '--annotator', bob);
  cpSync(join(import.meta.dirname, 'fixtures', 'tokenizer'), join(place.folder, 'tokenizer'), {
    recursive: true,
  });
  giveToApplication(place.folder);
  return run;
}

/** What axe finds that keeps somebody out, in the theme that is on. */
async function problems(page: Page, part: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().include(part).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Losses of the row's steps as a dataset has them; the first answer is the summary the log begins with. */
function masksIn(folder: string, file: string): number[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
  const [first] = lines.map((line) => JSON.parse(line) as ReturnType<typeof readRows>[number]);
  const answers = first?.messages.filter(({ role }) => role === 'assistant') ?? [];
  return answers.slice(1).map(({ step_loss_mask }) => step_loss_mask ?? -1);
}

const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
const expected = steps.map((step) => ((MASKED as readonly number[]).includes(step) ? 0 : 1));

test('a dataset from its preview to the step that a row of it came from', async ({ place }) => {
  test.setTimeout(300_000);
  const run = prepare(place);
  const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
  await expect(page.locator('[role=grid]')).toBeFocused();
  const screen = new ExportScreen(page, app, place);
  const out = join(place.folder, 'dataset');

  await test.step('the counts are the labels', async () => {
    await screen.open();
    await expect(page.locator('.export-group[data-state=mask] td').first()).toHaveText(String(MASKED.length));
    expect(await screen.steps('train')).toBe(STEPS - MASKED.length);
    await expect(screen.write).toBeEnabled();
    expect(await problems(page, '.export')).toEqual([]);
  });

  await test.step('each token shows its mask, and the panel says whose it is', async () => {
    await screen.chooseTokenizer(join(place.folder, 'tokenizer'));
    await screen.text.focus();
    await page.keyboard.press('n');
    await expect(screen.facts).toContainText('0, MASK');
    const masked = page.locator('.token-cursor');
    await expect(masked).toHaveClass(/token-masked/);
    await expect(screen.facts.getByTestId('token-step')).toHaveText(`Step ${MASKED[0]}`);
    await page.keyboard.press('Shift+N');
    await expect(screen.facts).toContainText('1, TRAIN');
    const trained = await screen.cursor();
    await page.keyboard.press('ArrowRight');
    expect(await screen.cursor()).toBe(trained + 1);
    // A click chooses as the keys do.
    await page.locator(`[data-token="${trained}"]`).first().click();
    expect(await screen.cursor()).toBe(trained);
    // Long context is folded, and opens.
    const fold = page.locator('[data-fold]').first();
    await expect(fold).toContainText(/tokens/);
    expect(await problems(page, '[data-testid=tokens]')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    expect(await problems(page, '[data-testid=tokens]')).toEqual([]);
    // However long the row, only what is in view is in the page.
    expect(await page.locator('[data-token]').count()).toBeLessThan(4_000);
  });

  await test.step('two variants of the row differ where a person masked', async () => {
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'Unmasked' });
    await expect(page.getByTestId('token-comparison')).toBeVisible({ timeout: 60_000 });
    await expect(screen.tokens).toContainText(`${MASKED.length} messages of`);
    await page.getByRole('button', { name: 'End comparison' }).click();
    await expect(screen.text).toBeVisible();
  });

  await test.step('a finding is allowed by its name, withdrawn, and allowed again', async () => {
    await page.getByTestId('show-findings').click();
    const dialog = page.getByRole('dialog', { name: 'Secrets and names' });
    const found = dialog.locator('.finding').filter({ hasText: stays.slice(0, 4) });
    await expect(found).toHaveCount(2, { timeout: 60_000 });
    expect(await problems(page, '[role=dialog]')).toEqual([]);
    // Neither key is in the window: a finding is named by its beginning and length.
    expect(await page.content()).not.toContain(stays);
    const names = await found.evaluateAll((all) => all.map((each) => each.getAttribute('data-finding')));
    expect(new Set(names).size).toBe(2);
    const first = dialog.locator(`[data-finding="${names[0]}"]`);
    await first.getByRole('button', { name: /^Allow/ }).click();
    await expect(first).toHaveAttribute('data-allowed', 'true');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await expect(first).toHaveAttribute('data-allowed', 'false');
    await first.getByRole('button', { name: /^Allow/ }).click();
    await expect(first).toContainText('stays in the files');
    await page.keyboard.press('Escape');
    await expect(page.locator('.export-facts')).toContainText('1 allowed');
  });

  await test.step('all variants are written at once, and the files hold what was shown', async () => {
    await screen.tickVariants('Rules only', 'Judge only', 'People only', 'Unmasked');
    await screen.writeTo(out);
    expect(wrongHashes(out)).toEqual([]);
    const { files: listed } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as {
      files: { path: string }[];
    };
    const files = ['all', 'rules', 'judge', 'human', 'unmasked'].map((variant) => `${variant}/train.jsonl`);
    expect(listed.map(({ path }) => path)).toEqual(expect.arrayContaining(files));
    // All labels are a person's: the machines alone mask what no label says.
    expect(masksIn(out, 'all/train.jsonl')).toEqual(expected);
    expect(masksIn(out, 'human/train.jsonl')).toEqual(expected);
    expect(masksIn(out, 'judge/train.jsonl')).toEqual(steps.map(() => 1));
    expect(masksIn(out, 'unmasked/train.jsonl')).toEqual(steps.map(() => 1));
    const text = files.map((path) => readFileSync(join(out, path), 'utf8')).join('');
    expect([text.includes(stays), text.includes(goes)].filter(Boolean)).toHaveLength(1);
    expect(text).toMatch(/<<secret:/);
  });

  await test.step('the dataset page leads from a record to its step, and the step to its datasets', async () => {
    await page.getByRole('tab', { name: 'Datasets' }).click();
    const dataset = page.getByTestId('dataset');
    await expect(dataset).toContainText(out);
    await expect(dataset.locator('[data-state=there]')).toBeVisible();
    expect(await problems(page, '.export')).toEqual([]);
    const origin = page.getByTestId('record-origin');
    await expect(origin.locator(`[data-step="${MASKED[0]}"]`)).toContainText('MASK');
    await origin.locator(`[data-step="${MASKED[0]}"] button`).click();
    await expect(row(page, MASKED[0])).toHaveAttribute('aria-selected', 'true');
    const line = page.getByTestId('step-datasets');
    await expect(line).toContainText('dataset');
    await expect(line).toContainText('MASK');
    await line.getByRole('button').first().click();
    await expect(dataset).toContainText(out);
  });

  await test.step("another export with today's labels differs in the step that was relabelled", async () => {
    commandLine(place, 'label', run, String(MASKED[3]), 'train', '--annotator', bob);
    const again = join(place.folder, 'again');
    await place.answerFolder(app, again);
    await page.getByRole('button', { name: 'Export again with today’s labels' }).click();
    await screen.written(again);
    await expect(page.locator('.choice-line')).toHaveCount(2);
    await page.locator('.choice-line').filter({ hasText: 'again' }).click();
    await page.getByRole('combobox', { name: 'Dataset to compare with' }).selectOption({ index: 1 });
    await expect(page.getByText('1 step differs')).toBeVisible();
    const changed = page.locator(`.difference-line[data-step="${MASKED[3]}"]`);
    await expect(changed).toContainText('MASK');
    await expect(changed).toContainText('TRAIN');
    expect(await problems(page, '.export')).toEqual([]);
  });

  expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  expect(ada).not.toBe(bob);
  expect(complaints).toEqual([]);
});
