import type { JudgedTurn } from '@shared/judging/judged-turn';
import { expect, test, vi } from 'vitest';
import type { ModelPort } from '../agent/ports';
import type { StoreNotice } from '../store/notices';
import { runBatch } from './judge-batch';
import type { JudgeTask } from './judge-task';

/** A token costs one. */
const price = { input: 1_000_000, cached: 1_000_000, output: 1_000_000 };

/** A task about one step of the run with its number, in a request of some hundred characters. */
function taskAbout(step: number): JudgeTask {
  const run = `run ${step}`;
  return {
    run,
    owners: [{ run, from: 1, to: 100, gone: false }],
    open: [step],
    outputTokens: () => 10,
    requestFor: (asked) => ({ asked, text: 'x'.repeat(360) }),
    shown: (asked, frame) => {
      const judged = asked.map((each) => ({ from: each, to: each }));
      return { run, rubric: 'steps', context: [], judged, asked: [...asked], frame };
    },
    read: (_, asked) =>
      asked.map((each) => ({
        step: each,
        op: { op: 'judge', value: 'keep', confidence: 1, reason: '', why: '', steps: [], rubric: 'r' },
        against: false,
        unparsable: false,
      })),
  };
}

interface Asked {
  maxCost: number | null;
  together: number;
  /** The workspace changed when it began, so that every request is looked at before it is sent. */
  hasChanged?: boolean;
  /** While a request is answered. */
  answering?: () => void;
}

/** A batch over twenty tasks. */
async function asked(
  isGone: (run: string) => boolean,
  { hasChanged = true, answering = () => undefined, ...more }: Asked,
) {
  const turn: JudgedTurn = { step: 1, isSummary: false, text: 'Done.', tokens: 1 };
  const sent: number[] = [];
  const model: ModelPort = {
    ask: async ({ body }) => {
      sent.push(...(JSON.parse(body) as { asked: number[] }).asked);
      await new Promise(setImmediate);
      answering();
      const usage = { inputTokens: 107, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
      const answer = { text: '', reasoning: '', calls: [], finishReason: 'stop', model: 'm', usage };
      return { ok: true, answer };
    },
  };
  const store: Parameters<typeof runBatch>[0] = {
    subscribe: (listener: (notice: StoreNotice) => void) => {
      if (hasChanged) listener({ kind: 'foreign' });
      return () => undefined;
    },
    writer: { judgeAnswered: async () => undefined, judgeTried: async () => undefined },
    reader: {
      run: async () => {
        throw new Error('Nobody asks for the run.');
      },
      judgedTurns: async (run: string) => {
        await new Promise(setImmediate);
        return isGone(run) ? [] : [turn];
      },
    },
  };
  async function* tasks() {
    for (let step = 1; step <= 20; step += 1) yield taskAbout(step);
  }
  const result = await runBatch(store, tasks(), {
    judge: 'strict',
    batch: { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', epoch: 1 },
    price,
    tries: 0,
    firstPauseMs: 1,
    model,
    signal: new AbortController().signal,
    ...more,
  });
  return { result, sent };
}

test('of requests that are looked at together, none goes beyond the limit on money', async () => {
  for (const together of [1, 2, 4, 8]) {
    const { result } = await asked(() => false, { maxCost: 270, together });
    expect(result).toMatchObject({ asked: 2, spent: 234, ended: { why: 'cost' } });
  }
});

test('one that turns out to be gone leaves its money to the others', async () => {
  for (const together of [1, 4]) {
    const { result, sent } = await asked((run) => run !== 'run 20', { maxCost: 130, together });
    expect(sent).toEqual([20]);
    expect(result).toMatchObject({ asked: 1, votes: 1, ended: null });
  }
});

test('what was removed after its request was made ahead is not sent', async () => {
  const { result, sent } = await asked((run) => run === 'run 2' || run === 'run 19', {
    maxCost: null,
    together: 3,
  });
  expect(sent).toHaveLength(18);
  expect(sent).not.toContain(2);
  expect(sent).not.toContain(19);
  expect(result).toMatchObject({ asked: 18, votes: 18, missing: 0, ended: null });
});

test.each([
  [99, 20],
  [101, 1],
])('where nothing was heard of, a request made %i ms ago is looked at from 100 ms on', async (age, sends) => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    // The first answer takes so long; all that was made ahead meanwhile is as old.
    let isFirst = true;
    const answering = () => {
      if (isFirst) now += age;
      isFirst = false;
    };
    const { sent } = await asked((run) => run !== 'run 1', {
      maxCost: null,
      together: 1,
      hasChanged: false,
      answering,
    });
    expect(sent).toContain(1);
    expect(sent.includes(2)).toBe(sends === 20);
  } finally {
    clock.mockRestore();
  }
});
