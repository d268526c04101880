import type { AppInfo } from '@shared/contract/ipc/application';

/** What an application that has no Electron says of itself. */
export const testAppInfo: AppInfo = {
  name: 'Waymark',
  version: '0',
  testRuntime: true,
  platform: 'linux',
  locale: 'en',
  smoke: false,
  runtime: { electron: '', chrome: '', node: '', sqlite: '' },
};
