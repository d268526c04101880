import { join } from 'node:path';
import { app, BrowserWindow } from 'electron';
import { Application } from './app/application';
import { readArguments } from './app/arguments';
import { declareScheme, serveApp } from './app/protocol';
import { lockDown } from './app/security';
import { dataFolder } from './settings-file';

/**
 * Composition root: one instance, one window, one open workspace. The engine (`open-workbench.ts`) knows nothing
 * of Electron; everything that does is put together in `app/application.ts`.
 */
const devServer = process.env.ELECTRON_RENDERER_URL ?? null;
const smoking = readArguments(process.argv, process.env);
// A smoke run leaves no trace in the person's own settings.
const data = smoking.smoke ? join(smoking.out, 'data') : dataFolder(process.env, process.platform);
app.setPath('userData', data);
app.setName('Waymark');

if (!app.requestSingleInstanceLock()) {
  // The first instance raises its window (`second-instance`).
  app.exit(0);
} else {
  declareScheme();
  void start();
}

async function start(): Promise<void> {
  await app.whenReady();
  serveApp(join(__dirname, '..', 'renderer'));
  lockDown(devServer);
  const application = await Application.create({ mainDir: __dirname, data, devServer, argv: process.argv });
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
