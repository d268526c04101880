import { expect } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { test } from './application';
import { commandLine } from './command-line';
import { preparePacedRun } from './paced-run';
import { row, runEnded } from './story';

test('a run without isolation starts only after the system asked a person, and says that it is none', async ({
  place,
}) => {
  test.setTimeout(120_000);
  const model = await startScriptedModel({
    policy: ({ answers }) => ({
      calls: [
        answers === 0 ? { name: 'think', arguments: { content: 'On.' } } : { name: 'finish', arguments: {} },
      ],
    }),
  });
  await preparePacedRun(place, model, 4);
  const { app, page } = await place.start({ args: ['--workspace', place.workspace] });
  await page.getByRole('button', { name: 'New run' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'New run' });
  await expect(sheet.getByText('It has no network access: the task gives it none.')).toBeVisible();
  await sheet.getByRole('checkbox', { name: /^Isolate what the agent runs/ }).uncheck();

  await place.answerQuestion(app, 'no');
  await sheet.getByRole('button', { name: 'Start run' }).click();
  await expect(sheet.getByRole('alert')).toContainText('The run was not started.');
  const [question] = await place.questions(app);
  expect(question).toMatch(
    /^Let this run work without isolation\?[\s\S]*read, change and delete all your files/,
  );
  expect(commandLine(place, 'run', 'list')).toEqual({ runs: [] });

  await place.answerQuestion(app, 'yes');
  await sheet.getByRole('button', { name: 'Start run' }).click();
  await expect(row(page, 1)).toBeVisible();
  await runEnded(page);
  await expect(page.getByText('not isolated', { exact: true })).toBeVisible();
  const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
  expect(commandLine(place, 'run', 'show', runs[0]?.id ?? '')).toMatchObject({
    computers: [{ name: 'local', kind: 'local', unisolatedBy: 'person' }],
  });
  await model.close();
});
