export const importing = {
  title: 'Import a run',
  intro:
    'A ResearchGym node, tree or checkpoint folder becomes a run that is reviewed like any other. Each call of the model is one step; what has no place here is kept with its step.',
  file: 'Choose a file',
  folder: 'Choose a folder',
  again: 'Also when these files were imported before',
  working: 'Importing',
  done: (steps: string, segments: string, hints: string) =>
    `${steps} steps in ${segments} segments, ${hints} hints.`,
  left: 'Not taken over',
  open: 'Open the run',
};
