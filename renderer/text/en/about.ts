export const about = {
  title: 'About Waymark',
  version: 'Waymark',
  electron: 'Electron',
  chrome: 'Chromium',
  node: 'Node.js',
  sqlite: 'SQLite',
  platform: 'Platform',
  testRuntime:
    'This is the test runtime: an old Electron for machines that cannot download the current one. It no longer gets security updates. Do not use it for real work.',
  licence: 'Apache License 2.0. Fonts: Inter and JetBrains Mono, SIL Open Font License.',
  diagnostics: 'Save diagnostics',
};
