import type { RehearsedAction } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { actsDifferently, type DifferencePiece, differenceRows } from './action-difference';

function action(name: string, args: Record<string, unknown> | string, text = ''): RehearsedAction {
  const written = typeof args === 'string' ? args : JSON.stringify(args);
  return { text, reasoning: '', calls: [{ id: 'c', name, arguments: written }] };
}
const marked = (pieces: DifferencePiece[] | null | undefined): string =>
  (pieces ?? []).map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');

describe('two answers side by side', () => {
  it('mark the words that differ in the argument that differs', () => {
    const rows = differenceRows(
      action('run_command', { command: 'bash train.sh --gpus 4', session: 'train' }),
      action('run_command', { command: 'bash train.sh --gpus 8', session: 'train' }),
    );
    const command = rows.find(({ keys }) => keys.with === 'command');
    expect(marked(command?.without)).toBe('bash train.sh --gpus [4]');
    expect(marked(command?.with)).toBe('bash train.sh --gpus [8]');
    const same = rows.filter(({ keys }) => keys.with !== 'command');
    expect(
      same.flatMap((row) => [...(row.without ?? []), ...(row.with ?? [])]).some((piece) => piece.differs),
    ).toBe(false);
  });

  it('lose no character of either side', () => {
    const a = 'Stop the run, then\nlook at é∑ the loss.';
    const b = 'Look at the loss; then stop.';
    const [row] = differenceRows(action('x', {}, a), action('x', {}, b));
    expect(row?.without?.map(({ text }) => text).join('')).toBe(a);
    expect(row?.with?.map(({ text }) => text).join('')).toBe(b);
  });

  it('put what only one has beside nothing', () => {
    const rows = differenceRows(
      { text: 'I am done.', reasoning: '', calls: [] },
      action('sleep', { seconds: 60 }, 'I am done.'),
    );
    expect(rows.find(({ keys }) => keys.with === 'seconds')).toMatchObject({
      without: null,
      with: [{ text: '60', differs: true }],
    });
  });

  it('let arguments of two different actions stand beside each other', () => {
    const rows = differenceRows(
      action('sleep', { seconds: 60 }),
      action('run_command', { command: 'ls', session: 'a' }),
    );
    expect(rows.map(({ keys }) => [keys.without, keys.with])).toEqual([
      [null, null],
      ['seconds', 'command'],
      [null, 'session'],
    ]);
    expect(rows[2]?.without).toBeNull();
  });

  it('mark words in a row as one', () => {
    const [row] = differenceRows(action('x', {}, 'a b c end'), action('x', {}, 'end'));
    expect(marked(row?.without)).toBe('[a b c ]end');
  });

  it('show arguments that are no JSON as they were written', () => {
    const [, row] = differenceRows(action('x', '{"a": '), action('x', '{"a": '));
    expect(row).toMatchObject({ keys: { without: '' }, without: [{ text: '{"a": ', differs: false }] });
  });

  it('act differently only by their calls', () => {
    expect(actsDifferently(action('x', { a: 1 }, 'one'), action('x', { a: 1 }, 'two'))).toBe(false);
    expect(actsDifferently(action('x', { a: 1 }), action('x', { a: 2 }))).toBe(true);
    expect(actsDifferently(action('x', { a: 1 }), action('x', { a: 1, b: 2 }))).toBe(true);
    expect(actsDifferently(action('x', {}), { text: '', reasoning: '', calls: [] })).toBe(true);
  });

  it('do not compare word by word what is too long for it', () => {
    const long = 'word '.repeat(5_000);
    const [, row] = differenceRows(action('x', { a: `${long}1` }), action('x', { a: `${long}2` }));
    expect(row?.without).toEqual([{ text: `${long}1`, differs: true }]);
  });
});
