import { expect, it } from 'vitest';
import { readVerdicts } from './verdicts';
import type { JudgeWindow } from './windows';

const turn = (step: number) => ({ step, isSummary: false, text: 'x', tokens: 1 });
const window: JudgeWindow = { rubric: 'steps', context: [turn(1)], judged: [turn(2), turn(3), turn(4)] };
const entry = (of: number, more: Record<string, unknown> = {}) => ({
  turn: of,
  verdict: 'mask',
  reason: 'blind-edit',
  confidence: 0.8,
  why: 'It did not look.',
  cites: [1],
  ...more,
});
const answer = (...turns: unknown[]) => [{ name: 'judge_turns', arguments: JSON.stringify({ turns }) }];

it('an entry becomes a verdict, and cites only other turns that were shown', () => {
  expect(readVerdicts(answer(entry(3, { cites: [4, 1, 1, 99, 3] })), window, [2, 3, 4])).toEqual([
    ...[
      {
        step: 3,
        value: 'mask',
        reason: 'blind-edit',
        confidence: 0.8,
        why: 'It did not look.',
        steps: [1, 4],
      },
    ],
  ]);
});

it.each([
  ['about a turn of the context', answer(entry(1))],
  ['about a turn that was not asked about', answer(entry(4))],
  ['about a turn that does not exist', answer(entry(77))],
  ['with another verdict', answer(entry(2, { verdict: 'skip' }))],
  ['with a confidence above 1', answer(entry(2, { confidence: 80 }))],
  ['that contradicts another one', answer(entry(2), entry(2, { verdict: 'keep' }), entry(2))],
  ['in a call of another tool', [{ name: 'other', arguments: JSON.stringify({ turns: [entry(2)] }) }]],
  ['in arguments that are cut off', [{ name: 'judge_turns', arguments: '{"turns":[{"turn":2' }]],
  ['in arguments without a list', [{ name: 'judge_turns', arguments: '{"turns":"2"}' }]],
  ['in arguments that are null', [{ name: 'judge_turns', arguments: 'null' }]],
])('an entry %s is no verdict', (_, calls) => {
  expect(readVerdicts(calls, window, [2, 3])).toEqual([]);
});

it('words of the judge become one line of visible, well-formed text', () => {
  const said = entry(2, { reason: ' a\u0000\nb\ud800 ', why: 'It\u2028did\u202e not\tlook. \udfff' });
  expect(readVerdicts(answer(said), window, [2])).toMatchObject([
    { reason: 'a b\ufffd', why: 'It did not look. \ufffd' },
  ]);
});

it('the same verdict twice counts once', () => {
  expect(readVerdicts(answer(entry(2), entry(2)), window, [2])).toHaveLength(1);
});

it('a turn that only follows a hint is kept without confidence, for a person to look at', () => {
  const sure = entry(2, { verdict: 'keep', reason: 'only-follows-hint', confidence: 1 });
  const silent = entry(3, { verdict: 'keep', reason: 'only-follows-hint', confidence: null });
  expect(readVerdicts(answer(sure, silent), window, [2, 3])).toMatchObject([
    { value: 'keep', confidence: 0.5 },
    { value: 'keep', confidence: 0.5 },
  ]);
});
