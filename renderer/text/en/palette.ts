export const palette = {
  title: 'Commands, steps, runs',
  placeholder: 'Command, step number or run name',
  list: 'Matches',
  groups: { steps: 'Steps', runs: 'Runs' },
  goToStep: (step: string) => `Go to step ${step}`,
  openRun: (number: number, title: string) => `Run ${number}: ${title}`,
  nothing: (query: string) => `Nothing matches “${query}”`,
  count: (n: number) => (n === 1 ? '1 entry' : `${n} entries`),
  foot: 'Up and down select, Enter runs, Esc closes.',
};
