import { Writable } from 'node:stream';
import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { questionLines } from './approval-words';
import { foldQuoted, gutter } from './fold-quoted';
import { ProcessTerminal } from './process-terminal';

/** Rows as a terminal of that width shows them, without the blank ones. */
async function screen(text: string, columns: number): Promise<string[]> {
  const terminal = new Terminal({ cols: columns, rows: 30, scrollback: 5_000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(text.replaceAll('\n', '\r\n'), done));
  const { active } = terminal.buffer;
  const rows = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? '',
  );
  terminal.dispose();
  return rows.filter((row) => row !== '');
}

/** What standard error and standard output of a terminal so wide are sent for these lines. */
function printed(lines: readonly string[], columns: number | undefined, clean?: (line: string) => string) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write: (text, _, taken) => {
          texts[name] += text;
          taken();
        },
      }),
      { columns },
    );
  const streams = { stdout: stream('stdout'), stderr: stream('stderr') };
  const terminal = new ProcessTerminal(
    streams as unknown as ConstructorParameters<typeof ProcessTerminal>[0],
    clean,
  );
  for (const line of lines) {
    terminal.err(line);
    terminal.out(line);
  }
  return { err: texts.stderr, out: texts.stdout };
}

const asked = (what: string) => ({ run: 'R', approval: 'A', step: 3, what, why: 'It deletes files.' });
const ours = 'Why it asks: It only reads.';

test.each([
  40, 80, 133,
])('no row of what is asked passes for a line of ours, %i columns wide, and nothing is hidden', async (columns) => {
  for (const filler of [' ', '\t', '中', '\u202e', 'e\u0301', '…', '😀']) {
    // The agent fills its rows so that the next words stand in the first column, at whatever width.
    const what = Array.from({ length: 90 }, (_, at) => `rm x${filler.repeat(at)}${ours}`).join('\n');
    const { err, out } = printed(questionLines(asked(`${what}\nlast`)).slice(1, 92), columns);
    expect(out).toBe(err);
    const rows = await screen(err, columns);
    expect(rows.filter((row) => !row.startsWith(gutter.trimEnd()))).toEqual([]);
    expect(rows.at(-1)).toBe('  | last');
  }
  const words = 'a'.repeat(1_000);
  expect(foldQuoted(`${gutter}${words}`, columns).replaceAll(`\n${gutter}`, '')).toBe(`${gutter}${words}`);
});

test('without a width 80 columns count; other lines stay as they are', () => {
  for (const columns of [undefined, 0]) {
    const { err } = printed([`${gutter}${'a'.repeat(77)}`, 'b'.repeat(200)], columns);
    expect(err).toBe(`${gutter}${'a'.repeat(76)}\n${gutter}a\n${'b'.repeat(200)}\n`);
  }
});

test('a secret is taken out before a row ends in the middle of it', () => {
  const { err } = printed([`${gutter}${'a'.repeat(70)} sk-secret-0123456789`], 80, (line) =>
    line.replace('sk-secret-0123456789', '***'),
  );
  expect(err).toBe(`${gutter}${'a'.repeat(70)} ***\n`);
});

test('a command longer than a screen says how long it is, after its end', () => {
  const long = 'x'.repeat(3_000);
  const said = questionLines(asked(long));
  expect(said).toContain(`${gutter}${long}`);
  expect(said).toContain(
    'That is 3000 characters in 40 rows of 80 columns. Read it from its beginning before you answer.',
  );
  expect(questionLines(asked('rm x')).join('\n')).not.toContain('characters');
});
