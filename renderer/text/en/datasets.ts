import type { ExportJobState } from '@shared/contract/export-views';
import { plural } from './common';

const states: Readonly<Record<ExportJobState, string>> = {
  waiting: 'waiting',
  running: 'writing',
  paused: 'paused',
  done: 'written',
  failed: 'failed',
  cancelled: 'cancelled',
};

export const jobs = {
  title: 'Jobs',
  button: (n: number, needs: boolean) =>
    `Jobs: ${n === 0 ? 'none in progress' : `${n} in progress`}${needs ? ', one needs attention' : ''}`,
  needsMark: '!',
  close: 'Close the list of jobs',
  none: 'No exports or judges in progress.',
  show: 'Show',
  left: (n: number) =>
    n === 1 ? 'An export was interrupted and can continue' : `${n} exports were interrupted and can continue`,
  doneToast: (records: number) => `Export written: ${plural(records, 'record')}`,
  state: states,
  interrupted: 'interrupted',
  interruptedText: 'Waymark was closed while it was writing. It continues where it stopped.',
  progress: (target: string) => `Progress of the export for ${target}`,
  percent: (n: number) => `${n} %`,
  events: (done: string, of: string) => `${done} of ${of} events`,
  records: (n: string, count: number) => (count === 1 ? '1 record' : `${n} records`),
  rate: (n: string) => `${n} per second`,
  timeLeft: (time: string) => `${time} left`,
  pause: 'Pause',
  resume: 'Continue',
  cancel: 'Cancel and delete',
  openFolder: 'Open folder',
  showDataset: 'Show dataset',
};

export const datasets = {
  title: 'Datasets',
  dataset: 'Dataset',
  none: 'No datasets yet',
  noneText:
    'Every export of this workspace is listed here with its files, its labels and what has changed since.',
  newExport: 'New export',
  lineFacts: (records: string, count: number, variants: number) =>
    `${count === 1 ? '1 record' : `${records} records`}${variants > 1 ? `, ${variants} variants` : ''}`,
  state: { there: 'unchanged', missing: 'missing', changed: 'changed' },
  missingText: 'The folder no longer exists at this place.',
  changedText: 'Files differ from the manifest: something has changed them since they were written.',
  forget: 'Remove from the list',
  again: 'Export again with today’s labels',

  contents: 'Contents',
  target: 'Target',
  writtenAt: 'Written',
  recordsName: 'Records',
  trained: 'Steps trained',
  masked: 'Steps masked',
  variants: 'Variants',
  redacted: 'Redaction',
  redactedCount: (n: string, count: number) =>
    count === 0 ? 'nothing replaced' : count === 1 ? '1 place replaced' : `${n} places replaced`,
  size: 'Size',
  madeWith: 'Made with',
  allRuns: 'All runs',
  runCount: (n: number) => plural(n, 'run'),
  files: 'Files',
  file: 'File',
  hash: 'SHA-256',

  composition: 'Made of',
  compositionRuns: 'Runs',
  compositionRows: 'Rows',
  compositionShare: 'Share of steps trained',
  percent: (n: number) => `${n.toFixed(1)} %`,

  origin: 'Where a record comes from',
  record: 'Record',
  ofRecords: (n: string) => `of ${n}`,
  recordWrong: (n: string) => `Enter a number from 1 to ${n}.`,
  noOrigin: 'This record is not made from a single row.',
  originRow: (run: string, segment: number, kind: 'react' | 'summary') =>
    kind === 'summary' ? `${run}, summary of segment ${segment}` : `${run}, segment ${segment}`,
  openStep: (step: number) => `Open step ${step}`,

  difference: 'Difference from another dataset',
  noOther: 'There is no other dataset to compare with.',
  compareWith: 'Dataset to compare with',
  compareNone: 'Compare with…',
  otherName: (target: string, folder: string, at: string) => `${folder}, ${target}, ${at}`,
  differenceCount: (n: string, count: number) =>
    count === 0
      ? 'Both hold the same steps with the same masks.'
      : count === 1
        ? '1 step differs'
        : `${n} steps differ`,
  differenceListed: (n: string) => `(the first ${n} are listed)`,
  step: 'Step',
  notIn: 'not in it',

  stepIn: (target: string, folder: string) => `${folder} (${target})`,
  place: (file: string, from: number, to: number) =>
    from === to ? `${file}:${from}` : `${file}:${from}–${to}`,
  moreDatasets: (n: number) => `${plural(n, 'more dataset', 'more datasets')}`,
};
