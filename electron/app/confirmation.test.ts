import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { beforeEach, expect, it, vi } from 'vitest';
import { nativeConfirm } from './confirmation';

const shown: { options: MessageBoxOptions; answer: (button: number) => void }[] = [];
vi.mock('electron', () => ({
  dialog: {
    showMessageBox: (_window: unknown, options: MessageBoxOptions) =>
      new Promise((resolve) => {
        shown.push({ options, answer: (response) => resolve({ response }) });
      }),
  },
}));

const window = {} as BrowserWindow;
const question = { message: 'Trust this?', detail: 'box', yes: 'Trust' };
beforeEach(() => {
  shown.length = 0;
});

it('is yes only by the button that says so, and cancels by default', async () => {
  const confirm = nativeConfirm(
    () => window,
    () => 'Cancel',
  );
  const first = confirm(question);
  expect(shown[0]?.options).toMatchObject({ buttons: ['Cancel', 'Trust'], defaultId: 0, cancelId: 0 });
  shown[0]?.answer(1);
  expect(await first).toBe(true);
  const second = confirm(question);
  shown[1]?.answer(0);
  expect(await second).toBe(false);
});

it('answers no to what is asked while a question stands, and without a window', async () => {
  const confirm = nativeConfirm(
    () => window,
    () => 'Cancel',
  );
  const first = confirm(question);
  expect(await Promise.all(Array.from({ length: 100 }, () => confirm(question)))).not.toContain(true);
  expect(shown).toHaveLength(1);
  shown[0]?.answer(1);
  expect(await first).toBe(true);
  const without = nativeConfirm(
    () => null,
    () => 'Cancel',
  );
  expect(await without(question)).toBe(false);
});

it('shows hidden characters and no more than fits', async () => {
  const confirm = nativeConfirm(
    () => window,
    () => 'Cancel',
  );
  const first = confirm({ ...question, detail: `http://a\u202eb/${'x'.repeat(100_000)}` });
  const detail = shown[0]?.options.detail ?? '';
  expect(detail).toContain('⟨U+202E⟩');
  expect(detail.length).toBeLessThan(3_000);
  shown[0]?.answer(0);
  await first;
});
