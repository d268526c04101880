import { defineConfig } from '@playwright/test';

/** `npm run test:e2e` brings set-up and a display; every test starts the real application. */
export default defineConfig({
  testDir: 'e2e',
  testIgnore: 'offline/**',
  outputDir: 'test-results',
  workers: 1, // windows share one display, and timings are asserted
  timeout: 90_000,
  maxFailures: process.env.CI === 'true' ? 6 : 0, // a window that shows nothing fails every story at its slowest
  expect: { timeout: 30_000 },
  forbidOnly: process.env.CI === 'true',
  reporter: 'list',
  use: { trace: 'retain-on-failure' },
});
