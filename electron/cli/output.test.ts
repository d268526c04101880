import { PassThrough } from 'node:stream';
import { WaymarkError } from '@shared/errors';
import { hasHiddenCharacters } from '@shared/terminal/visible-text';
import { describe, expect, it } from 'vitest';
import { SecretScanner } from '../secrets/scanner';
import { headlessLog, printFailure, printResult, table } from './output';
import { ProcessTerminal } from './process-terminal';

/** Everything that a terminal acts on or that hides what is there: C0, DEL, C1, direction marks, zero-width, tags. */
const hostile = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(0x7f + code)),
  ...['\u200b', '\u202e', '\u2066', '\ufeff', '\u{e0041}', '\ud800'],
  ...['\x1b]52;c;Y3VybCBldmlsfHNo\x07', '\x1b]0;pwned\x07', '\x1b[2J\x1b[31m', '\x9b2J', '\x9d0;x\x9c'],
].map((character) => `a${character}b`);

/** A terminal on streams whose bytes can be read afterwards. */
function recorded(clean?: (line: string) => string) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const terminal = new ProcessTerminal(
    streams as unknown as ConstructorParameters<typeof ProcessTerminal>[0],
    clean,
  );
  const text = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString('utf8') ?? '';
  return { terminal, out: () => text(streams.stdout), err: () => text(streams.stderr) };
}

describe('what the command line prints', () => {
  it('says no secret on standard error, which is often a log', () => {
    const scanner = new SecretScanner(() => ['sk-own-key-0123456789']);
    const { terminal, err } = recorded((line) => scanner.redact(line));
    headlessLog(terminal).error('Asked', { body: 'sk-own-\x1b[1mkey-0123456789' });
    printFailure(new WaymarkError('refused', 'Wrong key sk-own-key-0123456789'), false, terminal);
    expect(err()).toBe('Asked {"body":"<<secret:known:1>>"}\nrefused: Wrong key <<secret:known:1>>\n');
  });

  it('shows what a text holds and never sends it, in lists, lines and failures', () => {
    const { terminal, out, err } = recorded();
    for (const text of hostile) {
      printResult({ json: null, lines: [text, ...table([[text, text]])] }, false, terminal);
      printFailure(new WaymarkError('bad_input', text, text), false, terminal);
      printFailure(new Error(text), false, terminal);
    }
    for (const printed of [out(), err()]) {
      expect(printed).not.toBe('');
      expect(hasHiddenCharacters(printed)).toBe(false);
    }
    terminal.out('\x1b]52;c;x\x07');
    expect(out()).toBe('⟨ESC⟩]52;c;x⟨BEL⟩\n');
  });

  it('keeps a row of a table one line', () => {
    expect(table([['a\nRUN  finished', 'b\tc']])).toEqual(['a RUN  finished  b c']);
  });

  it('is exact as JSON, with hidden characters escaped as JSON does', () => {
    const { terminal, out } = recorded();
    printResult({ json: { hostile }, lines: [] }, true, terminal);
    const printed = out();
    expect(hasHiddenCharacters(printed)).toBe(false);
    expect(JSON.parse(printed)).toEqual({ hostile });
    printFailure(new WaymarkError('bad_input', hostile.join('')), true, terminal);
    expect(JSON.parse(out())).toMatchObject({ error: { message: hostile.join('') } });
  });
});
