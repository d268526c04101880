import type { ElectronApplication, Page } from '@playwright/test';
import type { Start } from './desktop';

export interface OpenWindow {
  app: ElectronApplication;
  page: Page;
}

/** Starts an application under Playwright; resolves once its window shows the timeline, or its only heading. */
export async function openWindow({ executablePath, args, env }: Start): Promise<OpenWindow> {
  // Few benches need it, and it takes long to load.
  const { _electron } = await import('@playwright/test');
  const app = await _electron.launch({ executablePath, args, env, chromiumSandbox: true });
  const page = await app.firstWindow();
  await page.locator('[role=row][data-step], h1').first().waitFor();
  return { app, page };
}
