import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { giveToApplication } from '../scripts/launch.mjs';
import { type Place, test, type Waymark } from './application';
import { commandLine } from './command-line';
import { readRows } from './dataset';
import { focusTimeline, giveName, looked, row } from './story';

const node = join(import.meta.dirname, 'fixtures', 'researchgym', 'react-node-real-depth70.json');
const ada = 'Ada Lovelace';
const bob = 'Bob Ng';
const adaSays = 'Ray is started twice in this task, see the log.';
const bobSays = 'The status is what the next step needs.';
type Label = 'train' | 'mask';

/** Opens a workspace as one person's own installation; the first time it asks for the name. */
async function open(place: Place, who: string, workspace: string, first: boolean): Promise<Waymark> {
  const data = join(place.folder, `data of ${who}`);
  const waymark = await place.start({ args: ['--workspace', workspace], env: { WAYMARK_DATA: data } });
  const { page } = waymark;
  if (first) {
    await giveName(page, who);
  }
  await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', '69');
  await focusTimeline(page);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  return waymark;
}

async function goTo(page: Page, step: number): Promise<void> {
  await focusTimeline(page);
  await page.keyboard.press('0');
  for (let at = 1; at < step; at += 1) await page.keyboard.press('j');
  await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
}

async function decided(page: Page, step: number, label: Label | 'undecided'): Promise<void> {
  await expect(row(page, step).locator(`[data-label=${label}][data-pending=false]`)).toBeVisible();
}

interface Decision {
  from: number;
  to?: number;
  label: Label;
  reason?: number;
  /** Steps on which it differs from what another person has said: these count as undecided. */
  differs?: number[];
}

async function decide(page: Page, { from, to = from, label, reason, differs = [] }: Decision): Promise<void> {
  await goTo(page, from);
  if (to > from) await page.keyboard.press('v');
  for (let at = from; at < to; at += 1) await page.keyboard.press('j');
  if (reason !== undefined) await page.keyboard.press(String(reason));
  await page.keyboard.press(label === 'train' ? 't' : 'm');
  for (let at = from; at <= to; at += 1) await decided(page, at, differs.includes(at) ? 'undecided' : label);
}

async function comment(page: Page, step: number, text: string): Promise<void> {
  await goTo(page, step);
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: `Comment on step ${step}` }).fill(text);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(`Comment saved on step ${step}`)).toBeVisible();
}

/** Which of these stand anywhere in the window's document, except where it says who is to review. */
async function tellsOf(page: Page, texts: string[]): Promise<string[]> {
  const html = await page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement;
    for (const assigned of copy.querySelectorAll('[aria-label="To review"]')) assigned.remove();
    return copy.outerHTML;
  });
  return texts.filter((text) => html.includes(text));
}

/** Entries of an annotation log, each with its link of the chain, as `label export` writes them. */
function entriesOf(place: Place, workspace: string, name: string): string[] {
  const file = join(place.folder, name);
  commandLine({ ...place, workspace }, 'label', 'export', '--out', file);
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);
}

test('two annotators label apart, one of them blind, and their work comes together', async ({ place }) => {
  test.setTimeout(240_000);
  const laptop = join(place.folder, 'laptop');
  const complaints: string[] = [];
  const { run } = commandLine<{ run: string }>(place, 'import', node, '--title', 'Summaries of data sets');

  await test.step('the first hands out a blind second reading, and begins', async () => {
    const { app, page, complaints: said } = await open(place, ada, place.workspace, true);
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('tab', { name: 'Assign' }).click();
    await page.getByRole('textbox', { name: 'People' }).fill(`${ada}, ${bob}`);
    await page.getByRole('combobox', { name: 'Second reviewer for' }).selectOption('all steps');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByTestId('assign-plan').getByRole('row', { name: bob })).toHaveText(/0\s*69\s*69$/);
    await page.getByRole('button', { name: 'Assign 69 steps' }).click();
    await expect(page.getByRole('region', { name: 'Batches' })).toContainText(`${bob} 69`);
    await page.keyboard.press('Escape');
    await decide(page, { from: 1, to: 2, label: 'train' });
    await decide(page, { from: 3, label: 'mask', reason: 5 });
    await comment(page, 2, adaSays);
    complaints.push(...said);
    await app.close();
  });

  cpSync(place.workspace, laptop, { recursive: true });
  giveToApplication(laptop);

  await test.step('the copy is only read until the second trusts it', async () => {
    const before = entriesOf(place, laptop, 'copied.jsonl');
    const { app, page, complaints: said } = await open(place, bob, laptop, true);
    const bar = page.getByRole('alert').filter({ hasText: 'Not trusted yet' });
    await expect(bar).toBeVisible();
    await expect(page.getByRole('contentinfo')).toContainText('Read only');
    await goTo(page, 9);
    await page.keyboard.press('t');
    await expect(page.getByText('read-only until you trust it: labelling was refused')).toBeVisible();
    await place.answerQuestion(app, 'no');
    await bar.getByRole('button', { name: 'Trust…' }).click();
    await expect.poll(() => place.questions(app)).toEqual([expect.stringContaining(laptop)]);
    await expect(bar).toBeVisible();
    expect(entriesOf(place, laptop, 'untrusted.jsonl')).toEqual(before);
    await place.answerQuestion(app, 'yes');
    await bar.getByRole('button', { name: 'Trust…' }).click();
    await expect(bar).toHaveCount(0);
    complaints.push(...said);
    await app.close();
  });

  await test.step('the second sees nothing of it before deciding', async () => {
    const { app, page, complaints: said } = await open(place, bob, laptop, false);
    for (const step of [1, 2, 3]) {
      await goTo(page, step);
      await expect(page.getByText('Opinions are hidden until you decide')).toBeVisible();
      await expect(row(page, step)).toContainText('hidden');
      await expect(row(page, step).locator('[data-label=none]')).toBeVisible();
      expect(await tellsOf(page, [adaSays, ada, 'title="AL', '>AL'])).toEqual([]);
    }
    await page.keyboard.press('l');
    await page.getByRole('group', { name: 'Opinions' }).getByRole('button', { name: /more$/ }).click();
    await page.getByRole('checkbox', { name: 'With comments' }).check();
    await page.keyboard.press('Escape');
    await expect(page.getByText('showing 0 of 69 steps')).toBeVisible();
    await page.getByRole('button', { name: 'Remove Opinions: With comments' }).click();

    await decide(page, { from: 1, label: 'mask', reason: 3, differs: [1] });
    await goTo(page, 1);
    await expect(row(page, 1)).toHaveAccessibleName(/decided by Ada Lovelace, Bob Ng, opinions differ$/);
    await decide(page, { from: 2, label: 'train' });
    await goTo(page, 2);
    await expect(page.getByText(adaSays)).toBeVisible();
    await decide(page, { from: 3, label: 'mask' });
    await page.keyboard.press('z');
    await expect(row(page, 3)).toContainText('hidden');
    await decide(page, { from: 3, to: 4, label: 'train', differs: [3] });
    await decide(page, { from: 5, to: 8, label: 'train' });
    await decide(page, { from: 10, label: 'mask', reason: 6 });
    await comment(page, 4, bobSays);
    complaints.push(...said);
    await app.close();
  });

  const theirs = entriesOf(place, laptop, 'theirs.jsonl');
  const { app, page, complaints: said } = await open(place, ada, place.workspace, false);

  const mine = await test.step('the first goes on meanwhile, and takes one decision back', async () => {
    await decide(page, { from: 4, label: 'mask', reason: 5 });
    await decide(page, { from: 5, to: 8, label: 'train' });
    await decide(page, { from: 10, label: 'train' });
    await page.keyboard.press('z');
    await decided(page, 10, 'undecided');
    return entriesOf(place, place.workspace, 'mine.jsonl');
  });

  await test.step('merging says what came and what differs; once more adds nothing', async () => {
    const news = theirs.filter((entry) => !mine.includes(entry)).length;
    await place.answerFolder(app, laptop);
    await page.keyboard.press('Control+KeyK');
    await page.getByRole('combobox').last().fill('merge labels');
    await page.getByRole('option', { name: 'Merge labels from a workspace…' }).click();
    const report = page.getByRole('dialog', { name: 'Labels merged' });
    await expect(report.locator('.facts-pair', { hasText: 'New here' })).toHaveText(`New here${news}`);
    await expect(report.locator('.facts-pair', { hasText: 'By' })).toHaveText(`By${bob}`);
    await expect(report.locator('.facts-pair', { hasText: 'differ' })).toHaveText(/differ3$/);
    await page.keyboard.press('Escape');
    expect(commandLine(place, 'merge', laptop)).toMatchObject({ added: 0, disagreements: 0 });
    expect(entriesOf(place, place.workspace, 'both.jsonl').sort()).toEqual(
      [...new Set([...mine, ...theirs])].sort(),
    );
  });

  await test.step('the disagreements come first in the queue and are settled there', async () => {
    await expect(page.getByTestId('queue-progress')).toContainText('3 disagreements left');
    await focusTimeline(page);
    await page.keyboard.press('q');
    for (const [step, key] of [
      [1, 'Shift+KeyM'],
      [3, 'Shift+KeyT'],
      [4, 'Shift+KeyM'],
    ] as const) {
      await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
      await expect(page.getByTestId('queue-place')).toContainText('disagreements');
      await looked(page);
      await page.keyboard.press(key);
      await decided(page, step, key === 'Shift+KeyM' ? 'mask' : 'train');
    }
    await expect(page.getByTestId('queue-progress')).toContainText('0 disagreements left');
    complaints.push(...said);
    await app.close();
  });

  await test.step('both workspaces say the same, and the dataset carries what was settled', async () => {
    const away = { ...place, workspace: laptop };
    expect(commandLine(away, 'merge', place.workspace)).toMatchObject({ people: [ada], disagreements: 0 });
    const merged = entriesOf(place, place.workspace, 'merged.jsonl');
    expect([...mine, ...theirs].filter((entry) => !merged.includes(entry))).toEqual([]);
    expect(entriesOf(place, laptop, 'merged-there.jsonl').sort()).toEqual(merged.sort());
    const exported = [place, away].map((where, index) => {
      const out = join(place.folder, `dataset-${index}`);
      const args = ['export', '--out', out, '--run', run, '--undecided', 'train'];
      const { snapshot } = commandLine<{ snapshot: string }>(where, ...args);
      // Before the first step stands the summary of what came earlier, which never trains here.
      const answers = readRows(out)[0]?.messages.filter(({ role }) => role === 'assistant') ?? [];
      const zero = answers.flatMap(({ step_loss_mask }, step) => (step_loss_mask === 0 ? [step] : []));
      expect(commandLine(where, 'verify')).toMatchObject({ ok: true });
      return { snapshot, zero };
    });
    expect(exported[0]?.zero).toEqual([0, 1, 4, 10]);
    expect(exported[1]).toEqual(exported[0]);
    const { rows } = commandLine<{
      rows: { person: { name: string }; decided: number; agreement: { n: number; raw: number } }[];
    }>(place, 'queue', 'people', '--run', run);
    const each = rows.map(({ person, decided: n, agreement }) => [
      person.name,
      n,
      agreement.n,
      agreement.raw,
    ]);
    expect(each.sort()).toEqual([
      [ada, 8, 8, 5 / 8],
      [bob, 9, 8, 5 / 8],
    ]);
    expect(commandLine(place, 'queue', run, '--annotator', bob)).toMatchObject({
      runs: [{ decided: 9, total: 69 }],
    });
  });

  expect(complaints).toEqual([]);
});
