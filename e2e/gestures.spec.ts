import { expect, type Page } from '@playwright/test';
import { test } from './application';
import { giveName } from './story';

/** What a page that was taken over can say to the main process. */
function ask(page: Page, name: string, input: unknown): Promise<string> {
  return page.evaluate(
    async ({ command, value }) => {
      const bridge = Reflect.get(window, 'waymark') as {
        invoke(name: string, input: unknown): Promise<{ ok: boolean; error?: { code: string } }>;
      };
      const reply = await bridge.invoke(command, value);
      return reply.ok ? 'done' : (reply.error?.code ?? '');
    },
    { command: name, value: input },
  );
}

test('what reaches further needs a key or click that the main process saw', async ({ place }) => {
  const { app, page } = await place.start({ args: ['--workspace', place.workspace] });
  await page.waitForLoadState();
  await expect(page.getByRole('textbox', { name: 'Your name' })).toBeVisible();
  const opened = { computer: 'local', run: null, rows: 24, cols: 80 };
  const change = { annotator: { uuid: '', name: 'Mallory' } };
  expect(await ask(page, 'settings.set', change)).toBe('refused');
  expect(await ask(page, 'own.open', opened)).toBe('refused');
  await page.evaluate(() => {
    const options = { bubbles: true, key: 'Enter' };
    document.body.click();
    document.body.dispatchEvent(new MouseEvent('mousedown', options));
    document.body.dispatchEvent(new PointerEvent('pointerdown', options));
    document.body.dispatchEvent(new KeyboardEvent('keydown', options));
  });
  await page.mouse.move(200, 200);
  await page.mouse.wheel(0, 100);
  expect(await ask(page, 'settings.set', change)).toBe('refused');
  expect(await ask(page, 'own.open', opened)).toBe('refused');

  // Its own dialogs are the system's: nothing is opened, written or started before a person says so there.
  await place.answerQuestion(app, 'no');
  const there = { alias: 'box', folder: '', command: 'rm -rf ~;' };
  expect(await ask(page, 'remote.open', there)).toBe('cancelled');

  await giveName(page, 'Grace');
});
