import { visibleText } from '@shared/terminal/visible-text';
import type { BrowserWindow } from 'electron';
import { dialog } from 'electron';

/** What a person is asked natively before the main process does it. */
export interface Question {
  /** One sentence that ends with a question mark. */
  message: string;
  /** What it is about, in full: addresses, names, fingerprints. Hidden characters are shown as what they are. */
  detail: string;
  /** The button that says yes; the other one cancels, and is what Enter and Escape press. */
  yes: string;
}

/** Asks the person; true = yes. */
export type Confirm = (question: Question) => Promise<boolean>;

/** Of the text that a page or a server chose, no more than this is shown, in characters. */
const mostDetail = 2_000;

/**
 * The system's own question over the window, which the page neither draws nor answers. One at a time: what is asked while
 * one stands is answered no, so that a page cannot pile them up until somebody clicks through. Without a window the
 * answer is no. Tests answer by putting a function of their own in place of `dialog.showMessageBox` from outside the
 * application (`answerQuestion` in e2e/application.ts); nothing in the application itself answers for a person.
 */
export function nativeConfirm(window: () => BrowserWindow | null, cancel: () => string): Confirm {
  let asking = false;
  return async ({ message, detail, yes }) => {
    const over = window();
    if (over === null || asking) return false;
    asking = true;
    try {
      const shown = visibleText(detail);
      const { response } = await dialog.showMessageBox(over, {
        type: 'question',
        message,
        detail: shown.length > mostDetail ? `${shown.slice(0, mostDetail)} …` : shown,
        buttons: [cancel(), yes],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      });
      return response === 1;
    } finally {
      asking = false;
    }
  };
}
