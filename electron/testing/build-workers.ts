import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the bundled worker entries of the store. */
    storeWorkers: string;
  }
}

const root = resolve(import.meta.dirname, '../..');

/** Bundles the store's worker entries as the application's build does: threads cannot load TypeScript. */
export async function buildStoreWorkers(folder: string, extra: Record<string, string> = {}): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@shared': resolve(root, 'shared') } },
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: true,
      target: 'node18.15',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: {
        input: {
          'writer-worker': resolve(root, 'electron/store/threads/writer-worker.ts'),
          'reader-worker': resolve(root, 'electron/store/threads/reader-worker.ts'),
          'regex-worker': resolve(root, 'electron/store/threads/regex-worker.ts'),
          'merge-worker': resolve(root, 'electron/store/threads/merge-worker.ts'),
          'restore-worker': resolve(root, 'electron/store/restore/restore-worker.ts'),
          'import-worker': resolve(root, 'electron/dataset/importers/import-worker.ts'),
          'token-worker': resolve(root, 'electron/dataset/tokens/token-worker.ts'),
          'export-worker': resolve(root, 'electron/dataset/jobs/export-worker.ts'),
          ...extra,
        },
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
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
