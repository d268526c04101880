import type { RemoteStatus } from '@shared/contract/ipc/remote';

const states: Record<RemoteStatus['state'], string> = {
  connecting: 'connecting',
  up: 'up',
  down: 'unreachable',
  refused: 'refused',
};
const writes: Record<string, string> = {
  'hints.queue': 'Hint',
  'labels.apply': 'Label',
  'labels.comment': 'Comment',
  'labels.flag': 'Flag',
};
const entries = (n: number) => (n === 1 ? '1 of your entries waits' : `${n} of your entries wait`);

export const remote = {
  open: 'Open workspace on a computer…',
  local: 'Workspace: this computer',
  mark: (alias: string) => `Workspace on ${alias}`,
  state: (state: RemoteStatus['state']) => states[state],
  since: (state: string, time: string) => `${state} for ${time}`,
  waiting: (n: number) => (n === 1 ? '1 waiting' : `${n} waiting`),
  title: 'Workspace on a computer',
  lead: 'Shows and steers the runs that another computer drives on its own. They continue when this machine sleeps.',
  host: 'Computer',
  hostHelp: 'From your computers; Waymark must be installed there.',
  folder: 'Folder there',
  folderHelp: 'Absolute path. Empty: that user’s default folder.',
  folderPlaceholder: '/data/waymark',
  command: 'Command there',
  commandHelp: 'How Waymark is started on that computer, e.g. node /opt/waymark/out/main/cli.js',
  connect: 'Open',
  connecting: 'Connecting…',
  noComputers: 'No computer yet',
  noComputersText: 'Add the computer first, with the same SSH alias you use in a terminal.',
  addComputer: 'Add a computer',
  now: (alias: string) => `Open now: ${alias}`,
  version: (version: string) => `Waymark ${version} there`,
  back: 'Back to this computer',
  downTitle: (alias: string) => `${alias} cannot be reached.`,
  downText: (n: number) =>
    n === 0
      ? 'The runs there continue. What you write is kept here and sent when the connection is back.'
      : `The runs there continue. ${entries(n)} here and ${n === 1 ? 'is' : 'are'} sent when the connection is back.`,
  refusedTitle: (alias: string) => `${alias} cannot open the workspace.`,
  lateTitle: (n: number) =>
    n === 1 ? 'One of your entries was refused there.' : `${n} of your entries were refused there.`,
  late: (what: string, text: string, why: string) =>
    text === '' ? `${what}: ${why}` : `${what} “${text}”: ${why}`,
  write: (command: string) => writes[command] ?? command,
  seen: 'Dismiss',
};
