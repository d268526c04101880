import type { Page } from '@playwright/test';

/** A key as a keyboard of another layout sends it: what it prints and where it is. */
export interface LayoutKey {
  key: string;
  code: string;
}

/** Presses keys of another layout, through the browser's own input, as Playwright knows the US layout only. */
export async function pressOn(page: Page, ...keys: LayoutKey[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const { key, code } of keys) {
    const text = [...key].length === 1 ? { text: key } : {};
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, ...text });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
  }
  await session.detach();
}
