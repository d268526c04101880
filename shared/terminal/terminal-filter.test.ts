import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringPayloadLimit } from './escape-parser';
import { hostileCorpus } from './hostile-corpus';
import { TerminalFilter } from './terminal-filter';

const ESC = '\x1b';
const ST = `${ESC}\\`;
const encode = (text: string) => new TextEncoder().encode(text);
const filtered = (text: string, options?: { human?: boolean }) =>
  new TerminalFilter(options).push(encode(text));
describe('TerminalFilter', () => {
  it.each(hostileCorpus)('%s', (_name, input, output) => {
    expect(filtered(input)).toBe(output);
  });

  it('has a corpus of the promised size', () => {
    expect(hostileCorpus.length).toBeGreaterThanOrEqual(54);
  });

  it('keeps what programs need', () => {
    const normal = `\r\n\t\b${ESC}[1;38;5;196mred${ESC}[0m${ESC}[2K${ESC}[?25l${ESC}[10;20H${ESC}7${ESC}8${ESC}M你好 😀`;
    expect(filtered(normal)).toBe(normal);
    expect(filtered(`${ESC}[?1000;1006h`, { human: true })).toBe(`${ESC}[?1000;1006h`);
  });

  it('lets a few questions through where a person types, and only what has a fixed answer', () => {
    const questions = `${ESC}[c${ESC}[0c${ESC}[>c${ESC}[5n${ESC}[6n${ESC}[?6n`;
    const secrets = `${ESC}P$qm${ST}${ESC}]11;?\x07${ESC}]52;c;?\x07${ESC}[21t${ESC}[=c${ESC}[?1$p${ESC}[>q${ESC}Z\x05`;
    const filter = new TerminalFilter({ human: true, questions: true });
    expect(filter.push(encode(questions + secrets))).toBe(questions);
    expect(filter.push(encode(`${ESC}[6n`.repeat(1000)))).toBe(`${ESC}[6n`.repeat(8));
    filter.questions = false;
    expect(filter.push(encode(questions))).toBe('');
    expect(filtered(questions, { human: true })).toBe('');
  });

  it.each([
    ['inserted lines', `${ESC}[9999L`],
    ['scrolled lines', `${ESC}[9999S`],
    ['repetitions', `x${ESC}[9999b`],
    ['back tabs', `${ESC}[9999Z`],
    ['erased screens', `${ESC}[2J`],
    ['other screens', `${ESC}[?1049h${ESC}[?1049l`],
    ['resets', `${ESC}c`],
    ['colours', `${ESC}]4;1;#ff0000\x07`],
  ])('cuts a frame full of %s down to what a terminal does in a moment', async (_what, bomb) => {
    const filter = new TerminalFilter();
    const frame = filter.push(encode(bomb.repeat(Math.ceil(131_072 / bomb.length))));
    const terminal = new Terminal({ cols: 160, rows: 50, scrollback: 10_000, allowProposedApi: true });
    // Unfiltered most of these take minutes; the bench measures the bar on a quiet machine.
    await new Promise<void>((done) => terminal.write(frame, done));
    terminal.dispose();
    // The next frame starts afresh.
    expect(filter.push(encode(`${ESC}[2J${ESC}[5L`))).toBe(`${ESC}[2J${ESC}[5L`);
  });

  it('resynchronises after a string that never ends', () => {
    const text = filtered(`${ESC}]2;${'x'.repeat(stringPayloadLimit)}visible`);
    expect(text.endsWith('visible')).toBe(true);
    expect(filtered(`${ESC}P${'\n'.repeat(stringPayloadLimit + 10)}visible`)).toContain('visible');
  });

  it('lets nothing through that makes xterm answer', async () => {
    for (const [name, input] of hostileCorpus) {
      const terminal = new Terminal({ cols: 120, rows: 40, scrollback: 1000, allowProposedApi: true });
      const replies: string[] = [];
      terminal.onData((data) => replies.push(data));
      terminal.onBinary((data) => replies.push(data));
      await new Promise<void>((done) => terminal.write(filtered(input), done));
      expect(replies, name).toEqual([]);
      terminal.dispose();
    }
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...hostileCorpus.map((entry) => entry[1])),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]`,
        `${ESC}P`,
        ST,
        '\x07',
        '\x18',
        ';',
        '?',
        '9',
        '99999',
        'm',
        'L',
        '你',
        '😀',
      ),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 24 },
  );

  it('does not depend on where chunks are cut', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { maxLength: 12 }), (parts, cuts) => {
        const bytes = encode(parts.join(''));
        const whole = new TerminalFilter({ unlimited: true }).push(bytes);
        const filter = new TerminalFilter({ unlimited: true });
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        let split = '';
        for (let i = 1; i < edges.length; i += 1)
          split += filter.push(bytes.subarray(edges[i - 1], edges[i]));
        expect(split).toBe(whole);
      }),
      { numRuns: 2000 },
    );
  });

  it('is harmless for random bytes', () => {
    const allowed =
      /^(?:[^\x00-\x06\x0e-\x1f\x7f-\x9f]|\x1b(?:\[[?]?[0-9;:]*[ !]?[@-~]|\][0-9]+;?[^\x1b\x07]*\x1b\\|[()*+]?[0-~]))*$/;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), pieces, (noise, parts) => {
        const filter = new TerminalFilter();
        const text = filter.push(encode(parts.join(''))) + filter.push(noise);
        expect(text).toMatch(allowed);
        expect(text).not.toMatch(/\x1b\[[0-9;:?]*\d{5}/);
      }),
      { numRuns: 2000 },
    );
  });
});
