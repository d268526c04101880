import { plural } from './common';

const sources: Readonly<Record<string, string>> = {
  adjudication: 'Adjudicated',
  human: 'Decided by a person',
  rule: 'By a rule',
  judge: 'By the judge',
  waiver: 'Undecided, waived by name',
  none: 'No label',
};

const reasons: Readonly<Record<string, string>> = {
  nothing_trained: 'none of its steps is trained',
  over_context: 'longer than the preset allows',
  text_purged: 'its text was removed',
  no_steps: 'no finished step',
};

export const exporting = {
  title: 'Export',
  runs: 'Runs',
  thisRun: 'This run',
  allRuns: (n: number) => (n === 1 ? 'The one run' : `All ${n} runs`),
  undecided: 'Undecided',
  undecidedHelp: 'A waiver is written into the manifest.',
  refuse: 'Refuse',
  waiveTrain: 'Waive: train them',
  waiveMask: 'Waive: mask them',
  noTools: 'Rows without tools',
  allowNoTools: 'Waive: write them anyway',
  toolless: (n: number) =>
    n === 1
      ? '1 row would have no tools: its log does not contain them. This blocks the export.'
      : `${n} rows would have no tools: their logs do not contain them. This blocks the export.`,
  preset: 'Preset',
  presetDefault: 'Default',
  presetApollo: 'APOLLO paper',
  reasoning: 'Reasoning',
  reasoningAsSent: 'As sent',
  reasoningDrop: 'Leave out',
  reasoningKeep: 'Keep all',
  reasoningHelp: {
    'as-sent': 'Rows contain reasoning only where the requests did.',
    drop: 'Rows contain no reasoning.',
    keep: 'Rows contain the reasoning of every step. Where it was never sent back to the model, the steps were sampled from different prompts.',
  },
  notAsSent: (n: number) =>
    n === 1
      ? '1 row contains messages that were sent in a different form for some of its steps. Its metadata says which.'
      : `${n} rows contain messages that were sent in a different form for some of their steps. Their metadata says which.`,
  format: 'Format',
  slime: 'slime, JSONL with a loss mask per step',
  decide: (n: number) => (n === 1 ? 'Decide 1 step' : `Decide ${n} steps`),
  write: 'Write files',
  writing: 'Writing…',
  stopped: (n: number) =>
    n === 1 ? '1 step is undecided and blocks the export.' : `${n} steps are undecided and block the export.`,
  empty: 'No step of these runs would be trained, so there is nothing to write.',
  trained: 'Trained',
  masked: 'Masked',
  trainedSteps: 'steps trained',
  maskedSteps: 'steps masked',
  rows: (n: number): string => (n === 1 ? 'row' : 'rows'),
  byReason: 'Steps by reason',
  steps: 'Steps',
  size: 'Relative size',
  undecidedRow: 'Undecided',
  source: (name: string) => sources[name] ?? name,
  dropped: (reason: string) => `Row dropped: ${reasons[reason] ?? reason}`,
  inherited: (run: string) => `Inherited from ${run}, which is not exported: masked`,
  written: 'Written files',
  writtenTo: (folder: string) => `Written to ${folder}`,
  snapshot: (id: string) => `Label snapshot ${id.slice(0, 16)}…`,
};

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
