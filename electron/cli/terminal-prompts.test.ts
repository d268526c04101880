import { describe, expect, it } from 'vitest';
import type { SshQuestion } from '../computer/ssh/transport';
import { eventually } from '../testing/deadline';
import { type PromptTerminal, TerminalPrompts } from './terminal-prompts';

/** A terminal whose keys a test presses. */
class TestTerminal implements PromptTerminal {
  shown = '';
  listening: ((text: string) => void) | null = null;

  constructor(readonly interactive = true) {}

  write(text: string): void {
    this.shown += text;
  }

  keys(onKeys: (text: string) => void): () => void {
    this.listening = onKeys;
    return () => {
      this.listening = null;
    };
  }

  /** Types once somebody asks for `prompt`. */
  async type(prompt: string, text: string): Promise<void> {
    const press = await eventually(`it asks "${prompt}"`, () =>
      this.shown.endsWith(prompt) ? this.listening : null,
    );
    press(text);
  }
}

const about = { alias: 'gpu-03', target: 'ada@10.0.0.3:22' };
const never = new AbortController().signal;
const password: SshQuestion = { ...about, kind: 'password', attempt: 1 };
const unknownKey: SshQuestion = {
  ...about,
  kind: 'unknown_host_key',
  keyType: 'ssh-ed25519',
  sha256: 'SHA256:abc',
  file: '/home/ada/.ssh/known_hosts',
};

describe('questions at the terminal', () => {
  it('take secrets without showing them, with the line as a person mends it', async () => {
    const terminal = new TestTerminal();
    const answer = new TerminalPrompts(terminal).ask(password, never);
    await terminal.type('Password for gpu-03 [ada@10.0.0.3:22]: ', 'wrong\u0015secreX\u007ft\r');
    expect(await answer).toEqual({ texts: ['secret'] });
    expect(terminal.shown).toBe('Password for gpu-03 [ada@10.0.0.3:22]: \n');
    expect(terminal.listening).toBeNull();
  });

  it('show nothing of what is typed the moment the prompt stands there', async () => {
    const terminal = new TestTerminal();
    const quiet: boolean[] = [];
    terminal.write = (text) => {
      if (text.startsWith('Password')) quiet.push(terminal.listening !== null);
      terminal.shown += text;
    };
    const answer = new TerminalPrompts(terminal).ask(password, never);
    await terminal.type('Password for gpu-03 [ada@10.0.0.3:22]: ', 'secret\r');
    expect(await answer).toEqual({ texts: ['secret'] });
    expect(quiet).toEqual([true]);
  });

  it('ask one after the other, each with its host', async () => {
    const terminal = new TestTerminal();
    const prompts = new TerminalPrompts(terminal);
    const first = prompts.ask(password, never);
    const second = prompts.ask({ ...password, alias: 'gpu-04', via: 'jump', attempt: 2 }, never);
    await terminal.type('Password for gpu-03 [ada@10.0.0.3:22]: ', 'one\n');
    expect(await first).toEqual({ texts: ['one'] });
    await terminal.type(
      'That was not accepted. Password for jump (on the way to gpu-04) [ada@10.0.0.3:22]: ',
      'two\n',
    );
    expect(await second).toEqual({ texts: ['two'] });
  });

  it('go through several fields, show what may be shown, and hide what a host hides in its words', async () => {
    const terminal = new TestTerminal();
    const answer = new TerminalPrompts(terminal).ask(
      {
        ...about,
        kind: 'keyboard',
        round: 1,
        name: 'Two\u001b[2Jfactors',
        instructions: 'First\r\nthen',
        fields: [
          { prompt: 'Code:\u202e', echo: true },
          { prompt: 'PIN:', echo: false },
        ],
      },
      never,
    );
    await terminal.type('Code: ', '123\r');
    await terminal.type('PIN: ', '99\r');
    expect(await answer).toEqual({ texts: ['123', '99'] });
    expect(terminal.shown).toContain('Two[2Jfactors\nFirst\nthen\n');
    expect(terminal.shown).toContain('Code: 123\n');
    expect(terminal.shown).not.toMatch(/99|\u001b|\u202e/);
  });

  it.each([
    ['yes', { trust: true }],
    ['no', null],
  ])('want a whole "%s" about an unknown key', async (word, decision) => {
    const terminal = new TestTerminal();
    const answer = new TerminalPrompts(terminal).ask(unknownKey, never);
    await terminal.type('(yes/no) ', 'y\r');
    await eventually('it insists', () => terminal.shown.includes('Please type yes or no.'));
    await terminal.type('(yes/no) ', `${word}\r`);
    expect(await answer).toEqual(decision);
    expect(terminal.shown).toContain('ssh-ed25519 SHA256:abc');
  });

  it.each(['\u0003', '\u0004'])('are declined by Ctrl-C and Ctrl-D', async (key) => {
    const terminal = new TestTerminal();
    const answer = new TerminalPrompts(terminal).ask(password, never);
    await terminal.type(': ', key);
    expect(await answer).toBeNull();
  });

  it('are withdrawn with their connection', async () => {
    const terminal = new TestTerminal();
    const stop = new AbortController();
    const answer = new TerminalPrompts(terminal).ask(password, stop.signal);
    await eventually('it asks', () => terminal.listening);
    stop.abort(new Error('the link is gone'));
    await expect(answer).rejects.toThrow('the link is gone');
    expect(terminal.listening).toBeNull();
  });

  it('are declined with a message where nobody can answer', async () => {
    const terminal = new TestTerminal(false);
    const prompts = new TerminalPrompts(terminal);
    expect(await prompts.ask(password, never)).toBeNull();
    expect(await prompts.ask(unknownKey, never)).toBeNull();
    expect(terminal.shown).toMatch(
      /gpu-03 .* asks for a password, and nobody can answer here\. Run this in a terminal/,
    );
    expect(terminal.shown).toMatch(/asks for a decision about its unknown key/);
  });

  it('say what is wrong with a changed or revoked key, and leave nothing to choose', () => {
    const terminal = new TestTerminal();
    const alarm = {
      ...about,
      keyType: 'ssh-ed25519',
      presentedSha256: 'SHA256:new',
      file: '/k',
      line: 7,
      expected: { type: 'ssh-rsa', sha256: 'SHA256:old' },
    };
    const prompts = new TerminalPrompts(terminal);
    prompts.alarm({ ...alarm, kind: 'changed' });
    prompts.alarm({ ...alarm, kind: 'revoked' });
    for (const part of [
      'has changed',
      'ssh-rsa SHA256:old',
      'ssh-ed25519 SHA256:new',
      '/k, line 7',
      'revoked',
    ]) {
      expect(terminal.shown).toContain(part);
    }
    expect(terminal.listening).toBeNull();
  });
});
