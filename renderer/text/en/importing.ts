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
