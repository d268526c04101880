import type { ErrorCode, Failure } from '@shared/contract/errors';

const problems: Partial<Record<ErrorCode, string>> = {
  disk_full: 'The data folder is full.',
  read_only: 'The data folder is read-only.',
  workspace_corrupt: 'The data folder is damaged.',
  workspace_newer: 'The data folder belongs to a newer version of Waymark.',
  workspace_locked: 'The data folder is locked.',
  workspace_moved: 'The data folder was moved or deleted.',
  workspace_network_fs: 'The data folder is on a network disk.',
  system_busy: 'The computer has run out of file handles or memory.',
};

export const frame = {
  product: 'Waymark',
  modes: 'Mode',
  watch: 'Watch',
  review: 'Review',
  export: 'Export',
  settings: 'Settings',
  about: 'About',
  testRuntime: 'Test runtime',
  testRuntimeText: (version: string) =>
    `An older Electron (${version}) from a package registry, for tests only. Packages built with it are named -testonly.`,
  /** What main said of a failure, in the window's language where it has words of its own. */
  failure: ({ message }: Failure): string => message,
  problemTitle: (code: ErrorCode) => problems[code] ?? 'The data folder cannot be used.',
  problemEffect: (code: ErrorCode): string =>
    code === 'workspace_corrupt'
      ? 'Labels and hints are not accepted now.'
      : 'Labels and hints are not accepted now; what was saved before is safe.',
  elsewhereTitle: 'Not trusted yet',
  elsewhereText:
    'This folder is a copy or belongs to someone else, so it is read-only until you trust it: no labels, hints or runs. Trust it only if you know who made it.',
  trust: 'Trust…',
  trustOnServer: (folder: string) =>
    `To trust it, run this on the server: waymark run list --workspace ${folder} --trust`,
  readOnly: 'Read only',
  onlyReadWhy: 'This workspace is read-only for now: runs cannot be started, imported or changed.',
  checkAgain: 'Check again',
  saved: (seq: string) => `Saved, seq ${seq}`,
  saving: (n: number) => (n === 1 ? 'Saving 1 change' : `Saving ${n} changes`),
  notSaving: 'Not saving',
  decided: (decided: string, of: string) => `${decided} of ${of} labelled`,
  /** A branch before its first own step that wants a decision. */
  nothingOwn: (inherited: string) => `Nothing to decide yet, ${inherited} inherited`,
  inherited: (n: string) => `${n} inherited`,
  undecided: (n: string) => `${n} undecided`,
  annotator: (name: string) => `Annotator ${name}`,
  shortcuts: 'Shortcuts',
  noRuns: 'No runs yet',
  folder: (path: string, free: string) => `${path}, ${free} free`,
  resizeTimeline: 'Width of the timeline',
  resizeDetail: 'Height of the step',
  resizeInspector: 'Width of the labels',
  crashed: 'This part of the window stopped working.',
  crashedText: 'Nothing that was saved is lost. Open it again, or copy the details for a report.',
  openAgain: 'Open it again',
  bridgeMissing: 'Waymark runs as a desktop application. Start it with "npm start".',
  announceSteps: (n: number) => (n === 1 ? '1 new step.' : `${n} new steps.`),
  announceState: (title: string, state: string) => `${title}: ${state}.`,
  diagnosticsSaved: (path: string) => `Diagnostics saved to ${path}`,
};

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

export const palette = {
  title: 'Commands, steps, runs',
  placeholder: 'Command, step number or run name',
  list: 'Matches',
  groups: { steps: 'Steps', runs: 'Runs' },
  goToStep: (step: string) => `Go to step ${step}`,
  openRun: (number: number, title: string) => `Run ${number}: ${title}`,
  nothing: (query: string) => `Nothing matches “${query}”`,
  count: (n: number) => (n === 1 ? '1 entry' : `${n} entries`),
  foot: 'Up and down select, Enter runs, Esc closes.',
};
