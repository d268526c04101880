import type { HopQuestion } from '../ssh2/ssh2-hop';

export type AskpassQuestion =
  | HopQuestion
  /** Nothing to answer: something a person should do, such as touching a security key. */
  | { kind: 'notice'; text: string };

/**
 * What ssh wants to know, from the words it asks with (stable since OpenSSH 5; checked against 9.2). What is not
 * recognised is asked as it is, with the answer hidden.
 *
 * @param kind SSH_ASKPASS_PROMPT: `confirm`, `none`, or empty for a secret
 * @param count how often the very question was asked before
 */
export function readQuestion(kind: string, prompt: string, file: string, count: number): AskpassQuestion {
  if (kind === 'none') return { kind: 'notice', text: prompt.trim() };
  const attempt = count + 1;
  const passphrase = /^Enter passphrase for (?:key )?'?(.+?)'?: ?$/s.exec(prompt)?.[1];
  if (passphrase !== undefined) return { kind: 'passphrase', keyFile: passphrase, attempt };
  if (/^\S+'s password: ?$/.test(prompt)) return { kind: 'password', attempt };
  // What a host asks itself begins with "(user@host) ": it cannot pose as a question about its own key.
  if (/^The authenticity of host .*continue connecting \(yes\/no/s.test(prompt)) {
    return {
      kind: 'unknown_host_key',
      keyType: /^(\S+) key fingerprint is/m.exec(prompt)?.[1] ?? '',
      sha256: /SHA256:[A-Za-z0-9+/]+/.exec(prompt)?.[0] ?? '',
      file,
    };
  }
  const [, text = ''] = /^(?:\([^()\s]+@[^()\s]+\) )?(.*)$/s.exec(prompt) ?? [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const fields = kind === 'confirm' ? [] : [{ prompt: last, echo: false }];
  const instructions = kind === 'confirm' ? text : lines.join('\n');
  return { kind: 'keyboard', name: '', instructions, fields, round: attempt };
}

/** What ssh is told. */
export function answerText(question: HopQuestion, answer: { texts: string[] } | { trust: true }): string {
  if ('trust' in answer || question.kind === 'unknown_host_key') return 'yes';
  return answer.texts[0] ?? '';
}
