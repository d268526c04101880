import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandIndex, MarkerScanner } from './command-markers';

const encode = (text: string) => new TextEncoder().encode(text);
const mark = (body: string, nonce = 'N0NCE') => `\x1b]7717;${nonce};${body}\x07`;

/** A session: first prompt, `true`, a typed line, a failing command. */
const session = [
  `${mark('A;0')}$ echo hi\n${mark('C;1;10.5')}${mark('B;1;10.6;1')}hi\n${mark('D;1;10.7;0')}${mark('A;1')}$ `,
  `${mark('C;2;11')}typed\n${mark('D;2;11.5;0')}${mark('A;2')}$ `,
  `${mark('C;3;12')}${mark('B;3;12,25;2')}oops\n${mark('D;3;13;42')}${mark('A;3')}$ `,
].join('');

function index(text: string): CommandIndex {
  const commands = new CommandIndex();
  for (const marker of new MarkerScanner('N0NCE').push(encode(text))) commands.accept(marker);
  return commands;
}

describe('markers', () => {
  it('tell commands apart, with the exact range of their output', () => {
    const commands = index(session);
    expect(commands.atPrompt).toBe(true);
    expect(commands.lastCommand).toBe(2);
    const first = commands.command(1);
    expect(first).toMatchObject({ startedAt: 10600, endedAt: 10700, exitCode: 0 });
    expect(session.slice(first?.startOffset, first?.endOffset)).toBe('hi\n');
    expect(commands.command(2)).toMatchObject({ startedAt: 12250, exitCode: 42 });
  });

  it('are found wherever chunks are cut', () => {
    const bytes = encode(session);
    const whole = new MarkerScanner('N0NCE').push(bytes);
    expect(whole).toHaveLength(12);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 10 }), (cuts) => {
        const scanner = new MarkerScanner('N0NCE');
        const edges = [0, ...cuts, bytes.length].sort((a, b) => a - b);
        const found = edges.slice(1).flatMap((edge, i) => scanner.push(bytes.subarray(edges[i], edge)));
        expect(found).toEqual(whole);
        expect(scanner.offset).toBe(bytes.length);
      }),
    );
  });

  it('printed again by a command change nothing', () => {
    // `cat` of the session's own log while command 3 runs
    const running = `${session}${mark('C;4;20')}${mark('B;4;20;3')}`;
    const commands = index(running + running);
    expect(commands.running?.commandSeq).toBe(3);
    expect(commands.command(3)?.endOffset).toBeUndefined();
    expect(commands.command(1)?.startOffset).toBe(index(session).command(1)?.startOffset);
    const done = index(`${running}${running}${mark('D;4;21;0')}${mark('A;4')}`);
    expect(done.command(3)).toMatchObject({ exitCode: 0, endedAt: 21000 });
    expect(done.atPrompt).toBe(true);
  });

  it.each([
    ['another nonce', mark('A;0', 'OTHER')],
    ['another kind', mark('Z;0')],
    ['no number', mark('A;x')],
    ['no end', `\x1b]7717;N0NCE;A;0${'x'.repeat(500)}`],
    ['a control character inside', '\x1b]7717;N0NCE;A;\n0\x07'],
  ])('are not markers with %s', (_name, text) => {
    expect(index(text).starting).toBe(true);
  });

  it('out of order are refused', () => {
    const commands = new CommandIndex();
    const at = { start: 0, end: 0 };
    expect(commands.accept({ kind: 'D', seq: 0, fields: [], ...at })).toBe(false);
    expect(commands.accept({ kind: 'C', seq: 2, fields: [], ...at })).toBe(false);
    expect(commands.accept({ kind: 'A', seq: 0, fields: [], ...at })).toBe(true);
    expect(commands.accept({ kind: 'A', seq: 0, fields: [], ...at })).toBe(false);
    // A shell without PS0 sends B alone.
    expect(commands.accept({ kind: 'B', seq: 1, fields: ['1.5', '1'], ...at })).toBe(true);
    expect(commands.running).toEqual({ commandSeq: 1, startedAt: 1500 });
    // Its end was lost: the next line closes it and says that nobody knows how it went.
    expect(commands.accept({ kind: 'C', seq: 2, fields: ['9'], start: 50, end: 60 })).toBe(true);
    expect(commands.command(1)).toMatchObject({ endOffset: 50, exitCode: null });
  });
});
