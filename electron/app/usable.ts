import type { BrowserWindow } from 'electron';

/** A row of the timeline, or the first use's own page: what a person can act on. */
const CONTENT = '[role=grid] [role=row][data-step], .first-use';

/** Resolves when the window's first content is painted and it takes keys: it is there, and two frames have passed. */
export async function whenUsable(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`new Promise((resolve) => {
    const look = () => document.querySelector(${JSON.stringify(CONTENT)}) === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => requestAnimationFrame(resolve));
    look();
  })`);
}
