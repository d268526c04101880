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
  trimming: 'j and k move this end, V switches to the other, m masks, Esc cancels.',
  dismiss: 'Dismiss',
  dismissed: (hint: number) => `You will not be asked about hint ${hint} again`,
  none: 'No hint is known to contradict steps here',
};
