export const retro = {
  region: 'What a hint contradicts',
  asks: (hint: number, at: string) =>
    `Hint ${hint} contradicts ${at.includes('–') ? 'steps' : 'step'} ${at}?`,
  noEvidence: (hint: number, step: number) =>
    `Hint ${hint} came after step ${step}. No earlier step shares a word with it. Mask this one?`,
  shares: (step: number, words: string) => `step ${step}: ${words}`,
  andMore: (n: number) => `and ${n} more`,
  of: (n: number, all: number) => `${n} of ${all}`,
  accept: 'Mask as contradicted',
  acceptTrimmed: (at: string) => `Mask ${at}`,
  trim: 'Show and trim',
  trimming: 'j k move this end, V takes the other, m masks, Esc leaves.',
  dismiss: 'Dismiss',
  dismissed: (hint: number) => `Hint ${hint} is not asked about again`,
  none: 'No hint waits for an answer here',
};
