import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@shared': resolve(import.meta.dirname, 'shared') } },
  test: {
    include: ['{shared,electron,renderer,scripts}/**/*.test.{ts,tsx,mjs}'],
    environment: 'node',
    pool: 'forks',
    // Most of the time goes into waiting for the disk, shells and hosts: one worker would leave half of two cores idle.
    maxWorkers: 2,
    globalSetup: ['electron/testing/build-workers.ts'],
    testTimeout: 30_000,
  },
});
