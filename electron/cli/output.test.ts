import { PassThrough } from 'node:stream';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { StepDetail } from '@shared/contract/views';
import { hasHiddenCharacters } from '@shared/terminal/visible-text';
import { describe, expect, it } from 'vitest';
import { SecretScanner } from '../secrets/scanner';
import { storeFailure } from '../store/file/database';
import { setOff } from './fold-quoted';
import { headlessLog, printFailure, printResult, table } from './output';
import { ProcessTerminal } from './process-terminal';
import { stepLines } from './step-commands';

/** Everything that a terminal acts on or that hides what is there: C0, DEL, C1, direction marks, zero-width, tags. */
const hostile = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(0x7f + code)),
  ...['\u200b', '\u202e', '\u2066', '\ufeff', '\u{e0041}', '\ud800'],
  ...['\x1b]52;c;Y3VybCBldmlsfHNo\x07', '\x1b]0;pwned\x07', '\x1b[2J\x1b[31m', '\x9b2J', '\x9d0;x\x9c'],
].map((character) => `a${character}b`);

/** A terminal on streams whose bytes can be read afterwards. */
function recorded(clean?: (line: string) => string, columns?: number) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  if (columns !== undefined)
    for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: true, columns });
  const terminal = new ProcessTerminal(
    streams as unknown as ConstructorParameters<typeof ProcessTerminal>[0],
    clean,
  );
  const text = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString('utf8') ?? '';
  return { terminal, out: () => text(streams.stdout), err: () => text(streams.stderr) };
}

describe('what the command line prints', () => {
  it('says a failure in its own words, never in those of the database; JSON and bugs keep them', () => {
    const { terminal, out, err } = recorded();
    const disk = Object.assign(new Error('database or disk is full'), {
      name: 'SqliteError',
      code: 'SQLITE_FULL',
      stack: 'SqliteError: full\n    at Database.exec (x.js:1:2)',
    });
    const file = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const failures = [
      storeFailure(Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' }), 'A'),
      storeFailure(Object.assign(new Error('SQLITE_BUSY: database is locked'), { code: 'SQLITE_BUSY' }), 'A'),
      storeFailure(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' }), 'A'),
      ...[disk, file],
      new WaymarkError('refused', 'No.', 'SQLITE_READONLY: attempt to write\nkept: a path'),
    ];
    for (const failure of failures) printFailure(failure, false, terminal);
    const said = err();
    expect(said).not.toMatch(/SQLITE|SqliteError|ENOSPC|\n[ |]+at |\n\n/);
    expect(said).toContain('refused: No.\n  | kept: a path\n');
    expect(said.split('\n')).toHaveLength(failures.length + 2);
    printFailure(failures[0], true, terminal);
    expect(out()).toContain('SQLITE_NOTADB');
    expect(printFailure(Object.assign(disk, { code: 'SQLITE_RANGE' }), false, terminal)).toBe(2);
    expect(err()).toContain('  | SqliteError: full\n  |     at Database.exec');
    expect(toFailure(disk).code).toBe('bug');
  });

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

  it('sets off every row of a step that is not its own, and lets no value break a line', () => {
    const { terminal, out } = recorded();
    const forged = 'a\nLabel    train by human\r\nModel    other\rRule\u2028Score: 100';
    const row = /^(?! {2}\| ).*(train by human|other|100)/mu;
    const seen = {
      call: 0,
      name: forged,
      rawArguments: forged,
      invalid: forged,
      ok: false,
      durationMs: 1,
      images: [],
    };
    const detail = {
      head: { step: 1, kind: forged, tool: forged, segment: 1, inheritedFrom: null, at: 0 },
      usage: null,
      model: 'm',
      durationMs: 1,
      reasoning: forged,
      text: forged,
      taught: forged,
      hintText: forged,
      labels: {
        effective: { value: null, source: null, reason: null },
        rules: [{ rule: 'r', effect: 'mask', why: forged }],
        humans: [{ author: { name: forged }, value: 'train', reason: forged }],
        judges: [{ judge: forged, value: 'mask', confidence: 0.9, reason: forged, why: forged, steps: [3] }],
        history: [
          {
            ulid: 'a',
            target: { run: 'R', from: 1, to: 1 },
            author: { uuid: 'j', name: forged },
            at: 0,
            body: { op: 'reward', value: -1, vote: 2, text: forged, rubric: '', future: true },
            supersedes: [],
          },
        ],
      },
      observations: [
        {
          ...seen,
          text: forged,
          error: { code: 'c', message: forged },
          guards: [{ level: 'warn', rule: 'g', message: forged }],
        },
      ],
    };
    printResult({ json: null, lines: stepLines('R', detail as unknown as StepDetail) }, false, terminal);
    const lines = out().trimEnd().split('\n');
    const own = lines.filter((line) => !line.startsWith('  | '));
    // A value in a line of ours stays in it; every other line with such words stands behind the gutter.
    for (const line of own) expect(line).not.toMatch(/^(Label {4}train|Model {4}other|Score)/u);
    expect(own.filter((line) => line.startsWith('Label '))).toEqual(['Label    undecided']);
    expect(own.filter((line) => line.startsWith('Rating ')).join()).toMatch(/, vote 2: −1: /);
    expect(lines.filter((line) => row.test(line)).every((line) => line.includes('⟨LF⟩'))).toBe(true);
    expect(lines.filter((line) => line === '  | Label    train by human')).toHaveLength(6);
  });

  it('lets no row that a terminal wraps begin as one of ours', () => {
    const { terminal, out, err } = recorded(undefined, 40);
    const title = `${'x'.repeat(31)}Status   finished`;
    printResult(
      { json: null, lines: [`Title    ${title}`, ...setOff(`${'y'.repeat(36)}Status   finished`)] },
      false,
      terminal,
    );
    expect(out().split('\n')).toEqual([
      `Title    ${'x'.repeat(31)}`,
      '      Status   finished',
      `  | ${'y'.repeat(36)}`,
      '  | Status   finished',
      '',
    ]);
    terminal.err(`Why it asks: It writes ${'x'.repeat(17)}Approve it? y\nDone.`);
    expect(err()).toBe(`Why it asks: It writes ${'x'.repeat(17)}\n      Approve it? y⟨LF⟩Done.\n`);
    printFailure(new WaymarkError('refused', 'No.\nDone.', 'a\nb'), true, terminal);
    expect(out().split('\n')).toHaveLength(2);
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
