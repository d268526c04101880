import { plural } from './plural';

export const restore = {
  offer: 'Restore from a backup…',
  title: 'Restore from a backup',
  lead: 'A new folder is created from the backup you choose and every run that is still intact. The damaged folder is not changed.',
  backups: 'Backups',
  none: 'There are no backups. Runs that are still intact can be restored without one.',
  contents: (labels: number, hints: number, runs: number) =>
    `${plural(labels, 'label')}, ${plural(hints, 'hint')}, ${plural(runs, 'run')}`,
  by: (people: string) => `by ${people}`,
  action: 'Choose a new folder and restore…',
  working: 'Restoring…',
  done: 'Restored',
  folder: 'New folder',
  labels: 'Labels',
  hints: 'Hints',
  runs: 'Runs',
  untitled: 'A run without a readable title',
  log: (steps: number, labels: number) => `Restored: ${plural(steps, 'step')}, ${plural(labels, 'label')}`,
  lost: (labels: number) =>
    labels === 0 ? 'Not restored' : `Not restored; ${plural(labels, 'label')} set aside`,
  removed: 'Removed earlier',
  rest: 'Not restored',
  remarks: 'Please check',
};
