import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { lineCounting, writeTaskPackage } from '../electron/testing/task-package';
import { giveToApplication } from '../scripts/launch.mjs';
import type { Place } from './application';
import { commandLine } from './command-line';
import type { PacedModel } from './long-run-model';
import { row } from './story';

/** An installation that knows the model, and a workspace with a small task of so many steps. `more`: settings beside. */
export async function preparePacedRun(
  place: Place,
  model: Pick<PacedModel, 'baseUrl'>,
  steps: number,
  person = 'Ada',
  approvals: 'on' | 'off' = 'off',
  more: object = {},
): Promise<void> {
  const yaml = `id: small
title: A long small task
computers:
  - { name: local, host: local, type: localhost_cpu }
tools: [create_session, run_command, think, finish]
approvals: { local: ${approvals} }
context_tokens: 30000
limits: { max_steps: ${steps} }
${lineCounting}`;
  const folder = await writeTaskPackage(join(place.folder, 'task'), {
    'task.yaml': yaml,
    'task/fixed.txt': null,
  });
  mkdirSync(place.data, { recursive: true });
  const endpoints = [{ name: 'Paced', baseUrl: model.baseUrl, model: 'scripted', contextTokens: 30_000 }];
  writeFileSync(
    join(place.data, 'settings.json'),
    JSON.stringify({
      annotator: { uuid: crypto.randomUUID(), name: person },
      device: crypto.randomUUID(),
      endpoints,
      ...more,
    }),
  );
  giveToApplication(place.folder);
  commandLine(place, 'task', 'add', folder);
}

/** Starts the run in the window. */
export async function startPacedRun(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New run' }).first().click();
  await page.getByRole('button', { name: 'Start run' }).click();
  await expect(row(page, 1)).toBeVisible();
}
