import { describe, expect, it } from 'vitest';
import { type Blocked, classify, type ForegroundProcess, type SessionFacts } from './classify';

const shell = (blocked: Blocked): ForegroundProcess => ({
  pid: 2,
  stat: 'S',
  command: 'bash',
  isShell: true,
  blocked,
});
const program = (blocked: Blocked): ForegroundProcess => ({
  pid: 9,
  stat: 'S',
  command: 'prog',
  isShell: false,
  blocked,
});
const running: SessionFacts = {
  life: 'alive',
  rebooted: false,
  starting: false,
  atPrompt: false,
  ending: false,
  pending: false,
  foreground: [],
  terminal: { lineMode: true, echo: true },
};
const keys = { lineMode: false, echo: false };

describe('classify', () => {
  it.each<[string, Partial<SessionFacts>, string]>([
    ['prompt', { atPrompt: true, foreground: [shell('terminal')] }, 'idle'],
    ['prompt and nothing else known', { atPrompt: true }, 'idle'],
    [
      'prompt, but something in the foreground',
      { atPrompt: true, foreground: [program('elsewhere')] },
      'busy',
    ],
    [
      'prompt, a command on its way',
      { atPrompt: true, pending: true, foreground: [shell('terminal')] },
      'busy',
    ],
    ['starting', { starting: true, foreground: [shell('terminal')] }, 'busy'],
    ['on the way to the prompt', { ending: true, foreground: [shell('terminal')] }, 'busy'],
    ['read builtin', { foreground: [shell('terminal')] }, 'waiting'],
    ['program that reads', { foreground: [program('terminal')] }, 'waiting'],
    ['one of a pipe reads', { foreground: [program('elsewhere'), program('terminal')] }, 'waiting'],
    ['single keys', { foreground: [program('poll')], terminal: keys }, 'interactive'],
    [
      'single keys, but computing',
      { foreground: [program('poll'), program('running')], terminal: keys },
      'busy',
    ],
    ['poll in line mode: read -t or a socket', { foreground: [program('poll')] }, 'busy'],
    ['poll, terminal unknown', { foreground: [program('poll')], terminal: undefined }, 'busy'],
    ['sleep', { foreground: [program('elsewhere')] }, 'busy'],
    ['shell loop', { foreground: [shell('running')] }, 'busy'],
    ['unknown', { foreground: [program('unknown')], terminal: keys }, 'busy'],
    ['nothing known', {}, 'busy'],
    ['ended', { life: 'ended', atPrompt: true }, 'ended'],
    ['lost', { life: 'lost', atPrompt: true }, 'lost'],
  ])('%s', (_name, facts, state) => {
    expect(classify({ ...running, ...facts }).state).toBe(state);
  });

  it('tells a restart of the computer from a kill', () => {
    expect(classify({ ...running, life: 'lost' }).reason).toContain('killed');
    expect(classify({ ...running, life: 'lost', rebooted: true }).reason).toContain('restarted');
  });

  it('says that a password may be asked for', () => {
    const facts = {
      ...running,
      foreground: [program('terminal')],
      terminal: { lineMode: true, echo: false },
    };
    expect(classify(facts).reason).toContain('password');
  });
});
