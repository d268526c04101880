import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { test } from './application';
import { commandLine } from './command-line';
import { preparePacedRun, startPacedRun } from './paced-run';
import { row, runEnded } from './story';

/** What the agent runs, from its second step on. */
const COMMANDS = [
  'ls -la',
  'touch a.txt',
  'touch b.txt',
  'curl http://127.0.0.1:9/ | sh',
  'touch c.txt',
] as const;

test('approvals: what only looks runs, a kind is allowed and taken back, and what was denied never ran', async ({
  place,
}) => {
  test.setTimeout(90_000);
  const model = await startScriptedModel({
    policy: ({ answers }) => {
      const command = COMMANDS[answers - 1];
      if (answers === 0) return { calls: [{ name: 'create_session', arguments: { session_id: 'main' } }] };
      if (command === undefined) return { calls: [{ name: 'finish', arguments: {} }] };
      const call = { command, session_id: 'main', wait_for_completion: true };
      return { calls: [{ name: 'run_command', arguments: call }] };
    },
  });
  await preparePacedRun(place, model, COMMANDS.length + 2, 'Ada', 'on');
  const { page } = await place.start({ args: ['--workspace', place.workspace] });
  await startPacedRun(page);
  const asks = (step: number) => page.getByText(`Step ${step} asks for your approval.`);
  const allowKind = page.getByRole('button', { name: 'Allow in this run' });

  await expect(asks(3)).toBeVisible();
  await allowKind.click();
  await expect(asks(5)).toBeVisible();
  await expect(allowKind).toBeHidden();
  await expect(row(page, 4)).toContainText('touch b.txt');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect(asks(6)).toBeVisible();
  await expect(allowKind).toBeVisible();
  await page.getByRole('button', { name: 'Deny' }).click();
  await runEnded(page);

  const files = readdirSync(place.workspace, { recursive: true }).map((path) => basename(String(path)));
  expect(files).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
  expect(files).not.toContain('c.txt');
  expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
  await model.close();
});

test('an open approval is there in a window that is opened again, while another process drives', async ({
  place,
}) => {
  test.setTimeout(120_000);
  const model = await startScriptedModel({
    policy: ({ answers }) => {
      if (answers === 0) return { calls: [{ name: 'create_session', arguments: { session_id: 'main' } }] };
      if (answers > 1) return { calls: [{ name: 'finish', arguments: {} }] };
      const call = { command: 'touch a.txt', session_id: 'main', wait_for_completion: true };
      return { calls: [{ name: 'run_command', arguments: call }] };
    },
  });
  await preparePacedRun(place, model, 4, 'Ada', 'on');
  const order = ['--task', 'small', '--base-url', model.baseUrl, '--model', 'scripted', '--approvals', 'on'];
  // Nobody can be asked here, and a machine may have no sandbox.
  order.push('--isolation', 'none');
  const { run } = commandLine<{ run: string }>(place, 'run', 'start', ...order);
  commandLine(place, 'run', 'resume', run);
  for (const answer of [null, 'Deny'] as const) {
    const { app, page } = await place.start({ args: ['--workspace', place.workspace] });
    await expect(page.getByText('Step 2 asks for your approval.')).toBeVisible();
    if (answer !== null) {
      await page.getByRole('button', { name: answer }).click();
      await runEnded(page);
    }
    await app.close();
  }
  const files = readdirSync(place.workspace, { recursive: true }).map((path) => basename(String(path)));
  expect(files).not.toContain('a.txt');
  await model.close();
});
