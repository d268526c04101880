import type { Text } from '../en';

export const about: Text['about'] = {
  title: '关于 Waymark',
  version: 'Waymark',
  electron: 'Electron',
  chrome: 'Chromium',
  node: 'Node.js',
  sqlite: 'SQLite',
  platform: '平台',
  testRuntime:
    '这是测试运行时：为无法下载新版 Electron 的机器准备的旧版本，不再获得安全更新。请勿用于实际工作。',
  licence: 'Apache 许可证 2.0。字体：Inter 与 JetBrains Mono，SIL 开放字体许可。',
  diagnostics: '保存诊断信息',
};
