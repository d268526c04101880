import { join } from 'node:path';
import { BrowserWindow, nativeTheme } from 'electron';
import { appOrigin } from './protocol';

export interface WindowOptions {
  /** Folder of the built main process; preload lies beside it. */
  mainDir: string;
  icon: string;
  devServer: string | null;
  bounds: { width: number; height: number };
}

/** Opens the one window: sandboxed, isolated, without Node. It shows itself when its first frame is painted. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...options.bounds,
    minWidth: 1120,
    minHeight: 680,
    show: false,
    title: 'Waymark',
    icon: options.icon,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#111215' : '#f1f2f4',
    webPreferences: {
      preload: join(options.mainDir, '../preload/preload.js'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  window.once('ready-to-show', () => window.show());
  void window.loadURL(options.devServer ? `${options.devServer}/` : `${appOrigin}/index.html`);
  return window;
}
