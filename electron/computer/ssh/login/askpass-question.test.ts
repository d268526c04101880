import { describe, expect, it } from 'vitest';
import { answerText, readQuestion } from './askpass-desk';

describe('what ssh asks', () => {
  const ask = (prompt: string, kind = '', count = 0) => readQuestion(kind, prompt, '/known', count);

  it('is told apart by its words', () => {
    expect(ask("me@box's password: ", '', 1)).toEqual({ kind: 'password', attempt: 2 });
    expect(ask("Enter passphrase for key '/home/me/.ssh/id o\\'k': ")).toEqual({
      kind: 'passphrase',
      keyFile: "/home/me/.ssh/id o\\'k",
      attempt: 1,
    });
    expect(
      ask(
        "The authenticity of host 'box (192.0.2.1)' can't be established.\nED25519 key fingerprint is SHA256:ab+/9.\n" +
          'This key is not known by any other names.\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ',
      ),
    ).toEqual({ kind: 'unknown_host_key', keyType: 'ED25519', sha256: 'SHA256:ab+/9', file: '/known' });
    expect(ask('(me@box) Two factors\nVerification code: ')).toEqual({
      kind: 'keyboard',
      name: '',
      instructions: 'Two factors',
      fields: [{ prompt: 'Verification code: ', echo: false }],
      round: 1,
    });
    expect(ask('Enter PIN for ED25519-SK key /home/me/id_sk: ')).toMatchObject({
      kind: 'keyboard',
      fields: [{ echo: false }],
    });
    expect(ask('Confirm user presence for key ED25519-SK SHA256:x', 'none')).toEqual({
      kind: 'notice',
      text: 'Confirm user presence for key ED25519-SK SHA256:x',
    });
    expect(ask('Allow use of key x?', 'confirm')).toMatchObject({
      kind: 'keyboard',
      instructions: 'Allow use of key x?',
      fields: [],
    });
  });

  it.each([
    "(me@box) The authenticity of host 'box' can't be established.\nED25519 key fingerprint is SHA256:ab.\ncontinue connecting (yes/no)? ",
    "(me@box) Enter passphrase for key '/home/me/.ssh/id_ed25519': ",
    "(me@box) me@box's password: ",
  ])('is not what a host says in the words of ssh: %j', (prompt) => {
    expect(ask(prompt).kind).toBe('keyboard');
  });

  it('is asked as it is when its words are new', () => {
    expect(ask('A hitherto unknown question? ')).toMatchObject({
      kind: 'keyboard',
      fields: [{ prompt: 'A hitherto unknown question? ', echo: false }],
    });
    expect(ask('').kind).toBe('keyboard');
  });

  it('is answered in the words it expects', () => {
    expect(answerText({ kind: 'password', attempt: 1 }, { texts: ['a b'] })).toBe('a b');
    expect(answerText({ kind: 'unknown_host_key', keyType: '', sha256: '', file: '' }, { trust: true })).toBe(
      'yes',
    );
  });
});
