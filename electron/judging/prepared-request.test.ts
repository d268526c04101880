import { createHash } from 'node:crypto';
import { estimateTokens } from '@shared/context/tokens';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JudgeTask } from './judge-task';
import { PreparedRequest, preparedAhead } from './prepared-request';

const request = { model: 'm', messages: [{ role: 'user', content: 'Judge turn 1: 你好.'.repeat(200) }] };
const usage = { inputTokens: 1_000, outputTokens: 20, cachedTokens: 0, reasoningTokens: 0 };

describe('a prepared request', () => {
  const prepared = new PreparedRequest(request, 90);

  it('is the JSON that is sent, with its hash and what it may take', () => {
    expect(JSON.parse(prepared.body)).toEqual(request);
    expect(prepared.sha256).toBe(createHash('sha256').update(prepared.body).digest('hex'));
    expect(prepared.estimate).toEqual({ inputTokens: estimateTokens(prepared.body), outputTokens: 90 });
    const other = prepared.as({ model: 'm' });
    expect(other.body).toBe('{"model":"m"}');
    expect(other.estimate.outputTokens).toBe(90);
  });

  it('believes a report of a tenth of the estimated tokens, and no smaller one', () => {
    const least = Math.ceil(prepared.estimate.inputTokens / 10);
    const told = (inputTokens: number, more = {}) =>
      new PreparedRequest(request, 90).plausible({ ...usage, inputTokens, ...more });
    expect(told(least)).toEqual({ ...usage, inputTokens: least });
    expect(told(least - 1)).toBeNull();
    expect(told(1_000, { cachedTokens: 1_001 })).toBeNull();
    expect(told(1_000, { outputTokens: -1 })).toBeNull();
    expect(told(Number.NaN)).toBeNull();
    expect(prepared.plausible(null)).toBeNull();
  });
});

test('no text has more tokens than characters, by estimate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(estimateTokens(text)).toBeLessThanOrEqual(text.length);
    }),
  );
});

async function* tasks(made: number[], last: number): AsyncGenerator<JudgeTask> {
  for (let step = 1; step <= last; step += 1) {
    made.push(step);
    yield {
      run: 'run',
      owners: [],
      open: [step],
      outputTokens: (asked) => 10 * asked,
      requestFor: (asked) => ({ asked }),
      shown: (asked, frame) => ({
        run: 'run',
        rubric: 'steps',
        context: [],
        judged: [],
        asked: [...asked],
        frame,
      }),
      read: () => [],
    };
  }
}

test('requests are made ahead of whoever sends them, each once and in order, and the end is told to all', async () => {
  const made: number[] = [];
  const ahead = preparedAhead(tasks(made, 5), 2, true, () => false);
  const first = await ahead.next();
  expect(first.value).toMatchObject({ task: { open: [1] }, whole: { body: '{"asked":[1]}' } });
  await new Promise(setImmediate);
  expect(made).toEqual([1, 2, 3]);
  const rest = await Promise.all(Array.from({ length: 8 }, () => ahead.next()));
  expect(rest.flatMap(({ value }) => value?.task.open ?? [])).toEqual([2, 3, 4, 5]);
  expect(rest.at(-1)?.done).toBe(true);
});

test('once the batch has ended, nothing more is read', async () => {
  const made: number[] = [];
  let hasEnded = false;
  const ahead = preparedAhead(tasks(made, 50), 8, false, () => hasEnded);
  await ahead.next();
  hasEnded = true;
  const known = made.length;
  await ahead.return(undefined);
  // One may have been under way.
  expect(made.length).toBeLessThanOrEqual(known + 1);
});
