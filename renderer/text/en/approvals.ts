export const approvals = {
  title: (step: number) => `Step ${step} asks for your approval.`,
  allow: 'Allow',
  allowKind: 'Allow in this run',
  allowKindText: (kinds: string) => `For the rest of this run, these run without asking: ${kinds}.`,
  kindAllowed: (kinds: string) => `Runs without asking in this run: ${kinds}.`,
  takeBack: 'Ask again',
  kindsItem: 'What runs without asking…',
  kindsItemText: 'The kinds of commands that were allowed in this run.',
  kindsTitle: 'Allowed in this run',
  kindsText: 'These kinds of commands run without asking until you choose “Ask again”.',
  noKinds:
    'Only read-only commands. When a request names a kind of command, you can allow that kind for the rest of the run.',
  aid: 'Approvals are an aid, not a safeguard. The real boundary is the account or the sandbox that commands run in.',
  deny: 'Deny',
  denyText: 'The agent sees that a person denied this action.',
  more: (n: number) => `${n} more`,
  run: (title: string) => `In ${title}:`,
};
