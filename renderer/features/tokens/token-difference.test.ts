import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceLines, pairMessages } from './token-difference';
import { type MessageFixture, tokenRow } from './token-fixtures';

const system: MessageFixture = { role: 'system', step: 0, loss: '.', tokens: ['You', ' are', '.\n'] };
const step = (number: number, loss: MessageFixture['loss'], text = 'I look.'): MessageFixture[] => [
  { role: 'assistant', step: number, loss, tokens: [text, '<|end|>\n'] },
  { role: 'tool', step: number, loss: '.', tokens: ['file', '.py\n'] },
];

describe('two renderings of one row', () => {
  it('differ where the mask does, and nowhere else', () => {
    const a = tokenRow([system, ...step(1, 't'), ...step(2, 'm')]);
    const b = tokenRow([system, ...step(1, 't'), ...step(2, 't')]);
    const pairs = pairMessages(a, b);
    expect(pairs.map(({ same }) => same)).toEqual([true, true, true, false, true]);
    const { lines, differences } = differenceLines(a, b, 40);
    expect(differences).toBe(1);
    expect(lines.map(({ kind }) => kind)).toEqual(['same', 'pair', 'both', 'same']);
    expect(lines[0]).toMatchObject({ messages: 3, tokens: 7 });
  });

  it('differ where the text does, and pad the shorter side', () => {
    const a = tokenRow([system, ...step(1, 't', 'I look.\nTwice.\n')]);
    const b = tokenRow([system, ...step(1, 't', 'I look.\n')]);
    const { lines } = differenceLines(a, b, 40);
    const both = lines.filter((line) => line.kind === 'both');
    expect(both.map(({ a: left, b: right }) => [left !== null, right !== null])).toEqual([
      [true, true],
      [true, true],
      [true, false],
    ]);
  });

  it('name a message that one of them lacks', () => {
    const a = tokenRow([system, ...step(1, 't'), ...step(2, 't')]);
    const b = tokenRow([...step(1, 't'), ...step(2, 't')]);
    expect(pairMessages(a, b)[0]).toEqual({ a: 0, b: null, same: false });
    expect(pairMessages(b, a)[0]).toEqual({ a: null, b: 0, same: false });
    expect(pairMessages(a, b).filter(({ same }) => !same)).toHaveLength(1);
  });

  it('are paired completely, each message once and in order', () => {
    const messages = fc.array(
      fc.record<MessageFixture>({
        role: fc.constantFrom('user', 'assistant', 'tool'),
        step: fc.nat(4),
        loss: fc.constantFrom('t', 'm', '.'),
        tokens: fc.array(fc.constantFrom('a', 'b', '\n'), { minLength: 1, maxLength: 4 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(messages, messages, (left, right) => {
        const [a, b] = [tokenRow(left), tokenRow(right)];
        const pairs = pairMessages(a, b);
        expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual(left.map((_, index) => index));
        expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual(right.map((_, index) => index));
        expect(pairMessages(a, a).every(({ same }) => same)).toBe(true);
        for (const { a: one, b: other, same } of pairs) {
          if (same) expect(left[one ?? -1]?.loss).toBe(right[other ?? -1]?.loss);
        }
      }),
    );
  });
});
