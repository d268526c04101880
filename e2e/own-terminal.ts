import { type ElectronApplication, expect, type Page } from '@playwright/test';

/** The page of the view in which own terminals are typed into, once one is shown and its history is there. */
export async function ownView(app: ElectronApplication): Promise<Page> {
  const isView = (page: Page) => page.url().startsWith('app://own-terminal/');
  await expect.poll(() => app.windows().some(isView)).toBe(true);
  const view = app.windows().find(isView);
  if (view === undefined) throw new Error('The view of own terminals is gone.');
  await expect(view.locator('.terminal-view-own[data-ready=true]')).toBeVisible();
  return view;
}

/** Where the keyboard is, as the main process knows it. */
export function keyboardIn(app: ElectronApplication): Promise<'view' | 'page' | 'nowhere'> {
  return app.evaluate(({ webContents }) => {
    const focused = webContents.getAllWebContents().find((contents) => contents.isFocused());
    if (focused === undefined) return 'nowhere';
    return focused.getURL().startsWith('app://own-terminal/') ? 'view' : 'page';
  });
}

/** Where the view lies over the window's content, px; null while it is not on the screen. */
export function viewBounds(app: ElectronApplication) {
  return app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return window?.getBrowserViews()[0]?.getBounds() ?? null;
  });
}

/** Opens a terminal of the person's own on this computer and goes into it. */
export async function openOwnTerminal(app: ElectronApplication, page: Page): Promise<Page> {
  await page.getByRole('button', { name: 'New terminal' }).click();
  await page.getByRole('menuitem', { name: 'This computer' }).click();
  const view = await ownView(app);
  await expect.poll(() => keyboardIn(app)).toBe('view');
  await expect(view.locator('.terminal-view-own textarea')).toBeFocused();
  return view;
}
