export const palette = {
  title: 'Commands, steps, runs',
  placeholder: 'A command, a step’s number, a run’s name',
  list: 'What fits',
  groups: { steps: 'Steps', runs: 'Runs' },
  goToStep: (step: string) => `Go to step ${step}`,
  openRun: (number: number, title: string) => `Run ${number}: ${title}`,
  nothing: (query: string) => `Nothing fits “${query}”`,
  count: (n: number) => (n === 1 ? '1 entry' : `${n} entries`),
  foot: 'Up and down choose, Enter runs, Esc leaves.',
};
