import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import workerEntries from '../worker-entries.json';
import { bundleForNode } from './bundle-for-node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the bundled worker entries of the store. */
    storeWorkers: string;
  }
}

const root = resolve(import.meta.dirname, '../..');

/** Bundles the entries of all threads: they cannot load TypeScript. */
export async function buildStoreWorkers(folder: string, extra: Record<string, string> = {}): Promise<void> {
  const threads = Object.entries(workerEntries).map(([name, path]) => [name, resolve(root, path)] as const);
  await bundleForNode(folder, { ...Object.fromEntries(threads), ...extra });
}

const needNone = ['pure', 'pure-window', 'page'];

/**
 * Vitest global set-up: built once per test run, into a folder below the repository so that packages resolve. Not for
 * the tiers alone that need none of it.
 */
export async function setup(project: TestProject): Promise<() => void> {
  if (project.vitest.projects.every(({ name }) => needNone.includes(name))) return () => undefined;
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'waymark-workers-'));
  await buildStoreWorkers(folder, {
    'store-child': resolve(root, 'electron/testing/store-child.ts'),
    'shared-files-child': resolve(root, 'electron/testing/shared-files-child.ts'),
    'player-child': resolve(root, 'electron/testing/turns/player-child.ts'),
    'session-child': resolve(root, 'electron/testing/session-child.ts'),
    'late-writes-child': resolve(root, 'electron/testing/late-writes-child.ts'),
    'keys-child': resolve(root, 'electron/testing/keys-child.ts'),
    'hostile-files-child': resolve(root, 'electron/testing/hostile-files-child.ts'),
    'parsers-child': resolve(root, 'electron/testing/parsers-child.ts'),
    'export-child': resolve(root, 'electron/testing/export-child.ts'),
  });
  project.provide('storeWorkers', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
