import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrowserWindow, nativeTheme, type WebPreferences } from 'electron';
import type { TakenEnvironment } from '../environment/taken-environment';
import type { StoreThreads } from '../store/threads/store-thread';
import { appOrigin } from './protocol';

export interface WindowOptions {
  /** Folder of the built main process; preload lies beside it. */
  mainDir: string;
  icon: string;
  devServer: string | null;
  bounds: { width: number; height: number };
}

/** What every page of ours runs with: sandboxed, isolated, without Node. `page`: what preload is told it serves. */
export function pagePreferences(mainDir: string, page?: string): WebPreferences {
  return {
    preload: join(mainDir, '../preload/preload.js'),
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
    spellcheck: false,
    ...(page === undefined ? {} : { additionalArguments: [`--waymark-page=${page}`] }),
  };
}

/** The ground before a page has painted. */
export function groundColour(): string {
  return nativeTheme.shouldUseDarkColors ? '#111215' : '#f1f2f4';
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
    backgroundColor: groundColour(),
    webPreferences: pagePreferences(options.mainDir),
  });
  window.once('ready-to-show', () => window.show());
  void window.loadURL(options.devServer ? `${options.devServer}/` : `${appOrigin}/index.html`);
  return window;
}

/** What is there before the application is loaded. */
export interface ApplicationInput {
  windowOptions: WindowOptions;
  /** The first window, which loads its page meanwhile. */
  window: BrowserWindow;
  /** For the first workspace. */
  threads: StoreThreads;
  data: string;
  argv: readonly string[];
  /** Keys that were given by environment variables, which this process has no more. */
  environment: TakenEnvironment;
}

/**
 * The chosen theme, read without the schema of the settings: the window has its colour before that is loaded. What cannot
 * be read is `system` here; `SettingsFile` says what is wrong with it.
 */
export function storedTheme(data: string): 'system' | 'light' | 'dark' {
  try {
    const { theme } = JSON.parse(readFileSync(join(data, 'settings.json'), 'utf8')) as { theme?: unknown };
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}
