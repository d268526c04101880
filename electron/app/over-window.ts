import type { WebPreferences } from 'electron';
import { BrowserView, type BrowserWindow, type Rectangle, type WebContents, WebContentsView } from 'electron';

/** Contents of their own that lie over a part of a window, above everything its page paints. */
export interface OverWindow {
  readonly contents: WebContents;
  /** In device-independent pixels of the window's content. */
  show(bounds: Rectangle): void;
  hide(): void;
  ground(colour: string): void;
  dispose(): void;
}

/**
 * `WebContentsView` where it is what `BrowserView` was made of anew (Electron 30), else `BrowserView`; a class of that name was
 * there before and can be neither placed nor hidden.
 */
export function openOverWindow(window: BrowserWindow, webPreferences: WebPreferences): OverWindow {
  return 'setVisible' in WebContentsView.prototype
    ? contentsView(window, webPreferences)
    : browserView(window, webPreferences);
}

function browserView(window: BrowserWindow, webPreferences: WebPreferences): OverWindow {
  const view = new BrowserView({ webPreferences });
  let added = false;
  return {
    contents: view.webContents,
    show(bounds) {
      if (!added) window.addBrowserView(view);
      added = true;
      view.setBounds(bounds);
    },
    hide() {
      if (added && !window.isDestroyed()) window.removeBrowserView(view);
      added = false;
    },
    ground: (colour) => view.setBackgroundColor(colour),
    dispose() {
      this.hide();
      view.webContents.close();
    },
  };
}

function contentsView(window: BrowserWindow, webPreferences: WebPreferences): OverWindow {
  const view = new WebContentsView({ webPreferences });
  view.setVisible(false);
  window.contentView.addChildView(view);
  return {
    contents: view.webContents,
    show(bounds) {
      view.setBounds(bounds);
      view.setVisible(true);
    },
    hide: () => view.setVisible(false),
    ground: (colour) => view.setBackgroundColor(colour),
    dispose() {
      if (!window.isDestroyed()) window.contentView.removeChildView(view);
      view.webContents.close();
    },
  };
}
