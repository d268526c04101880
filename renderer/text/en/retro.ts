export const retro = {
  region: 'What a hint contradicts',
  asks: (hint: number, at: string) =>
    `Hint ${hint} contradicts ${at.includes('–') ? 'steps' : 'step'} ${at}?`,
  shares: (step: number, words: string) => `step ${step}: ${words}`,
  andMore: (n: number) => `and ${n} more`,
  of: (n: number, all: number) => `${n} of ${all}`,
  accept: (at: string) => `Mask ${at}`,
  show: 'Show',
  showText: 'Goes to these steps and selects them, to trim the range',
  trimming: 'j k move this end, V takes the other, m masks, Esc leaves.',
  dismiss: 'Dismiss',
  dismissed: (hint: number) => `Hint ${hint} is not asked about again`,
  none: 'No hint is known to contradict steps here',
};
