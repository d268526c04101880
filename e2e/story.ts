import { expect, type Locator, type Page } from '@playwright/test';
import type { Place, Waymark } from './application';

/** Says who works here, and waits until that is kept: what is below moves up then, and a click on it meanwhile would miss. */
export async function giveName(page: Page, name: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Your name' });
  await field.fill(name);
  await page.keyboard.press('Enter');
  await expect(field).toBeHidden();
}

/** First use: name, a chosen folder, and the demo. Leaves the window on the running demo. */
export async function startDemo(place: Place, name = 'Ada Lovelace'): Promise<Waymark> {
  const waymark = await place.start({ args: ['--demo-pace', '12'] });
  const { page, app } = waymark;
  await giveName(page, name);
  await place.answerFolder(app, place.workspace);
  await page.getByRole('button', { name: 'Choose another' }).click();
  await page.getByRole('button', { name: 'Run the demo' }).click();
  await expect(row(page, 1)).toBeVisible();
  return waymark;
}

/** The timeline's row of a step. */
export function row(page: Page, step: number): Locator {
  return page.locator(`[role=row][data-step="${step}"]`);
}

/** What the strip says the run does. */
export function runState(page: Page): Locator {
  return page.getByTestId('run-state');
}

/** Waits until the run of the window has ended by itself. */
export async function runEnded(page: Page): Promise<void> {
  await expect(runState(page)).toHaveAttribute('data-state', 'finished', { timeout: 75_000 });
}

/** Waits until a person has had the time to look at a step to which the cursor went without them: only then it can be labelled. */
export async function looked(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const grid = document.querySelector<HTMLElement>('[role=grid]');
    return grid !== null && performance.now() > Number(grid.dataset.jumped ?? -1_000) + 300;
  });
}

/** Puts the keyboard into the timeline, where single keys work. */
export async function focusTimeline(page: Page): Promise<void> {
  await page.locator('[role=grid]').focus();
}
