import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringPayloadLimit } from './escape-parser';
import { TerminalFilter } from './terminal-filter';

const encode = (text: string) => new TextEncoder().encode(text);
const filtered = (text: string, options?: { human?: boolean }) =>
  new TerminalFilter(options).push(encode(text));
const ESC = '\x1b';
const ST = `${ESC}\\`;

/** Sequence → what may reach the view. Every one of them would do harm in some terminal. */
const hostile: [name: string, input: string, output: string][] = [
  ['insert lines bomb', `${ESC}[2147483647L`, `${ESC}[9999L`],
  ['delete lines bomb', `${ESC}[2147483647M`, `${ESC}[9999M`],
  ['scroll up bomb', `${ESC}[2147483647S`, `${ESC}[9999S`],
  ['scroll down bomb', `${ESC}[2147483647T`, `${ESC}[9999T`],
  ['repeat bomb', `x${ESC}[2147483647b`, `x${ESC}[9999b`],
  ['back tab bomb', `${ESC}[2147483647Z`, `${ESC}[9999Z`],
  ['tab bomb', `${ESC}[2147483647I`, `${ESC}[9999I`],
  ['insert characters bomb', `${ESC}[99999@`, `${ESC}[9999@`],
  ['delete characters bomb', `${ESC}[10000P`, `${ESC}[9999P`],
  ['erase characters bomb', `${ESC}[10000X`, `${ESC}[9999X`],
  ['leading zeros', `${ESC}[000000000000000000002L`, `${ESC}[2L`],
  ['huge number', `${ESC}[${'9'.repeat(60)}L`, `${ESC}[9999L`],
  ['control inside the number', `${ESC}[21474\n83647L`, `\n${ESC}[9999L`],
  ['number bomb by C1 CSI', '\u009b2147483647L', `${ESC}[9999L`],
  ['many parameters', `${ESC}[${Array(40).fill('1').join(';')}m`, `${ESC}[${Array(32).fill('1').join(';')}m`],
  ['endless parameters', `${ESC}[${'1;'.repeat(5000)}mafter`, 'after'],
  ['DA1', `${ESC}[c`, ''],
  ['DA1 with zero', `${ESC}[0c`, ''],
  ['DA2', `${ESC}[>c`, ''],
  ['DA3', `${ESC}[=c`, ''],
  ['DSR', `${ESC}[5n`, ''],
  ['CPR', `${ESC}[6n`, ''],
  ['DECXCPR', `${ESC}[?6n`, ''],
  ['DECRQM', `${ESC}[?1$p`, ''],
  ['ANSI DECRQM', `${ESC}[4$p`, ''],
  ['DECRQSS', `${ESC}P$q"p${ST}`, ''],
  ['DECRQSS in C1', '\u0090$qm\u009c', ''],
  ['DECID', `${ESC}Z`, ''],
  ['DECREQTPARM', `${ESC}[x`, ''],
  ['XTVERSION', `${ESC}[>q`, ''],
  ['XTGETTCAP', `${ESC}P+q544e${ST}`, ''],
  ['rectangle checksum', `${ESC}[1;1;1;1;10;10*y`, ''],
  ['presentation state', `${ESC}[1$w`, ''],
  ['kitty keyboard query', `${ESC}[?u`, ''],
  ['modify other keys', `${ESC}[>4;2m`, ''],
  ['graphics query', `${ESC}[?1;1;0S`, ''],
  ['answerback', '\x05', ''],
  ['title report', `${ESC}[21t`, ''],
  ['icon report', `${ESC}[20t`, ''],
  ['move window', `${ESC}[3;0;0t`, ''],
  ['resize window', `${ESC}[8;999;999t`, ''],
  ['push and pop title', `${ESC}[22t${ESC}[23t`, ''],
  ['print screen', `${ESC}[5i`, ''],
  ['mouse reporting', `${ESC}[?1000h`, ''],
  ['mouse and alternate screen', `${ESC}[?1049;1003;1006h`, `${ESC}[?1049h`],
  ['focus reporting', `${ESC}[?1004h`, ''],
  ['synchronised output freeze', `${ESC}[?2026h`, ''],
  ['132 columns', `${ESC}[?3h`, ''],
  ['clipboard write', `${ESC}]52;c;cm0gLXJmIH4=\x07`, ''],
  ['clipboard read', `${ESC}]52;c;?${ST}`, ''],
  ['clipboard in C1', '\u009d52;c;AAAA\u009c', ''],
  ['font report', `${ESC}]50;?\x07`, ''],
  ['font set', `${ESC}]50;#2\x07`, ''],
  ['working directory', `${ESC}]7;file://host/etc\x07`, ''],
  ['notification', `${ESC}]9;your session expired\x07`, ''],
  ['notification 777', `${ESC}]777;notify;a;b\x07`, ''],
  ['iTerm file download', `${ESC}]1337;File=name=YQ==:AAAA\x07`, ''],
  ['shell integration spoof', `${ESC}]133;A\x07`, ''],
  ['VS Code integration spoof', `${ESC}]633;E;rm\x07`, ''],
  ['own marker', `${ESC}]7717;abc;D;1;1.5;0\x07`, ''],
  ['palette query', `${ESC}]4;1;?\x07`, ''],
  ['palette query after a set', `${ESC}]4;1;#fff;2;?\x07`, ''],
  ['palette set', `${ESC}]4;1;#ff0000\x07`, `${ESC}]4;1;#ff0000${ST}`],
  ['foreground query', `${ESC}]10;?\x07`, ''],
  ['background query', `${ESC}]11;?${ST}`, ''],
  ['cursor colour query', `${ESC}]12;?\x07`, ''],
  ['background set', `${ESC}]11;rgb:00/00/00\x07`, `${ESC}]11;rgb:00/00/00${ST}`],
  ['colour with a payload', `${ESC}]11;red<script>\x07`, ''],
  ['title', `${ESC}]0;build\x07`, `${ESC}]0;build${ST}`],
  ['title with controls', `${ESC}]2;a\nb\x01c\x07`, `${ESC}]2;abc${ST}`],
  ['title with direction change', `${ESC}]2;a\u202ebc\x07`, `${ESC}]2;abc${ST}`],
  ['long title', `${ESC}]2;${'x'.repeat(5000)}\x07`, `${ESC}]2;${'x'.repeat(256)}${ST}`],
  [
    'link',
    `${ESC}]8;id=1;https://a.org/\x07t${ESC}]8;;\x07`,
    `${ESC}]8;id=1;https://a.org/${ST}t${ESC}]8;;${ST}`,
  ],
  ['javascript link', `${ESC}]8;;javascript:alert(1)\x07`, `${ESC}]8;;${ST}`],
  ['javascript link, odd case', `${ESC}]8;;JaVaScRiPt:alert(1)\x07`, `${ESC}]8;;${ST}`],
  ['file link', `${ESC}]8;;file:///etc/passwd\x07`, `${ESC}]8;;${ST}`],
  ['data link', `${ESC}]8;;data:text/html,x\x07`, `${ESC}]8;;${ST}`],
  ['custom scheme link', `${ESC}]8;;vscode://x\x07`, `${ESC}]8;;${ST}`],
  ['link with a space', `${ESC}]8;;https://a.org/ b\x07`, `${ESC}]8;;${ST}`],
  ['link with direction change', `${ESC}]8;;https://a.org/\u202egpj\x07`, `${ESC}]8;;${ST}`],
  ['long link', `${ESC}]8;;https://a.org/${'x'.repeat(3000)}\x07`, `${ESC}]8;;${ST}`],
  ['sixel', `${ESC}Pq#0;2;0;0;0${ST}x`, 'x'],
  ['user-defined keys', `${ESC}P0;1|17/6c73${ST}x`, 'x'],
  ['kitty graphics', `${ESC}_Gf=100;AAAA${ST}x`, 'x'],
  ['privacy message', `${ESC}^secret${ST}x`, 'x'],
  ['start of string', `${ESC}Xhidden${ST}x`, 'x'],
  ['screen title', `${ESC}kname${ST}x`, 'x'],
  ['tmux pass-through', `${ESC}Ptmux;${ESC}${ESC}]52;c;AAAA\x07${ST}x`, 'x'],
  ['string ended by an escape', `${ESC}_hidden${ESC}[31mred`, `${ESC}[31mred`],
  ['string cancelled', `${ESC}]52;c;AA\x18x`, 'x'],
  ['alignment test', `${ESC}#8`, ''],
  ['8-bit controls', `${ESC} G`, ''],
  ['shift out', '\x0eabc', 'abc'],
  ['line drawing', `${ESC}(0`, `${ESC}(0`],
  ['NUL and DEL', 'a\x00\x7fb', 'ab'],
  ['locking shift', `${ESC}n`, ''],
  ['stray C1', '\u0099\u0080a', 'a'],
  ['nested escape', `${ESC}[3${ESC}[31m`, `${ESC}[31m`],
];

describe('TerminalFilter', () => {
  it.each(hostile)('%s', (_name, input, output) => {
    expect(filtered(input)).toBe(output);
  });

  it('has a corpus of the promised size', () => {
    expect(hostile.length).toBeGreaterThanOrEqual(54);
  });

  it('keeps what programs need', () => {
    const normal = `\r\n\t\b${ESC}[1;38;5;196mred${ESC}[0m${ESC}[2K${ESC}[?25l${ESC}[10;20H${ESC}7${ESC}8${ESC}M你好 😀`;
    expect(filtered(normal)).toBe(normal);
    expect(filtered(`${ESC}[?1000;1006h`, { human: true })).toBe(`${ESC}[?1000;1006h`);
  });

  it('resynchronises after a string that never ends', () => {
    const text = filtered(`${ESC}]2;${'x'.repeat(stringPayloadLimit)}visible`);
    expect(text.endsWith('visible')).toBe(true);
    expect(filtered(`${ESC}P${'\n'.repeat(stringPayloadLimit + 10)}visible`)).toContain('visible');
  });

  it('lets nothing through that makes xterm answer or take long', async () => {
    for (const [name, input] of hostile) {
      const terminal = new Terminal({ cols: 120, rows: 40, scrollback: 1000, allowProposedApi: true });
      const replies: string[] = [];
      terminal.onData((data) => replies.push(data));
      terminal.onBinary((data) => replies.push(data));
      const started = performance.now();
      await new Promise<void>((done) => terminal.write(filtered(input), done));
      expect(replies, name).toEqual([]);
      expect(performance.now() - started, name).toBeLessThan(500);
      terminal.dispose();
    }
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...hostile.map((entry) => entry[1])),
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
        const whole = new TerminalFilter().push(bytes);
        const filter = new TerminalFilter();
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
