import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { bundleForNode } from '../electron/testing/bundle-for-node';
import type { ExperimentShape } from '../electron/testing/experiment-runs';
import { giveToApplication } from '../scripts/launch.mjs';
import type { Place } from './application';

const root = resolve(import.meta.dirname, '..');

/** Writes an experiment into the workspace of a person whose window it will be, through a store of its own in a process of its own. */
export async function makeExperiment(place: Place, shape: ExperimentShape): Promise<void> {
  mkdirSync(place.data, { recursive: true });
  const settings = { annotator: { uuid: randomUUID(), name: 'Ada Lovelace' }, device: randomUUID() };
  writeFileSync(join(place.data, 'settings.json'), JSON.stringify(settings));
  // Below the repository, so that packages resolve.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'waymark-e2e-'));
  try {
    await bundleForNode(folder, { child: join(root, 'electron/testing/experiment-child.ts') });
    const args = [join(folder, 'child.js'), place.workspace, JSON.stringify(shape)];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  giveToApplication(place.folder);
}
