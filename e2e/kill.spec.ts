import { expect } from '@playwright/test';
import { test } from './application';
import { commandLine } from './command-line';
import { row, runEnded, runState, startDemo } from './story';

interface Shown {
  id: string;
  status: string;
  steps: number;
  hints: { text: string; state: string }[];
}

test('kill -9 in mid-run loses nothing that was acknowledged, and the run goes on', async ({ place }) => {
  test.setTimeout(180_000);
  const first = await startDemo(place);
  const text = 'Keep the first copy of every repeated paragraph.';
  await expect(row(first.page, 4)).toBeVisible();
  await first.page.locator('[role=grid]').focus();
  await first.page.keyboard.press('0');
  await first.page.keyboard.press('m');
  await expect(row(first.page, 1).locator('[data-label=mask][data-pending=false]')).toBeVisible();
  await first.page.keyboard.press('i');
  await first.page.getByRole('textbox', { name: 'Hint to the agent' }).fill(text);
  await first.page.keyboard.press('Control+Enter');
  await expect(first.page.getByText(/^Hint 1/).first()).toBeVisible();
  const seen = await first.page.locator('[role=grid]').getAttribute('aria-rowcount');

  const process = first.app.process();
  const gone = new Promise((resolve) => process.once('exit', resolve));
  // Under root the launcher is another process than the application: ask the application for its own id.
  const pid = await first.app.evaluate(() => globalThis.process.pid);
  globalThis.process.kill(pid, 'SIGKILL');
  await gone;

  const [run] = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list').runs;
  const kept = commandLine<Shown>(place, 'run', 'show', run?.id ?? '');
  expect(kept.steps).toBeGreaterThanOrEqual(Number(seen));
  expect(kept.hints).toMatchObject([{ text }]);
  expect(commandLine(place, 'verify')).toMatchObject({ ok: true });

  const second = await place.start({ args: ['--demo-pace', '12'] });
  await expect(runState(second.page)).toHaveAttribute('data-state', 'undriven');
  await expect(row(second.page, 1).locator('[data-label=mask]')).toBeVisible();
  await second.page.getByRole('button', { name: 'Resume' }).first().click();
  await runEnded(second.page);
  const ended = commandLine<Shown>(place, 'run', 'show', run?.id ?? '');
  expect(ended).toMatchObject({ status: 'finished', hints: [{ text, state: 'delivered' }] });
  expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
});
