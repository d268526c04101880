import { expect, type Page } from '@playwright/test';
import { test } from './application';
import { pressOn } from './layouts';
import { ada, entriesOf, prepareReview, STEPS } from './review-workspace';
import { focusTimeline, row } from './story';

test('a review: keys follow the layout, no step shows the file of another, and disagreements are counted once', async ({
  place,
}) => {
  prepareReview(place);
  const { page, complaints } = await place.start({ args: ['--workspace', place.workspace] });
  const decided = (step: number, label: string) =>
    row(page, step).locator(`[data-label=${label}][data-pending=false]`);
  const said = () =>
    entriesOf(place, ada).map(({ target, body }) =>
      [target.from, body.op, 'value' in body ? body.value : '', 'reason' in body ? body.reason : ''].join(
        ' ',
      ),
    );
  await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(STEPS));
  await focusTimeline(page);

  await test.step('what a cap prints does it on QWERTZ, AZERTY, Dvorak and a Russian keyboard', async () => {
    // Russian: п and к where g and r are.
    await pressOn(page, { key: 'п', code: 'KeyG' }, { key: 'к', code: 'KeyR' });
    await expect(page.getByRole('toolbar', { name: 'Label', exact: true })).toBeVisible();
    await page.keyboard.press('0');
    await pressOn(page, { key: 'е', code: 'KeyT' });
    await expect(decided(1, 'train')).toBeVisible();
    // AZERTY: m is right of l, digits print signs without Shift.
    await pressOn(page, { key: 'm', code: 'Semicolon' }, { key: '(', code: 'Digit5' });
    await expect(decided(2, 'mask')).toBeVisible();
    // Dvorak: t is where k is; then QWERTZ undoes it: z is where y is.
    await pressOn(page, { key: 't', code: 'KeyK' });
    await expect(decided(3, 'train')).toBeVisible();
    await pressOn(page, { key: 'z', code: 'KeyY' });
    await expect(page.locator('.toasts')).toContainText('Undid TRAIN on step 3');
    // What AltGr writes is no letter.
    await pressOn(page, { key: 'µ', code: 'KeyM' });
    expect(said()).toEqual([
      '1 label train ',
      '2 label mask ',
      '2 label mask blind-edit',
      '3 label train ',
      '3 undo  ',
    ]);
  });

  await test.step('an edit without a recorded text shows what its action reported, and no other file', async () => {
    const files = page.getByRole('region', { name: 'Files', exact: true });
    await goTo(page, 41);
    await page.keyboard.press('d');
    await expect(files.getByRole('heading')).toHaveText('/workspace/task/scripts/config.yaml');
    await expect(files.getByRole('note')).toContainText('config.yaml: no text recorded at this step');
    await expect(files.getByRole('region', { name: /^Lines of .*config\.yaml/ })).toContainText(
      'logging_steps: 10',
    );
    await expect(files).toContainText('+1 −0');
    await expect(files).not.toContainText('predictions.json');
    // A step that changed nothing says so, before it shows anything else.
    await focusTimeline(page);
    await page.keyboard.press('k');
    await expect(files).toContainText('No file change is recorded at step 40.');
    // A new file has added lines only.
    await goTo(page, 12);
    await expect(files.getByRole('heading')).toHaveText('/workspace/data/outputs/predictions.json');
    await expect(files).toContainText('created +1 −0');
    await expect(files.locator('.line-insert').first()).toBeVisible();
    await expect(files.locator('.line-delete, .char-delete')).toHaveCount(0);
  });

  await test.step('filter, header, status line and queue count the same open disagreements', async () => {
    const differ = page.getByRole('button', { name: /^Differ/ });
    const status = page.getByTestId('queue-progress');
    // Step 2 is masked against the judge, and 11 by Bob: both are settled. On 22 a rule and the judge differ.
    await expect(differ).toHaveText('Differ1');
    await expect(status).toContainText('1 disagreement left');
    await differ.click();
    await expect(page.locator('[role=row][data-step]')).toHaveCount(1);
    await expect(row(page, 22)).toBeVisible();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await focusTimeline(page);
    await page.keyboard.press('q');
    const where = page.getByTestId('queue-place');
    await expect(where).toContainText('1 of 1 disagreement');
    await expect(row(page, 22)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('m');
    await expect(decided(22, 'mask')).toBeVisible();
    await expect(where).toContainText('Judge unsure (.40)');
    await expect(row(page, 40)).toHaveAttribute('aria-selected', 'true');
    await expect(differ).toHaveText('Differ0');
    await expect(status).toContainText('0 disagreements left');
  });
  expect(complaints).toEqual([]);
});

/** The cursor goes to a step by the palette. */
async function goTo(page: Page, step: number): Promise<void> {
  await page.keyboard.press('Control+K');
  await page.keyboard.insertText(String(step));
  await page.keyboard.press('Enter');
  await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
}
