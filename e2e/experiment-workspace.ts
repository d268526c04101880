import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { build } from 'vite';
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
    await buildChild(folder);
    const args = [join(folder, 'child.js'), place.workspace, JSON.stringify(shape)];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  giveToApplication(place.folder);
}

async function buildChild(folder: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@shared': join(root, 'shared') } },
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: true,
      target: 'node18.15',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: {
        input: { child: join(root, 'electron/testing/experiment-child.ts') },
        output: { format: 'cjs', entryFileNames: '[name].js' },
      },
    },
  });
}
