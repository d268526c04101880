import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { OutboxOp } from '@shared/log/outbox';
import { expect, onTestFinished, test } from 'vitest';
import { workLockPath } from '../../files/workspace-paths';
import type { Store } from '../../store/api';
import { holdLock } from '../../store/log/run-lock';
import { HintProtocol, type Move, type Schedule } from '../../testing/hint-protocol';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';

const full = process.env.WAYMARK_FULL === '1';

const base: Omit<Schedule, 'mostOperations' | 'mostCrashes' | 'told'> = {
  operations: {
    'queue A': ({ A }) => ({ op: 'hint.queued', hint: A, text: 'a', category: 'other' }),
    'edit A': ({ A }) => ({ op: 'hint.edited', hint: A, text: 'a2' }),
    'withdraw A': ({ A }) => ({ op: 'hint.withdrawn', hint: A }),
    'queue B': ({ B }) => ({ op: 'hint.queued', hint: B, text: 'b', category: 'other' }),
    'edit B': ({ B }) => ({ op: 'hint.edited', hint: B, text: 'b2' }),
    'B before A': ({ A, B }): OutboxOp => ({ op: 'hint.moved', hint: B, before: A }),
  },
  // B is the second hint: with the names exchanged nothing new would come up.
  after: {
    'edit A': 'queue A',
    'withdraw A': 'queue A',
    'queue B': 'queue A',
    'edit B': 'queue B',
    'B before A': 'queue B',
  },
  actions: ['put', 'finish'],
};

/** A hint that waits for two failed steps, and one that does not; the agent fails until it finishes. */
const waiting: typeof base = {
  operations: {
    'queue B': ({ B }) => ({
      op: 'hint.queued',
      hint: B,
      text: 'b',
      category: 'other',
      deliver: { when: 'error_streak', steps: 2 },
    }),
    'queue A': ({ A }) => ({ op: 'hint.queued', hint: A, text: 'a', category: 'other' }),
    'B at once': ({ B }) => ({ op: 'hint.edited', hint: B, text: 'b now', deliver: { when: 'next_step' } }),
    'edit B': ({ B }) => ({ op: 'hint.edited', hint: B, text: 'b2' }),
    'withdraw B': ({ B }) => ({ op: 'hint.withdrawn', hint: B }),
  },
  after: { 'B at once': 'queue B', 'edit B': 'queue B', 'withdraw B': 'queue B', 'queue A': 'queue B' },
  actions: ['crash', 'crash', 'finish'],
};

/** Runs every schedule once, depth first. Each is played from the start; a move is chosen by its place in the list. */
async function explore(schedule: Schedule): Promise<{ schedules: number; moves: number }> {
  const path: { choice: number; of: number }[] = [];
  const counts = { schedules: 0, moves: 0 };
  let store = storeInMemory();
  for (;;) {
    if (counts.schedules % MOST_IN_STORE === MOST_IN_STORE - 1) {
      await store.close();
      store = storeInMemory();
    }
    const protocol = await HintProtocol.begin(store, schedule);
    const trace: string[] = [];
    for (let depth = 0; ; depth += 1) {
      const moves = protocol.moves();
      if (moves.length === 0) break;
      path[depth] ??= { choice: 0, of: moves.length };
      const at = path[depth];
      const move = moves[at?.choice ?? 0] as Move;
      expect(moves.length, `as before at move ${depth} of ${trace}`).toBe(at?.of);
      trace.push(typeof move === 'string' ? move : move.person);
      await protocol.make(move);
      counts.moves += 1;
    }
    counts.schedules += 1;
    const problems = await protocol.problems(counts.schedules % 20 === 1);
    if (problems.length > 0) expect.fail(`${problems.join('\n')}\nafter: ${trace.join(', ')}`);
    for (let last = path.at(-1); last !== undefined && last.choice + 1 >= last.of; last = path.at(-1))
      path.pop();
    const next = path.at(-1);
    if (next === undefined) return counts;
    next.choice += 1;
  }
}

/** Looking at a workspace costs by what it holds. */
const MOST_IN_STORE = 200;

/**
 * Every schedule is a dozen commits: on a disk in memory, where there is one, they cost their computing only. Nobody searches
 * here, so the search index is left to a process that there is none of.
 */
function storeInMemory(): Store {
  const folder = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/waymark-hints-') : temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const indexer = holdLock(workLockPath(folder, 'indexer'), 0, 0);
  onTestFinished(() => indexer?.release());
  return testStore(folder);
}

/** The least number of schedules is what there were when this was written: a test that shrinks says so. */
const sets: readonly [string, Schedule, number][] = [
  ['two operations, not told', { ...base, mostOperations: 2, mostCrashes: 0, told: false }, 196],
  ['one operation and a crash, told', { ...base, mostOperations: 1, mostCrashes: 1, told: true }, 119],
  [
    'a condition, one operation and a crash',
    { ...waiting, mostOperations: 1, mostCrashes: 1, told: true },
    189,
  ],
];
const more: typeof sets = [
  ['two operations, told', { ...base, mostOperations: 2, mostCrashes: 0, told: true }, 190],
  ['a condition, two operations, told', { ...waiting, mostOperations: 2, mostCrashes: 0, told: true }, 377],
  [
    'a condition, two operations, not told',
    { ...waiting, mostOperations: 2, mostCrashes: 0, told: false },
    393,
  ],
  ['two operations and a crash', { ...base, mostOperations: 2, mostCrashes: 1, told: false }, 2_896],
];

test.each(full ? [...sets, ...more] : sets)(
  'each hint is delivered once, in order and as last edited, or still there: %s',
  async (_, schedule, least) => {
    const { schedules } = await explore(schedule);
    expect(schedules).toBeGreaterThanOrEqual(least);
  },
  600_000,
);

test('a driver that does not mind the race is found out', async () => {
  const careless = { ...base, mostOperations: 2, mostCrashes: 0, told: false, careless: true };
  await expect(explore(careless)).rejects.toThrow(/left behind by a request|left over by the end/);
}, 60_000);
