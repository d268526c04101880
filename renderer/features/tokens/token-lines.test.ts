import type { TokenMessage, TokenView } from '@shared/contract/export-views';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenRow } from './token-fixtures';
import {
  columnsOf,
  lineOf,
  nextStretch,
  piecesOf,
  shownText,
  stretchAt,
  type TokenLine,
  tokenAt,
  tokenBeside,
  tokenLayout,
  tokenRange,
} from './token-lines';

const all = (view: TokenView, columns = 40, open: string[] = []) =>
  tokenLayout(view, { columns, open: new Set(open) });
const textOf = (view: TokenView, lines: readonly TokenLine[]) =>
  lines.flatMap((line) => (line.kind === 'text' ? [view.text.slice(line.from, line.to)] : []));
const widthOf = (text: string) =>
  [...text].reduce((sum, each) => sum + (each === '\n' ? 0 : columnsOf(each.codePointAt(0) ?? 0)), 0);

/** Rows of any text, cut into tokens and messages anywhere. */
const anyRow = fc
  .record({
    words: fc.array(
      fc.oneof(
        fc.constantFrom('a', ' the', '\n', '\n\n', 'x\ny', '𝕏', '漢字', '\t', 'e\u0301', '\u202e', ''),
        fc.string({ maxLength: 30 }),
      ),
      { minLength: 1, maxLength: 120 },
    ),
    losses: fc.array(fc.constantFrom('t', 'm', 'c', '.'), { minLength: 120, maxLength: 120 }),
    cuts: fc.array(fc.nat(119), { maxLength: 8 }),
    firstStep: fc.nat(6),
  })
  .map(({ words, losses, cuts, firstStep }) => {
    const starts: number[] = [];
    let text = '';
    for (const word of words) {
      starts.push(text.length);
      text += word;
    }
    const edges = [...new Set([0, ...cuts.map((cut) => starts[cut] ?? text.length), text.length])].sort(
      (a, b) => a - b,
    );
    const messages = edges.slice(0, -1).map(
      (from, index): TokenMessage => ({
        index,
        role: 'assistant',
        step: index,
        from,
        to: edges[index + 1] ?? text.length,
        loss: 'context',
        trainedTokens: 0,
        tokens: 1,
        lost: [],
      }),
    );
    const row = { ...tokenRow([]).row, firstStep };
    return {
      row,
      of: 1,
      text,
      starts,
      ids: starts.map(() => 1),
      losses: losses.slice(0, words.length).join(''),
      messages,
      trainedTokens: 0,
      maskedTokens: 0,
      warnings: [],
      rule: 'turn',
      argumentsForm: 'string',
    } satisfies TokenView;
  });

describe('lines of a row', () => {
  it('hold every character once, in order, whatever is folded', () => {
    fc.assert(
      fc.property(anyRow, fc.integer({ min: 8, max: 60 }), fc.boolean(), (view, columns, opened) => {
        const closed = tokenLayout(view, { columns, open: new Set() });
        const layout = opened ? tokenLayout(view, { columns, open: new Set(closed.folds) }) : closed;
        let at = 0;
        for (const line of layout.lines) {
          if (line.kind === 'message' || (line.kind === 'fold' && line.open)) continue;
          expect(line.from).toBe(at);
          expect(line.to).toBeGreaterThan(line.from);
          at = line.to;
        }
        expect(at).toBe(view.text.length);
      }),
    );
  });

  it('are never wider than the pane, and break between tokens', () => {
    fc.assert(
      fc.property(anyRow, fc.integer({ min: 16, max: 60 }), (view, columns) => {
        const closed = tokenLayout(view, { columns, open: new Set() });
        const { lines } = tokenLayout(view, { columns, open: new Set(closed.folds) });
        for (const line of lines) {
          if (line.kind !== 'text') continue;
          const shown = view.text.slice(line.from, line.to);
          expect(widthOf(shown)).toBeLessThanOrEqual(columns);
          expect(shown.slice(0, -1)).not.toContain('\n');
          const ends = line.to === view.text.length || shown.endsWith('\n');
          const between = view.starts.includes(line.to) || view.messages.some(({ to }) => to === line.to);
          // Only a token that is wider than a line is broken: it fills the line it is broken on.
          if (!ends && !between) expect(widthOf(shown)).toBeGreaterThan(columns - 9);
        }
      }),
    );
  });

  it('never hide a trained or a masked token', () => {
    fc.assert(
      fc.property(anyRow, (view) => {
        for (const line of all(view).lines) {
          if (line.kind !== 'fold' || line.open) continue;
          for (const [token, start] of view.starts.entries()) {
            if (start < line.from || start >= line.to) continue;
            expect(view.losses[token]).not.toMatch(/[tm]/);
          }
        }
      }),
    );
  });

  it('find the line of each token, drawn or folded away', () => {
    fc.assert(
      fc.property(anyRow, (view) => {
        const layout = all(view);
        for (const start of view.starts) {
          if (start >= view.text.length) continue;
          const line = layout.lines[lineOf(layout, start)];
          expect(line?.kind).not.toBe('message');
          expect(line?.from).toBeLessThanOrEqual(start);
          expect(line?.to).toBeGreaterThan(start);
        }
      }),
    );
  });

  it('draw each character of a line once, with the token it belongs to', () => {
    fc.assert(
      fc.property(anyRow, (view) => {
        for (const line of all(view).lines) {
          if (line.kind !== 'text') continue;
          let at = line.from;
          for (const { token, from, to, feed } of piecesOf(view, line)) {
            expect(from).toBe(at);
            const [begin, end] = tokenRange(view, token);
            expect(from).toBeGreaterThanOrEqual(begin);
            at = to + (feed ? 1 : 0);
            expect(at).toBeLessThanOrEqual(end);
          }
          expect(at).toBe(line.to);
        }
      }),
    );
  });
});

const paragraph = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}\n`);
const long = tokenRow([
  { role: 'system', step: 0, loss: '.', tokens: ['<|system|>', '\n', ...paragraph(20)] },
  {
    role: 'assistant',
    step: 1,
    loss: 'c',
    tokens: ['<|assistant|>', '\n', 'I start', ' the baseline.\n', ...paragraph(30)],
  },
  { role: 'tool', step: 1, loss: '.', tokens: ['<|observation|>', '\n', ...paragraph(300)] },
  { role: 'assistant', step: 5, loss: 't', tokens: ['The hint', ' is right.\n', ...paragraph(40)] },
  {
    role: 'tool',
    step: 5,
    loss: '.',
    tokens: ['<|observation|>', '\n', '[File: core.py]\n', ...paragraph(9), 'the end'],
  },
  { role: 'assistant', step: 6, loss: 'm', tokens: ['Now', ' the clip', ' itself.'] },
]);

describe('folding', () => {
  it('hides what earlier segments carried in behind its first two lines', () => {
    const { lines, folds } = all(long);
    expect(folds).toContain('carried');
    const fold = lines.find((line) => line.kind === 'fold' && line.carried);
    expect(fold).toMatchObject({ id: 'carried', messages: 2, open: false, tokens: 30 + 302 });
    expect(textOf(long, lines)).toContain('I start the baseline.\n');
    expect(lines.filter((line) => line.message === 1 && line.kind === 'text')).toHaveLength(2);
    expect(lines.filter((line) => line.message === 2)).toEqual([]);
  });

  it('shows the beginning and the end of long context, and all of what is trained', () => {
    const { lines } = all(long);
    const system = lines.filter((line) => line.message === 0);
    expect(system.map(({ kind }) => kind)).toEqual(['message', 'text', 'text', 'text', 'fold', 'text']);
    expect(lines.filter((line) => line.message === 3 && line.kind === 'text')).toHaveLength(41);
    expect(lines.find((line) => line.message === 4 && line.kind === 'fold')).toMatchObject({ tokens: 8 });
  });

  it('opens by name, and stays foldable', () => {
    const { lines } = all(long, 40, ['carried', `4 ${long.messages[4]?.from}`]);
    expect(lines.filter((line) => line.message === 1 && line.kind === 'text').length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.kind === 'fold' && line.open)).toHaveLength(2);
    // What was opened is itself folded like any other context.
    expect(lines.filter((line) => line.message === 2 && line.kind === 'fold')).toHaveLength(1);
  });

  it('leaves carried steps open where they train', () => {
    const losses = long.losses.replaceAll('c', 't');
    expect(all({ ...long, losses }).folds).not.toContain('carried');
  });
});

describe('the next masked or trained token', () => {
  const losses = '..ttt.mm.tt..m';
  it('is the first of the next stretch, around the end', () => {
    expect(nextStretch(losses, 0, 'm', 1)).toEqual({ token: 6, around: false });
    expect(nextStretch(losses, 6, 'm', 1)).toEqual({ token: 13, around: false });
    expect(nextStretch(losses, 13, 'm', 1)).toEqual({ token: 6, around: true });
    expect(nextStretch(losses, 2, 't', 1)).toEqual({ token: 9, around: false });
    expect(nextStretch(losses, 10, 't', 1)).toEqual({ token: 2, around: true });
  });

  it('backwards, leaves the stretch at hand first', () => {
    expect(nextStretch(losses, 10, 't', -1)).toEqual({ token: 2, around: false });
    expect(nextStretch(losses, 3, 't', -1)).toEqual({ token: 9, around: true });
    expect(nextStretch(losses, 12, 'm', -1)).toEqual({ token: 6, around: false });
  });

  it('is nowhere where there is none', () => {
    expect(nextStretch('....', 1, 'm', 1)).toBeNull();
    expect(nextStretch('', 0, 't', -1)).toBeNull();
  });

  it('is found from every place, both ways, and is a beginning', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[tmc.]{1,40}$/),
        fc.nat(39),
        fc.constantFrom(1 as const, -1 as const),
        (row, at, way) => {
          const from = Math.min(at, row.length - 1);
          const found = nextStretch(row, from, 'm', way);
          expect(found === null).toBe(!row.includes('m'));
          if (found === null) return;
          expect(stretchAt(row, found.token)[0]).toBe(found.token);
          expect(row[found.token]).toBe('m');
        },
      ),
    );
  });
});

describe('moving by lines', () => {
  it('keeps the column and passes heads and folds', () => {
    const layout = all(long);
    const first = long.messages[3]?.from ?? 0;
    const below = tokenBeside(long, layout, first, 1);
    expect(long.text.slice(...tokenRange(long, below))).toBe('line 0\n');
    expect(tokenBeside(long, layout, long.starts[below] ?? 0, -1)).toBe(tokenAt(long.starts, first));
    expect(tokenBeside(long, layout, 0, -1)).toBe(0);
    const last = long.starts.at(-1) ?? 0;
    expect(tokenBeside(long, layout, last, 1)).toBe(long.starts.length - 1);
  });
});

describe('what is drawn', () => {
  it('writes out what cannot be seen', () => {
    expect(shownText('a\tb\u0007\u202ec\r')).toBe('a⇥   b␇⟨U+202E⟩c␍');
  });

  it('gives a character that was cut into several tokens to the last of them', () => {
    const view = { ...tokenRow([]), text: '𝕏y', starts: [0, 0, 0, 2], losses: 'tttm' };
    expect(piecesOf(view, { from: 0, to: 3 }).map(({ token, from, to }) => [token, from, to])).toEqual([
      [2, 0, 2],
      [3, 2, 3],
    ]);
  });
});

it('lays out 100,000 tokens', () => {
  const view = tokenRow(
    Array.from({ length: 400 }, (_, at) => ({
      role: 'assistant' as const,
      step: at + 1,
      loss: (at % 2 === 0 ? 't' : 'm') as 't' | 'm',
      tokens: Array.from({ length: 250 }, (_each, token) => (token % 20 === 19 ? ' end.\n' : ' word')),
    })),
  );
  expect(view.starts).toHaveLength(100_000);
  all(view, 100);
  const { lines } = all(view, 100);
  expect(lines.length).toBeGreaterThan(5_000);
});
