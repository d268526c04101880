import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const resolved = { alias: { '@shared': resolve(import.meta.dirname, 'shared') } };

/** What needs programs beside this one: sshd, bubblewrap, shells, servers. */
const HOSTS = ['electron/{computer,environment,own-terminals,remote,serve}/**/*.test.ts'];
/** Texts of megabytes, and programs that are started: nothing to wait for between two thoughts. */
const HEAVY = ['**/*.worst.test.{ts,tsx}', 'scripts/**/*.test.mjs'];

/** Components as a person uses them: a page without a browser (happy-dom). */
const PAGES = ['renderer/**/*.page.test.tsx'];

const tier = (
  name: string,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({
  resolve: resolved,
  // Far above what any test takes: it ends what hangs, also on a slow machine that does other work.
  test: {
    name,
    environment: 'node',
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
    ...test,
  },
});

/**
 * Tiers of tests; the last one, the window, is Playwright's (`e2e/`). `pure`, `pure-window` and `page` need nothing built and no process
 * of their own: they run in threads.
 */
export default defineConfig({
  test: {
    // Most of the time goes into waiting for the disk, shells and hosts: one worker would leave half of two cores idle.
    maxWorkers: 2,
    // Once for all tiers; the pure ones alone do without.
    globalSetup: ['electron/testing/own-home.ts', 'electron/testing/build-workers.ts'],
    projects: [
      tier('pure', { include: ['shared/**/*.test.ts'], exclude: HEAVY, pool: 'threads', isolate: false }),
      // Stores of the window are the module's own: each file gets new ones.
      tier('pure-window', {
        include: ['renderer/**/*.test.{ts,tsx}'],
        exclude: [...HEAVY, ...PAGES],
        pool: 'threads',
      }),
      tier('page', { include: PAGES, environment: 'happy-dom', pool: 'threads' }),
      tier('engine', {
        include: ['electron/**/*.test.ts', ...HEAVY],
        exclude: ['**/node_modules/**', ...HOSTS],
        pool: 'forks',
      }),
      // They wait for shells, networks and time limits, and leave the processors idle: more of them go at a time, by themselves, after
      // the others.
      tier('hosts', { include: HOSTS, pool: 'forks', maxWorkers: 4, sequence: { groupOrder: 1 } }),
    ],
  },
});
