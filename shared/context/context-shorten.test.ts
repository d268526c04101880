import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunScript } from '../runs/run-fixtures';
import { ContextFold } from './context';
import { shortened } from './context-entry';
import { shortenLargest } from './context-shorten';

function contextWith(text: string): ContextFold {
  const script = new RunScript('01KRV1E0000000000000000000', {}).startSegment();
  script.answer([{ name: 'run_command', text }]);
  const context = new ContextFold({ sendReasoning: false });
  for (const event of script.events) context.apply(event);
  return context;
}

function cut(text: string, excess: number): { start: string; end: string; sent: string } {
  const context = contextWith(text);
  const { body } = shortenLargest(context, excess) ?? { body: null };
  if (body === null) throw new Error('It was too short.');
  return {
    start: text.slice(0, body.keepStart),
    end: text.slice(text.length - body.keepEnd),
    sent: shortened(text, body),
  };
}

it('an observation is shortened between two lines, and the sentence says how to see the rest', () => {
  const lines = Array.from({ length: 800 }, (_, at) => `${at}: loss ${(at * 7919) % 1000}\n`);
  const { start, end, sent } = cut(lines.join(''), 2_000);
  expect(start.endsWith('\n')).toBe(true);
  expect(lines).toContain(`${end.split('\n')[0]}\n`);
  expect(sent).toContain(
    'characters are left out here, because the context is full. To see them, ask for just that part again]',
  );
});

it('a cut loses no more than a quarter of either side for the sake of a line, and splits no character', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.integer({ min: 1, max: 9_000 }).map((length) => '😀'.repeat(length)),
  );
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 5_000 }),
      (some, excess) => {
        const text = `${some.join('\n')}${'x'.repeat(4_200)}`;
        const { start, end } = cut(text, excess);
        expect(start.length).toBeGreaterThanOrEqual(749);
        expect(end.length).toBeGreaterThanOrEqual(749);
        expect(start.length + end.length).toBeLessThan(text.length);
        for (const piece of [start, end]) expect(halves(piece)).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});

it('what older logs shortened reads as it was sent', () => {
  expect(shortened('abcdef', { keepStart: 2, keepEnd: 1 })).toBe(
    'ab\n\n[3 characters are left out here, because the context is full]\n\nf',
  );
});

/** Surrogates without their other half. */
function halves(text: string): number {
  return (text.match(/\p{Surrogate}/gu) ?? []).length;
}
