export const prompt = {
  title: 'Exact prompt',
  of: (step: number) => `Exact prompt of step ${step}`,
  view: 'View',
  messages: 'Messages',
  changesSince: (step: number) => (step === 0 ? 'Changes' : `Changes since ${step}`),
  request: 'Request body',
  added: (n: number, same: number) =>
    `${n === 1 ? '1 message added' : `${n} messages added or changed`}, ${same} before byte-identical`,
  tokens: (n: number) => `about ${n.toLocaleString('en-US')} tokens`,
  ofLimit: (limit: number, left: number) =>
    `of ${limit.toLocaleString('en-US')} before the context is full, ${left.toLocaleString('en-US')} left`,
  parts: { system: 'System', tools: 'Tools', task: 'Task', steps: 'Steps', hints: 'Hints' },
  verified: 'Rebuilt from the log, byte-identical',
  differs: 'Rebuilt text differs from what was sent. Run verify to see where.',
  hash: (short: string) => `sha256 ${short}`,
  message: 'Message',
  head: 'before the first step',
  step: (n: number) => `step ${n}`,
  showAll: (n: number) => `Show ${n.toLocaleString('en-US')} more characters`,
};
