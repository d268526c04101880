import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ElectronApplication, expect, type Page } from '@playwright/test';
import { ownTerminalCommands } from '../shared/contract/ipc/own-terminal';
import { test } from './application';
import { keyboardIn, openOwnTerminal, viewBounds } from './own-terminal';
import { startDemo } from './story';

/** What the page itself can say to the main process over the bridge it has. */
function ask(page: Page, bridge: string, name: string, input: unknown): Promise<string> {
  return page.evaluate(
    async ({ at, command, value }) => {
      const { invoke } = Reflect.get(window, at) as {
        invoke(name: string, input: unknown): Promise<{ ok: boolean; error?: { code: string } }>;
      };
      const reply = await invoke(command, value);
      return reply.ok ? 'done' : (reply.error?.code ?? '');
    },
    { at: bridge, command: name, value: input },
  );
}

/** What is on the screen, view and all, which is in no picture of a page; into the folder of `WAYMARK_PICTURES`. */
async function picture(app: ElectronApplication, name: string, shown: readonly Page[]): Promise<void> {
  const folder = process.env.WAYMARK_PICTURES;
  if (folder === undefined) return;
  // A view that is hidden paints no frames.
  for (const page of shown)
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
    );
  const png = await app.evaluate(async ({ desktopCapturer }) => {
    const [screen] = await desktopCapturer.getSources({
      types: ['screen'],
      thumbnailSize: { width: 1600, height: 1000 },
    });
    return screen?.thumbnail.toPNG().toString('base64') ?? '';
  });
  writeFileSync(join(folder, `${name}.png`), Buffer.from(png, 'base64'));
}

function chooseMenu(app: ElectronApplication, label: string): Promise<void> {
  return app.evaluate(({ Menu }, wanted) => {
    const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
    items.find((item) => item.label === wanted)?.click();
  }, label);
}

test('an own terminal lives in a view of its own, which alone types into it', async ({ place }) => {
  test.setTimeout(150_000);
  const { app, page, complaints } = await startDemo(place);
  const view = await openOwnTerminal(app, page);
  const rows = view.locator('.xterm-rows');
  const mark = join(place.folder, 'typed');

  await test.step('what is typed comes to the shell', async () => {
    await view.keyboard.type(`echo "sum $((20 + 22))"; echo there > ${mark}; stty size\n`);
    await expect(rows).toContainText('sum 42');
    await expect.poll(() => existsSync(mark) && readFileSync(mark, 'utf8')).toBe('there\n');
    await expect(view.locator('.terminal-head')).toContainText('local:terminal-1');
  });

  await test.step('the page of the window has no command for it, and the view none of the window', async () => {
    const id = (await page.locator('.own-room').getAttribute('data-room')) ?? '';
    const bytes = { id, bytes: [10], offset: 0, maxBytes: 100, ids: [id], rows: 24, cols: 80, live: 1 };
    await page.keyboard.press('Shift');
    for (const name of Object.keys(ownTerminalCommands))
      expect(await ask(page, 'waymark', name, bytes), name).toBe('bad_input');
    for (const name of ['settings.get', 'settings.set', 'runs.list', 'own.open', 'own.place', 'own.enter'])
      expect(await ask(view, 'waymarkOwnTerminal', name, {}), name).toBe('bad_input');
    expect(await page.evaluate(() => 'waymarkOwnTerminal' in window)).toBe(false);
    expect(await view.evaluate(() => 'waymark' in window)).toBe(false);
    const processes = await app.evaluate(({ webContents }) =>
      webContents.getAllWebContents().map((contents) => contents.getOSProcessId()),
    );
    expect(new Set(processes).size).toBe(2);
    await expect(page.locator('.terminal-card').filter({ hasText: 'terminal-1' })).not.toContainText(
      'sum 42',
    );
  });

  await test.step('it follows the window, its theme, its language and its zoom', async () => {
    const room = await page.locator('.own-room').boundingBox();
    const bounds = await viewBounds(app);
    expect(bounds?.width).toBe(Math.round((room?.width ?? 0) - 4));
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
    ] as const) {
      await app.evaluate(
        ({ BrowserWindow }, size) =>
          BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
        { width, height },
      );
      await expect
        .poll(async () => {
          const at = await viewBounds(app);
          const left = await page.locator('.own-room').boundingBox();
          return at !== null && left !== null && Math.abs(left.width - 4 - at.width) <= 1;
        })
        .toBe(true);
      for (const theme of ['dark', 'light'] as const) {
        await page.keyboard.press('Shift');
        expect(await ask(page, 'waymark', 'settings.set', { theme })).toBe('done');
        await expect(view.locator('html')).toHaveAttribute('data-theme', theme);
        await picture(app, `${width}x${height}-${theme}`, [page, view]);
      }
    }
    await page.keyboard.press('Shift');
    await ask(page, 'waymark', 'settings.set', { language: 'zh' });
    await expect(view.locator('html')).toHaveAttribute('lang', 'zh-CN');
    await page.keyboard.press('Shift');
    await ask(page, 'waymark', 'settings.set', { language: 'en' });
    await expect(view.locator('html')).toHaveAttribute('lang', 'en');
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(1.25),
    );
    await expect.poll(() => view.evaluate(() => window.devicePixelRatio)).toBe(1.25);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(1));
    await expect.poll(() => view.evaluate(() => window.devicePixelRatio)).toBe(1);
  });

  await test.step('it follows the line between the panes while that is dragged over it and back', async () => {
    const line = page.getByRole('separator', { name: 'Height of the step' });
    const from = await line.boundingBox();
    if (from === null) throw new Error('There is no line to drag.');
    const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (const moved of [10, 90, -60, 0]) {
      await page.mouse.move(x, y + moved);
      await expect.poll(() => line.boundingBox().then((at) => Math.round((at?.y ?? 0) - from.y))).toBe(moved);
      await expect
        .poll(async () => {
          const room = await page.locator('.own-room').boundingBox();
          const at = await viewBounds(app);
          return (
            room !== null &&
            at !== null &&
            Math.abs(room.y + 2 - at.y) + Math.abs(room.height - 4 - at.height)
          );
        })
        .toBeLessThanOrEqual(2);
    }
    await page.mouse.up();
  });

  await test.step('the keyboard goes in and out by keys', async () => {
    expect(await keyboardIn(app)).toBe('view');
    await view.keyboard.press('Control+Backquote');
    await expect.poll(() => keyboardIn(app)).toBe('page');
    await expect.poll(() => viewBounds(app)).toBe(null);
    await expect(
      page.locator('.terminal-grid .terminal-card').filter({ hasText: 'terminal-1' }),
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await expect.poll(() => keyboardIn(app)).toBe('view');
    await view.keyboard.type('echo "back $((1 + 1))"\n');
    await expect(rows).toContainText('back 2');
  });

  await test.step('a sheet of the page takes its place, and gives it back with the keyboard', async () => {
    await chooseMenu(app, 'Settings');
    await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
    await expect.poll(() => viewBounds(app)).toBe(null);
    expect(await keyboardIn(app)).toBe('page');
    await picture(app, 'sheet', [page]);
    await page.keyboard.press('Escape');
    await expect.poll(() => viewBounds(app)).not.toBe(null);
    await expect.poll(() => keyboardIn(app)).toBe('view');
    await view.keyboard.type('echo "again $((2 + 1))"\n');
    await expect(rows).toContainText('again 3');
  });

  await test.step('a page that was taken over cannot have a person type blind', async () => {
    const id = (await page.locator('.own-room').getAttribute('data-room')) ?? '';
    const small = { id, x: 10, y: 10, width: 4, height: 4 };
    expect(await ask(page, 'waymark', 'own.place', small)).toBe('done');
    expect(await viewBounds(app)).toBe(null);
    expect(await keyboardIn(app)).toBe('page');
    const outside = { id, x: 5_000, y: 5_000, width: 400, height: 400 };
    expect(await ask(page, 'waymark', 'own.place', outside)).toBe('done');
    expect(await viewBounds(app)).toBe(null);
    expect(await ask(page, 'waymark', 'own.enter', undefined)).toBe('refused');
  });
  expect(complaints).toEqual([]);
});
