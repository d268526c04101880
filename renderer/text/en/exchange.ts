import { plural } from './plural';

export const exchange = {
  merged: 'Labels merged',
  exported: 'Labels exported',
  from: 'From',
  people: 'By',
  nobody: 'nobody new',
  added: 'New here',
  known: 'Already here',
  runs: 'In runs',
  kept: 'Set aside',
  keptText: (entries: string, runs: string) =>
    `${plural(entries, 'entry', 'entries')} about ${plural(runs, 'run')} not in this workspace, or without these steps. They take effect once the runs arrive.`,
  differ: 'Steps on which opinions now differ',
  differText: 'Nothing was overwritten. Where people differ, the step is undecided until it is settled.',
  file: 'File',
  entries: 'Entries',
  exportText: 'Another annotator can import it with “Merge labels from a file…”.',
};
