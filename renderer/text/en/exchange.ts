import { plural } from './plural';

export const exchange = {
  merged: 'Labels merged',
  exported: 'Labels exported',
  from: 'From',
  people: 'By',
  nobody: 'nobody new',
  added: 'New here',
  known: 'Here already',
  runs: 'In runs',
  kept: 'Kept aside',
  keptText: (entries: string, runs: string) =>
    `${plural(entries, 'entry', 'entries')} about ${plural(runs, 'run')} not here, or not with these steps. What is kept aside counts as soon as they are.`,
  differ: 'Steps on which opinions now differ',
  differText: 'Nothing was overwritten. Where people differ, the step is undecided until it is settled.',
  file: 'File',
  entries: 'Entries',
  exportText: 'Another annotator takes it over with “Merge labels of a file…”.',
};
