import type { RemoteStatus } from '@shared/contract/ipc/remote';

const states: Record<RemoteStatus['state'], string> = {
  connecting: 'connecting',
  up: 'up',
  down: 'away',
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
  waiting: (n: number) => (n === 1 ? '1 waits' : `${n} wait`),
  title: 'Workspace on a computer',
  lead: 'Shows and steers the runs that a computer drives by itself. They go on when this machine sleeps.',
  host: 'Computer',
  hostHelp: 'From your computers; Waymark must be installed there.',
  folder: 'Folder there',
  folderHelp: 'Absolute path; empty for the default one of that user.',
  folderPlaceholder: '/data/waymark',
  command: 'Command there',
  commandHelp: 'How Waymark is started on that computer, e.g. node /opt/waymark/cli.js',
  connect: 'Open',
  connecting: 'Connecting…',
  noComputers: 'No computer yet',
  noComputersText: 'Add the computer first, with the same SSH alias you use in a terminal.',
  addComputer: 'Add a computer',
  now: (alias: string) => `Open now: ${alias}`,
  version: (version: string) => `Waymark ${version} there`,
  back: 'Back to this computer',
  downTitle: (alias: string) => `${alias} is away.`,
  downText: (n: number) =>
    n === 0
      ? 'The runs there go on. What you write waits here and is sent when it is back.'
      : `The runs there go on. ${entries(n)} here and ${n === 1 ? 'is' : 'are'} sent when it is back.`,
  refusedTitle: (alias: string) => `${alias} cannot open the workspace.`,
  lateTitle: (n: number) =>
    n === 1 ? 'One of your entries was refused there.' : `${n} of your entries were refused there.`,
  late: (what: string, text: string, why: string) =>
    text === '' ? `${what}: ${why}` : `${what} “${text}”: ${why}`,
  write: (command: string) => writes[command] ?? command,
  seen: 'Seen',
};
