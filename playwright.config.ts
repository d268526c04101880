import { defineConfig } from '@playwright/test';

/** `npm run test:e2e` brings set-up and a display; every test starts the real application. */
export default defineConfig({
  testDir: 'e2e',
  testIgnore: 'offline/**',
  outputDir: 'test-results',
  workers: 1, // windows share one display, and timings are asserted
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI === 'true',
  reporter: 'list',
  use: { trace: 'retain-on-failure' },
});
