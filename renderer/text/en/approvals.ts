export const approvals = {
  title: (step: number) => `Step ${step} asks for your approval.`,
  allow: 'Allow',
  deny: 'Deny',
  denyText: 'The agent is told that a person refused this action.',
  more: (n: number) => `${n} more`,
  run: (title: string) => `In ${title}:`,
};
