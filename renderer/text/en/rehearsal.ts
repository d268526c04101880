export const rehearsal = {
  title: 'Try the draft',
  text: 'Your draft',
  asks: (model: string, step: number) =>
    `Asks ${model} once with the context of step ${step} and this draft, and shows the answer beside the one it gave. Nothing is run, and nothing is recorded in the run.`,
  pricing: 'Counting what it would cost…',
  cost: (input: string, output: string, money: string) =>
    `About ${input} tokens in and ${output} out, ${money}`,
  atMost: (money: string) => `at most ${money}`,
  noPrice: 'cost unknown: no price is set for this model',
  run: 'Ask the model',
  again: 'Ask again',
  running: 'The model is answering…',
  stop: 'Stop asking',
  nothingRun: 'Nothing was run.',
  nothingRunText: (step: number) =>
    `Both are answers to the context of step ${step}. The run continues as if you had not asked.`,
  paid: (money: string) => `This trial cost ${money}.`,
  without: 'Without the hint',
  withoutNote: (step: number) => `what step ${step} did`,
  with: 'With the hint',
  withNote: 'only shown',
  sameAction: 'The model would do the same.',
  otherAction: 'The model would do something else; what differs is marked.',
  noCall: 'No action',
  reasoning: 'Reasoning',
  queue: 'Queue this hint',
  failed: 'The trial failed.',
};
