import type { Page } from '@playwright/test';

/** A picture for whoever looks at the window, where one is asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.WAYMARK_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
}
