import { plural } from './common';

const many = (n: number, what: string) => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`;

export const importing = {
  title: 'Import a run',
  intro:
    'A ResearchGym node, tree or checkpoint folder becomes a run that is reviewed like any other. Each model call becomes one step; what does not fit is kept with its step.',
  file: 'Choose a file',
  folder: 'Choose a folder',
  again: 'Import again if these files were imported before',
  cancel: 'Cancel the import',
  reading: (files: number, size: string) =>
    files === 0 ? 'Reading…' : `Reading: ${many(files, 'file')}, ${size} so far.`,
  storing: (percent: number) => `Storing: ${percent} % done.`,
  done: (steps: number, segments: number, hints: number) =>
    `${many(steps, 'step')} in ${many(segments, 'segment')}, ${hints === 0 ? 'no hints' : many(hints, 'hint')}.`,
  left: 'Not imported',
  imported: (title: string, steps: number, whole: boolean) =>
    `Imported ${title}: ${many(steps, 'step')}.${whole ? '' : ' Parts of it could not be imported.'}`,
  open: 'Open the run',
};

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
