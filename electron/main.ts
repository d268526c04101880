import { join } from 'node:path';
import { app, BrowserWindow, nativeTheme } from 'electron';
import { developmentServer, readArguments } from './app/arguments';
import { declareScheme, serveApp } from './app/protocol';
import { lockDown } from './app/security';
import { type ApplicationInput, openWindow, storedTheme, type WindowOptions } from './app/window';
import { dataFolder, resourcesFolder } from './application-folders';
import { takeFromCodeCache } from './code-cache';
import { keepOutOfCoreDumps } from './environment/core-dumps';
import { takenEnvironment } from './environment/taken-environment';
import { registerCommands } from './ipc/register';
import { type StoreThreads, startThreads } from './store/threads/store-thread';

/**
 * Composition root: one instance, one window, one open workspace. The engine (`open-workbench.ts`) knows nothing
 * of Electron; everything that does is put together in `app/application.ts`, which is loaded while the page is: this file
 * and what it imports are all that runs before the window opens.
 */

/** The store's two other threads leave the processors to the window's first rows, ms. */
const THREADS_AFTER_MS = 1_500;

takeFromCodeCache(__dirname);
/** Before anything is started: what has been started inherits no key. */
keepOutOfCoreDumps();
const environment = takenEnvironment();
const devServer = developmentServer(app.isPackaged, process.env);
const smoking = readArguments(process.argv, process.env);
// A smoke run leaves no trace in the person's own settings.
const data = smoking.smoke ? join(smoking.out, 'data') : dataFolder(process.env, process.platform);
app.setPath('userData', data);
app.setName('Waymark');

if (!app.requestSingleInstanceLock()) {
  // The first instance raises its window (`second-instance`).
  process.stdout.write('Waymark is already open. Its window has come to the front.\n', () => app.exit(0));
} else {
  declareScheme();
  // They load their code on the other cores while Chromium and the page's process begin.
  void start(startThreads(__dirname, { writerFirst: true }));
}

async function start(threads: StoreThreads): Promise<void> {
  await app.whenReady();
  const served = serveApp(join(__dirname, '..', 'renderer'));
  const locked = lockDown(devServer);
  const windowOptions: WindowOptions = {
    mainDir: __dirname,
    icon: join(resourcesFolder(__dirname), 'icons', '256x256.png'),
    devServer,
    bounds: smoking.size,
  };
  nativeTheme.themeSource = storedTheme(data);
  const window = openWindow(windowOptions);
  const loaded = new Promise<void>((resolve) => {
    window.webContents.once('did-stop-loading', () => resolve());
  });
  const creating = create({ windowOptions, window, threads }, Promise.race([served, loaded]));
  registerCommands(creating);
  await locked;
  const application = await creating;
  setTimeout(() => {
    threads.read.begin();
    threads.index.begin();
  }, THREADS_AFTER_MS);
  app.on('second-instance', () => application.raise());
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) application.raise();
  });
  app.on('window-all-closed', () => application.windowClosed());
  app.on('before-quit', (event) => {
    if (!application.mayQuit()) {
      event.preventDefault();
      void application.quit();
    }
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void application.quit({ ask: false }));
  await application.run();
}

async function create(
  begun: Pick<ApplicationInput, 'windowOptions' | 'window' | 'threads'>,
  pageBegins: Promise<unknown>,
) {
  try {
    // Loading it takes this thread, which the page needs for its files; running those takes the page's own.
    await pageBegins;
    const { Application } = await import('./app/application');
    return await Application.create({ ...begun, data, argv: process.argv, environment });
  } catch (error) {
    // With its only window the process ends.
    begun.window.destroy();
    throw error;
  }
}
