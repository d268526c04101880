import { expect, type Locator, type Page } from '@playwright/test';
import type { AnnotationEntry } from '../shared/log/annotations';
import type { RunStats } from '../shared/runs/run-stats';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { readRows, wrongHashes } from './dataset';
import { ExportScreen } from './export-screen';
import { ada, bob, entriesOf, OPEN, prepareReview, STEPS, UNSURE } from './review-workspace';
import { row } from './story';

/** The keyboard of a window. Nothing else is touched in this file. */
class Keys {
  constructor(private readonly page: Page) {}

  /** Presses keys; a chord is one. @returns how many they were. */
  async press(...keys: string[]): Promise<number> {
    for (const key of keys) await this.page.keyboard.press(key);
    return keys.length;
  }

  /** Writes into the field that has the keys. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.insertText(text);
  }

  /** Tab until the control has the focus. */
  async tabTo(control: Locator): Promise<void> {
    for (let tabs = 0; tabs < 60; tabs += 1) {
      if (await control.evaluate((element) => element === document.activeElement)) return;
      await this.press('Tab');
    }
    await expect(control).toBeFocused();
  }
}

/** The row holds this, and the decision is on the disk. */
function decided(page: Page, step: number, label: 'train' | 'mask'): Locator {
  return row(page, step).locator(`[data-label=${label}][data-pending=false]`);
}

/** What an entry says, without who and when. */
function said({ target: { from, to, parts }, body }: AnnotationEntry) {
  return { from, to, ...(parts === undefined ? {} : { parts }), ...body };
}

async function cursorAt(page: Page, step: number): Promise<void> {
  await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
}

/** The step under the cursor. */
async function cursorOf(page: Page): Promise<number> {
  const id = await page.locator('[role=grid]').getAttribute('aria-activedescendant');
  return Number(id?.replace('step-', ''));
}

async function openReview(place: Place) {
  const waymark = await place.start({ args: ['--workspace', place.workspace] });
  const { page } = waymark;
  const keys = new Keys(page);
  await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
  await expect(page.locator('[role=grid]')).toBeFocused();
  await keys.press('g', 'r', '0');
  await cursorAt(page, 1);
  const toast = (text: string | RegExp) => expect(page.locator('.toasts')).toContainText(text);
  return { ...waymark, keys, toast };
}

/** Which of the dataset's answers train, step by step; the first answer is the summary the log begins with. */
function masksIn(folder: string): (number | undefined)[] {
  const [row] = readRows(folder);
  const answers = row?.messages.filter(({ role }) => role === 'assistant') ?? [];
  return answers.slice(1).map(({ step_loss_mask }) => step_loss_mask);
}

const call = { name: 'get_session_output', arguments: '{"session_id": "main", "start_lines": 1}' };
const only = (...steps: number[]) => steps.map((step) => ({ from: step, to: step }));

/** Everything the review below says, in its order. */
const decisions = [
  { from: 1, to: 1, op: 'label', value: 'train', reason: null },
  { from: 2, to: 2, op: 'label', value: 'mask', reason: null },
  { from: 3, to: 3, op: 'label', value: 'mask', reason: null },
  { from: 3, to: 3, op: 'label', value: 'mask', reason: 'blind-edit' },
  { from: 4, to: 4, op: 'label', value: 'mask', reason: 'null-or-error' },
  { from: 5, to: 5, op: 'label', value: 'mask', reason: null },
];
const furtherOn = [
  { from: 6, to: 9, op: 'label', value: 'mask', reason: null },
  { from: 10, to: 10, op: 'label', value: 'mask', reason: null },
  { from: 10, to: 10, op: 'label', value: 'clear', reason: null },
  { from: 10, to: 10, op: 'comment', text: 'Was this looked at?' },
  { from: 10, to: 10, op: 'flag', on: true },
  { from: 10, to: 10, op: 'undo', entry: expect.any(String) },
  { from: 10, to: 10, op: 'undo', entry: expect.any(String) },
  { from: 10, to: 10, op: 'label', value: 'train', reason: null },
  { from: 10, to: 10, op: 'label', value: 'train', reason: 'keep-backup' },
  { from: 11, to: 11, op: 'label', value: 'train', reason: null },
  { from: 12, to: 12, op: 'label', value: 'train', reason: null },
  { from: 11, to: 11, op: 'adjudicate', value: 'train', reason: null },
  { from: 3, to: 3, op: 'correct', correction: expect.objectContaining({ call }) },
  { from: 34, to: 58, parts: only(34, 58), op: 'label', value: 'mask', reason: 'eval-timing' },
  { from: 22, to: 22, op: 'label', value: 'train', reason: null },
];
const masked = [2, 3, 4, 5, 6, 7, 8, 9, 30, 34, 58];

test('a review of twelve steps by keyboard alone, read again from the disk', async ({ place }) => {
  test.setTimeout(150_000);
  const run = prepareReview(place);
  const first = await openReview(place);
  const { page, keys, toast } = first;

  await test.step('one key a decision, two with a reason in either order', async () => {
    expect(await keys.press('t')).toBe(1);
    await expect(decided(page, 1, 'train')).toBeVisible();
    await cursorAt(page, 2);
    expect(await keys.press('m')).toBe(1);
    await expect(decided(page, 2, 'mask')).toBeVisible();
    expect(await keys.press('m', '5')).toBe(2);
    await toast('“Blind edit” is the reason for MASK on 3');
    expect(await keys.press('3', 'm')).toBe(2);
    await expect(decided(page, 4, 'mask')).toBeVisible();
    await cursorAt(page, 5);
    expect(await keys.press('a')).toBe(1);
    await expect(decided(page, 5, 'mask')).toBeVisible();
    expect(entriesOf(place, ada).map(said)).toEqual(decisions);
  });

  await test.step('a range in two keys and its moves; repeat; clear', async () => {
    const moves = ['j', 'j', 'j'];
    expect((await keys.press('v', ...moves, 'm')) - moves.length).toBeLessThanOrEqual(4);
    await toast('MASK on 4 steps, 6–9');
    await cursorAt(page, 10);
    expect(await keys.press('.')).toBe(1);
    await expect(decided(page, 10, 'mask')).toBeVisible();
    await keys.press('k', 'u');
    await expect(decided(page, 10, 'train')).toBeVisible();
    await cursorAt(page, 10);
  });

  await test.step('a comment and a flag; undo and redo say what they undid', async () => {
    await keys.press('c');
    await keys.type('Was this looked at?');
    await keys.press('Control+Enter');
    await toast('Comment saved on step 10');
    await keys.press('f');
    await toast('Asked for a second opinion on step 10');
    expect(await keys.press('z')).toBe(1);
    await toast('Undid the flag on step 10');
    expect(await keys.press('Shift+Z')).toBe(1);
    await toast('Redid the flag on step 10');
    await expect(row(page, 10)).toHaveAttribute('aria-label', /flagged, 1 comment/);
    await keys.press('t', 'r', 'b');
    await toast('“Backup with score” is the reason for TRAIN on 10');
    await expect(decided(page, 10, 'train')).toBeVisible();
  });

  await test.step('two people differ: undecided until it is settled', async () => {
    await cursorAt(page, 11);
    await keys.press('t');
    await expect(row(page, 11)).toHaveAttribute('aria-label', /undecided.*opinions differ/);
    await expect(row(page, 11).locator('.gutter-split')).toBeVisible();
    await keys.press('t');
    await expect(decided(page, 12, 'train')).toBeVisible();
    await keys.press('Shift+K');
    await cursorAt(page, 11);
    await keys.press('Shift+T');
    await toast('Step 11 is settled as TRAIN');
    await expect(decided(page, 11, 'train')).toBeVisible();
  });

  await test.step('the right action for a masked step, beside the original', async () => {
    await keys.press('0', 'j', 'j', 'y');
    const dialog = page.getByRole('dialog', { name: 'Correct the action of step 3' });
    await keys.tabTo(dialog.getByRole('textbox', { name: 'Arguments, JSON' }));
    await keys.press('Control+A');
    await keys.type(call.arguments);
    await keys.press('Control+Enter');
    await toast('Correction of step 3 saved alongside the original');
    await expect(row(page, 3)).toHaveAttribute('aria-label', /corrected/);
  });

  await test.step('all similar steps in one entry, after a look', async () => {
    await keys.press('Control+K');
    await keys.type('34');
    await keys.press('Enter');
    await cursorAt(page, 34);
    await keys.press('Shift+Digit8');
    const dialog = page.getByRole('dialog', { name: 'Label 2 similar steps' });
    await expect(dialog).toContainText('eval, and no rule fired, as on this step');
    await keys.press('m', '8', 'Enter');
    await expect(decided(page, 34, 'mask')).toBeVisible();
  });

  await test.step('the queue brings disagreements first, and goes on by itself', async () => {
    await keys.press('0', 'q');
    const where = page.getByTestId('queue-place');
    await expect(where).toHaveText(/^1 of \d+ disagreements?/);
    await cursorAt(page, 22);
    expect(await keys.press('a')).toBe(1);
    await expect(decided(page, 22, 'train')).toBeVisible();
    // That was the last one; a judge in doubt comes next, and says so.
    await expect(where).toHaveText(/^Judge unsure \(\.40\)/);
    await cursorAt(page, UNSURE);
  });

  expect(entriesOf(place, ada).map(said)).toEqual([...decisions, ...furtherOn]);
  expect(first.complaints).toEqual([]);
  await first.app.close();
  await restOfReview(place, run);
});

/** The same person comes back the next day. */
async function restOfReview(place: Place, run: string): Promise<void> {
  const { app, page, keys, toast, complaints } = await openReview(place);
  await test.step('undo goes on after a restart', async () => {
    await keys.press('z');
    await toast('Undid TRAIN on step 22');
    await cursorAt(page, 22);
    await keys.press('Shift+Z');
    await toast('Redid TRAIN on step 22');
  });

  await test.step('search: hits are counted and gone through', async () => {
    const count = page.locator('.find-count');
    await keys.press('0', '/');
    await expect(page.getByRole('combobox', { name: 'Search this run' })).toBeFocused();
    await keys.type('llamafactory');
    await expect(count).toHaveText(/\d/);
    await keys.press('Enter');
    await expect(page.locator('[role=grid]')).toBeFocused();
    await expect(count).toHaveText(/^1 of \d+$/);
    const at = await cursorOf(page);
    await keys.press('n');
    await expect(count).toHaveText(/^2 of \d+$/);
    expect(await cursorOf(page)).toBeGreaterThan(at);
    await keys.press('Shift+N');
    await cursorAt(page, at);
  });

  await test.step('the rest is confirmed as TRAIN, what a machine masks left out', async () => {
    await keys.press('g', 't');
    const dialog = page.getByRole('dialog', { name: 'Confirm the rest as TRAIN' });
    await expect(dialog).toContainText('54 steps of this run have not been decided by a person yet.');
    await expect(dialog).toContainText(`UNDECIDED by nobody: ${OPEN.length}`);
    const go = dialog.getByRole('button', { name: 'TRAIN on 53 steps' });
    await keys.tabTo(go);
    await keys.press('Enter');
    await toast(/^TRAIN on 53 steps/);
    await expect(page.getByTestId('undecided-count')).not.toHaveText(/[1-9]/);
  });

  await test.step('the dataset trains what was decided, and nothing else', async () => {
    const out = `${place.folder}/dataset`;
    await place.answerFolder(app, out);
    await keys.press('g', 'x');
    const write = page.getByRole('button', { name: 'Write files' });
    await expect(write).toBeEnabled();
    await keys.tabTo(write);
    await keys.press('Enter');
    await new ExportScreen(page, app, place).written(out);
    const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
    expect(masksIn(out)).toEqual(steps.map((step) => (masked.includes(step) ? 0 : 1)));
    const [first] = readRows(out);
    // A reason to keep stands in the row, beside the initials of whoever gave it.
    expect(first?.metadata.steps.find(({ step }) => step === 10)).toMatchObject({
      given_reason: 'keep-backup',
    });
    expect(wrongHashes(out)).toEqual([]);
  });

  const { masks, people } = commandLine<RunStats>(place, 'stats', run);
  expect(people.map(({ name, decided }) => [name, decided])).toEqual([
    [ada, STEPS - 1],
    [bob, 2],
  ]);
  expect(masks.map(({ value, source, steps }) => [value, source, steps])).toEqual([
    ['train', 'human', 56],
    ['mask', 'human', 10],
    ['train', 'adjudication', 1],
    ['train', 'human', 1],
    ['mask', 'judge', 1],
  ]);
  expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  expect(complaints).toEqual([]);
}
