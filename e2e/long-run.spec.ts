import { expect, type Page } from '@playwright/test';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { startPacedModel } from './long-run-model';
import { preparePacedRun, startPacedRun } from './paced-run';
import { focusTimeline, row, runEnded, runState } from './story';

const STEPS = 400;
const hint = 'Compare the notes before you count again.';

interface Shown {
  id: string;
  status: string;
  steps: number;
  taken: number;
  segments: number;
  hints: { id: string; text: string; state: string; step: number | null }[];
  scores: { final: number | null };
}

test('four hundred steps: summaries, a hint, a pause with a checkpoint, a kill, and a branch', async ({
  place,
}) => {
  test.setTimeout(420_000);
  const model = await startPacedModel([60, 120, 200]);
  try {
    await preparePacedRun(place, model, STEPS);
    const first = await place.start({ args: ['--workspace', place.workspace] });
    await startPacedRun(first.page);

    await model.reached(60);
    await queueHint(first.page);
    model.letOn(60);

    await model.reached(120);
    await first.page.getByRole('button', { name: 'Pause', exact: true }).click();
    await first.page.getByRole('dialog').getByRole('button', { name: 'Pause after this step' }).click();
    model.letOn(120);
    await expect(runState(first.page)).toHaveAttribute('data-state', 'paused');
    await keepState(first.page);
    await first.page.getByRole('button', { name: 'Resume' }).first().click();

    await model.reached(200);
    const id = onlyRun(place);
    const process = first.app.process();
    const gone = new Promise((resolve) => process.once('exit', resolve));
    globalThis.process.kill(await first.app.evaluate(() => globalThis.process.pid), 'SIGKILL');
    await gone;
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    model.letOn(200);

    const second = await place.start({ args: ['--workspace', place.workspace] });
    await expect(runState(second.page)).toHaveAttribute('data-state', 'undriven');
    await second.page.getByRole('button', { name: 'Resume' }).first().click();
    await runEnded(second.page);

    const ended = commandLine<Shown>(place, 'run', 'show', id);
    expect(ended).toMatchObject({ status: 'finished', taken: STEPS, scores: { final: 80 } });
    expect(ended.segments).toBeGreaterThanOrEqual(4);
    expect(ended.steps).toBe(STEPS + ended.segments - 1);
    expect(ended.hints).toMatchObject([{ text: hint, state: 'delivered', step: 60 }]);

    await focusTimeline(second.page);
    await second.page.keyboard.press('$');
    await expect(row(second.page, ended.steps)).toBeVisible();
    await second.page.keyboard.press('[');
    await expect(second.page.getByText(/^Summarised/).first()).toBeVisible();

    const after = ended.steps - 6;
    await branchAfter(second.page, after);
    const runs = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list').runs;
    const branch = runs.find((each) => each.id !== id)?.id ?? '';
    await expect
      .poll(() => commandLine<Shown>(place, 'run', 'show', branch).status, { timeout: 60_000 })
      .toBe('finished');
    expect(commandLine<Shown>(place, 'run', 'show', branch)).toMatchObject({
      parent: { run: id, step: after },
      taken: STEPS,
    });
    expect(commandLine<Shown>(place, 'run', 'show', id)).toMatchObject({ steps: ended.steps });
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    expect(second.complaints).toEqual([]);
  } finally {
    await model.close();
  }
});

async function queueHint(page: Page): Promise<void> {
  await focusTimeline(page);
  await page.keyboard.press('i');
  await page.getByRole('textbox', { name: 'Hint to the agent' }).fill(hint);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Hint 1/).first()).toBeVisible();
}

async function keepState(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More run controls' }).click();
  await page.getByRole('menuitem', { name: /^Checkpoints/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('before the second half');
  await dialog.getByRole('button', { name: 'Create checkpoint' }).click();
  await expect(dialog.getByText('before the second half')).toBeVisible();
  await page.keyboard.press('Escape');
}

async function branchAfter(page: Page, step: number): Promise<void> {
  await page.getByRole('button', { name: 'More run controls' }).click();
  await page.getByRole('menuitem', { name: /^Branch from here/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'After step' }).fill(String(step));
  await dialog.getByRole('textbox', { name: 'Add' }).fill('Now count the other way round.');
  await dialog.getByRole('checkbox', { name: 'Start immediately' }).check();
  await dialog.getByRole('button', { name: 'Create branch' }).click();
  await expect(dialog).toBeHidden();
}

function onlyRun(place: Place): string {
  const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
  return runs[0]?.id ?? '';
}
