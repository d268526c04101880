import { defineConfig } from '@playwright/test';

/** Run by `npm run test:offline`, which brings a network of its own. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/offline',
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI === 'true',
  reporter: 'list',
  use: { trace: 'retain-on-failure' },
});
