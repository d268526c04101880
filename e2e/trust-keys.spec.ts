import { expect, type Locator, type Page } from '@playwright/test';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { startPacedModel } from './long-run-model';
import { keyboardIn, openOwnTerminal } from './own-terminal';
import { preparePacedRun, startPacedRun } from './paced-run';
import { ada, bob, entriesOf, importExample, prepareReview, STEPS } from './review-workspace';
import { focusTimeline, looked, row, runEnded } from './story';

/** Steps about which two other people differ, beside the two nobody decided: 20 and 60. */
const DIFFER = [31, 33, 34] as const;

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function cursorAt(page: Page, step: number): Promise<void> {
  await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
}

/** Goes to a step by its number, wherever the list is, and waits until it is shown. */
async function goTo(page: Page, step: number): Promise<void> {
  await page.keyboard.press('Control+K');
  await page.keyboard.insertText(String(step));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: `Step ${step}`, exact: true })).toBeVisible();
}

function toasts(page: Page): Locator {
  return page.locator('.toasts');
}

/** What the person wrote since a number of entries, in short: `mask 21`, `mask 22 blind-edit`, `undo`. */
function written(place: Place, after = 0): string[] {
  return entriesOf(place, ada)
    .slice(after)
    .map(({ target, body }) => {
      if (body.op !== 'label') return body.op;
      const parts = target.parts ?? [target];
      const at = parts.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(',');
      return [body.value, at, body.reason ?? ''].filter((part) => part !== '').join(' ');
    });
}

test('a label goes to the steps in sight, its reason and its undo to that label', async ({ place }) => {
  test.setTimeout(150_000);
  importExample(place, 'tree-demo', 'Tree demo');
  const run = prepareReview(place);
  for (const step of DIFFER) {
    commandLine(place, 'label', run, String(step), 'mask', '--annotator', bob);
    commandLine(place, 'label', run, String(step), 'train', '--annotator', 'Cleo Ray');
  }
  const { app, page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
  await page.getByRole('button', { name: /^Data set for math/ }).click();
  await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
  const label = (step: number, value: string) =>
    expect(row(page, step).locator(`[data-label=${value}][data-pending=false]`)).toBeVisible();
  const reasons = page.getByRole('group', { name: 'Reason' });
  const toDecide = page.getByRole('button', { name: /^To decide/ });
  const filtered = (...steps: number[]) =>
    expect
      .poll(() => page.locator('[role=row][data-step]').evaluateAll((rows) => rows.map((each) => each.id)))
      .toEqual(steps.map((step) => `step-${step}`));
  await focusTimeline(page);
  await press(page, 'g', 'r');

  await test.step('a filter that hides the step moves the cursor to the nearest one shown', async () => {
    await goTo(page, 42);
    await toDecide.click();
    await filtered(20, ...DIFFER, 60);
    await cursorAt(page, 34);
    await focusTimeline(page);
    await looked(page);
    await press(page, 'm');
    await cursorAt(page, 60);
    await expect(row(page, 34)).toHaveAccessibleName(/Ada Lovelace/);
    expect(written(place)).toEqual(['mask 34']);
  });

  await test.step('a step that the filter hides is read, not labelled', async () => {
    await goTo(page, 42);
    await press(page, 't', 'f');
    await expect(toasts(page)).toContainText('Step 42 is not labelled: the filter hides it');
    await toasts(page).getByRole('button', { name: 'Show all steps' }).click();
    await cursorAt(page, 42);
    expect(written(place)).toEqual(['mask 34']);
  });

  await test.step('a sheet keeps the keys from the steps under it, also when its focus is lost', async () => {
    await focusTimeline(page);
    await press(page, 'g', 't');
    const sheet = page.getByRole('dialog', { name: 'Confirm the rest as TRAIN' });
    await expect(sheet).toContainText('decided by a person yet');
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await press(page, 't', 'Escape');
    await expect(sheet).toHaveCount(0);
    expect(written(place)).toEqual(['mask 34']);
  });

  await test.step('first, last and a range are of what is shown', async () => {
    await toDecide.click();
    await filtered(20, ...DIFFER, 60);
    await focusTimeline(page);
    await press(page, 'End');
    await cursorAt(page, 60);
    await press(page, '0');
    await cursorAt(page, 20);
    await press(page, 'v', 'j', 'j');
    await expect(page.getByRole('toolbar', { name: 'Label' })).toContainText('3 steps selected20, 31, 33');
    await press(page, 'm');
    await expect(toasts(page)).toContainText('MASK on 3 steps, 20, 31, 33');
    expect(written(place, 1)).toEqual(['mask 20,31,33']);
  });

  await test.step('folding decided steps takes the cursor along', async () => {
    await press(page, 'Escape');
    await goTo(page, 42);
    await press(page, 'g', 'l');
    await expect(page.getByRole('button', { name: /decided steps/ }).first()).toBeVisible();
    await expect(row(page, 42)).toHaveCount(0);
    await cursorAt(page, 34);
    await press(page, 'g', 'l');
    await expect(row(page, 42)).toBeVisible();
  });

  await test.step('a digit names its label for two seconds, then it is for the step under the cursor', async () => {
    await goTo(page, 21);
    await press(page, 'm');
    await label(21, 'mask');
    await expect(reasons).toContainText('for 21');
    await expect(reasons).not.toContainText('for 21');
    await press(page, '5');
    await expect(reasons).toContainText('for 22');
    await press(page, 'm');
    await label(22, 'mask');
    expect(written(place, 2)).toEqual(['mask 21', 'mask 22 blind-edit']);
  });

  await test.step('an offer to undo is about its own label, and goes with the next one', async () => {
    await press(page, 'm', '5');
    await expect(toasts(page)).toContainText('“Blind edit” is the reason for MASK on 23');
    await press(page, 't');
    await label(24, 'train');
    await expect(toasts(page).getByRole('button', { name: /Undo/ })).toHaveCount(0);
    expect(written(place, 4)).toEqual(['mask 23', 'mask 23 blind-edit', 'train 24']);
  });

  await test.step('undo goes back to the step, whose reason is outlined', async () => {
    await press(page, 'z', 'm');
    await label(24, 'mask');
    await cursorAt(page, 25);
    expect(written(place, 7)).toEqual(['undo', 'mask 24']);
    await press(page, 'k', 'k');
    await expect(reasons.getByRole('button', { name: 'Blind edit' })).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('keys reach a shell that was clicked for, and no other', async () => {
    const before = written(place).length;
    await press(page, 'g', 'w');
    const view = await openOwnTerminal(app, page);
    const screen = view.locator('.xterm-rows');
    await view.keyboard.type('echo "sum $((20 + 22))"\n');
    await expect(screen).toContainText('sum 42');
    const shell = page.locator('.own-room');
    const switches = [
      () => press(page, 'g', 'r', 'g', 'w'),
      () => page.getByRole('button', { name: /^Tree demo/ }).click(),
      () => page.getByRole('button', { name: /^Data set for math/ }).click(),
    ];
    for (const change of switches) {
      await focusTimeline(page);
      await change();
      await expect(page.locator('[role=grid]')).toBeVisible();
      await page.locator('.terminal-list .terminal-card').filter({ hasText: 'terminal-1' }).waitFor();
      if ((await shell.count()) === 0) continue;
      await expect(shell).toBeVisible();
      expect(await keyboardIn(app)).toBe('page');
    }
    await focusTimeline(page);
    await press(page, 'g', 'r', 'g', 'w', '0', 'j', 't', 'm');
    await label(2, 'train');
    await label(3, 'mask');
    expect(written(place, before)).toEqual(['train 2', 'mask 3']);
    await page.locator('.terminal-list .terminal-card').filter({ hasText: 'terminal-1' }).click();
    await expect(shell).toBeVisible();
    await expect.poll(() => keyboardIn(app)).toBe('view');
    await expect(view.locator('.terminal-view-own textarea')).toBeFocused();
    await view.keyboard.type('echo "and $((40 + 4))"\n');
    await expect(screen).toContainText('and 44');
    await expect(screen).not.toContainText('jtm');
  });
  expect(complaints).toEqual([]);
});

test('a live run and its hints: no label on what nobody has looked at, no mask without a reason', async ({
  place,
}) => {
  test.setTimeout(150_000);
  const model = await startPacedModel([4, 5, 6]);
  try {
    await preparePacedRun(place, model, 14, ada);
    const { page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await startPacedRun(page);
    const hint = async (number: number, text: string) => {
      await focusTimeline(page);
      await page.keyboard.press('i');
      await page.getByRole('textbox', { name: 'Hint to the agent' }).fill(text);
      await page.keyboard.press('Control+Enter');
      await expect(page.getByText(new RegExp(`^Hint ${number}`)).first()).toBeVisible();
      await page.keyboard.press('Escape');
    };

    await test.step('a key that meets a step the moment it comes up is refused in words', async () => {
      await model.reached(4);
      await focusTimeline(page);
      await press(page, 'End');
      await cursorAt(page, 3);
      await page.evaluate(pressOnJump);
      model.letOn(4);
      await cursorAt(page, 4);
      await expect(toasts(page)).toContainText('Step 4 is not labelled: it has only just appeared');
      expect(written(place)).toEqual([]);
    });

    await test.step('a hint is asked about near its steps, and only with evidence', async () => {
      await model.reached(5);
      await hint(1, 'Do not write answer.txt with seq: count the rows.');
      model.letOn(5);
      await model.reached(6);
      await hint(2, 'Thank you.');
      model.letOn(6);
      await runEnded(page);
      await focusTimeline(page);
      await press(page, 'g', 'r', 'End');
      await cursorAt(page, 14);
      const asked = page.getByRole('region', { name: 'What a hint contradicts' });
      await press(page, '0');
      await expect(asked).toContainText('Hint 1 contradicts step 2?');
      await press(page, 'End');
      await expect(asked).toHaveCount(0);
      await press(page, '0');
      await expect(asked.getByRole('button', { name: /^Show/ })).toBeVisible();
      await asked.getByRole('button', { name: 'Mask 2', exact: true }).click();
      await expect(toasts(page)).toContainText('MASK on step 2');
      expect(written(place)).toEqual(['mask 2 contradicts-hint']);
      await expect(asked).toHaveCount(0);
      const [run] = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list').runs;
      const takeBack = toasts(page).getByRole('button', { name: /Undo/ });
      await takeBack.hover();
      commandLine({ ...place, env: { WAYMARK_DATA: place.data } }, 'label', run?.id ?? '', '9', 'train');
      await expect(row(page, 9).locator('[data-label=train]')).toBeVisible();
      await takeBack.click();
      await expect(asked).toContainText('Hint 1 contradicts step 2?');
      const [masked, , undone] = entriesOf(place, ada);
      expect(written(place, 1)).toEqual(['train 9', 'undo']);
      expect(undone?.body).toMatchObject({ op: 'undo', entry: masked?.ulid });
      await asked.getByRole('button', { name: /Dismiss/ }).click();
      await expect(toasts(page)).toContainText('You will not be asked about hint 1 again');
      await focusTimeline(page);
      await press(page, '0', 'j', 'j', 'j', 'j', 'j');
      await cursorAt(page, 6);
      await expect(asked).toHaveCount(0);
    });
    expect(complaints).toEqual([]);
  } finally {
    await model.close();
  }
});

/** In the page: the key of TRAIN goes down the very moment the cursor stands on another step. */
function pressOnJump(): void {
  const grid = document.querySelector('[role=grid]');
  if (grid === null) throw new Error('There is no timeline.');
  const before = grid.getAttribute('aria-activedescendant');
  const watcher = new MutationObserver(() => {
    const now = grid.getAttribute('aria-activedescendant');
    if (now === before || now === null) return;
    watcher.disconnect();
    grid.dispatchEvent(
      new KeyboardEvent('keydown', { key: 't', code: 'KeyT', bubbles: true, cancelable: true }),
    );
  });
  watcher.observe(grid, { attributes: true, attributeFilter: ['aria-activedescendant'] });
}
