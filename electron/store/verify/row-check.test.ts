import { readFileSync } from 'node:fs';
import { type Trajectory, TrajectoryFold } from '@shared/context/trajectory';
import { type ChatMessage, contentText } from '@shared/log/chat';
import type { NewEvent, RunEvent } from '@shared/log/events';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { ContextScript, contextDeeds } from '../../testing/random-context';
import { testStore } from '../../testing/store-fixtures';
import { PromptCheck } from './prompt-check';
import { RowCheck, type RowSource } from './row-check';

function stored(events: readonly NewEvent[], run: string): RunEvent[] {
  return events.map((event, index): RunEvent => ({ ...event, run, seq: index + 1, at: 0, epoch: 0 }));
}

function problemsOf(events: readonly RunEvent[], rows?: RowSource) {
  const prompts = new PromptCheck();
  const check = new RowCheck(rows);
  const found = events.flatMap((event) => {
    expect(prompts.apply(event)).toBeNull();
    return check.apply(event, prompts.rebuilt);
  });
  return [...found, ...check.end(events[0]?.run ?? '')];
}

/** The rows as they are made, each changed by `spoil` before it is compared. */
function spoiled(spoil: (row: Trajectory) => Trajectory): RowSource {
  const fold = new TrajectoryFold({ reasoning: 'as-sent' });
  return {
    apply: (event) => fold.apply(event).map(spoil),
    end: () => fold.end().map(spoil),
  };
}

const withContent = (row: Trajectory, at: number, change: (content: string) => string): Trajectory => ({
  ...row,
  messages: row.messages.map(({ step, message }, index) => ({
    step,
    message: index === at ? ({ ...message, content: change(contentText(message)) } as ChatMessage) : message,
  })),
});

const think = (size: number) => ({
  deed: 'step' as const,
  hint: false,
  retry: false,
  reasoning: true,
  calls: [{ size, valid: true }],
});
const summary = { deed: 'summary' as const, rejected: 1, late: false, shorten: true };

it('rows are what was sent, whatever becomes of a context, also where lines on budgets did not stay', () => {
  const seen = { shortened: 0, reasoning: 0, images: 0, line: 0, summaries: 0, refused: 0 };
  fc.assert(
    fc.property(contextDeeds, fc.constantFrom(0, 7, Number.POSITIVE_INFINITY), (deeds, keptAfter) => {
      const script = new ContextScript(ulid(), keptAfter).live(deeds);
      const events = stored(script.batches.flat(), script.run);
      expect(problemsOf(events)).toEqual([]);
      const fold = new TrajectoryFold({ reasoning: 'as-sent' });
      for (const row of [...events.flatMap((event) => fold.apply(event)), ...fold.end()]) {
        for (const { why } of row.notAsSent) seen[why] += 1;
        seen.summaries += row.kind === 'summary' ? 1 : 0;
        for (const { told } of row.refused) {
          seen.refused += 1;
          // An older log said so in the next request alone.
          if (keptAfter > 0) continue;
          expect(told).not.toBe('');
          expect(row.messages.at(-2)?.message.content).toContain(told);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(seen.shortened).toBeGreaterThan(30);
  expect(seen.reasoning).toBeGreaterThan(30);
  expect(seen.images).toBeGreaterThan(30);
  expect(seen.line).toBeGreaterThan(100);
  expect(seen.summaries).toBeGreaterThan(300);
  expect(seen.refused).toBeGreaterThan(300);
});

it('a difference that a row does not name is found, and one that it names wrongly', () => {
  let found = 0;
  fc.assert(
    fc.property(contextDeeds, (deeds) => {
      const script = new ContextScript(ulid()).live(deeds);
      const events = stored(script.batches.flat(), script.run);
      const fold = new TrajectoryFold({ reasoning: 'as-sent' });
      const rows = [...events.flatMap((event) => fold.apply(event)), ...fold.end()];
      const differing = rows.filter(({ notAsSent }) => notAsSent.length > 0);
      const silent = problemsOf(
        events,
        spoiled((row) => ({ ...row, notAsSent: [] })),
      );
      // Of a row at most five problems are named, and a row has at least one where it differs.
      expect(silent.length).toBeGreaterThanOrEqual(differing.length);
      expect(silent.length > 0).toBe(differing.length > 0);
      found += silent.length;
    }),
    { numRuns: 100 },
  );
  expect(found).toBeGreaterThan(20);
});

describe('a planted difference is reported with run, segment and message', () => {
  const script = new ContextScript(ulid()).live([think(40), think(40), think(40), summary, think(40)]);
  const events = stored(script.batches.flat(), script.run);
  const where = (place: string) => `run ${script.run} ${place}`;

  it('nothing was planted', () => expect(problemsOf(events)).toEqual([]));

  it('a line on the budgets that is missing', () => {
    const strip = spoiled((row) =>
      row.kind === 'react' && row.segment === 1
        ? withContent(row, 3, (content) => content.replace(/\n\n\[step 2\].*$/u, ''))
        : row,
    );
    const problems = problemsOf(events, strip);
    expect(problems[0]).toEqual({
      what: 'row_not_sent',
      where: where('segment 1 message 3'),
      message: 'This message of the row, of step 1, is not the one that step 2 was asked with.',
    });
  });

  it('one letter of the system prompt in the second segment', () => {
    const problems = problemsOf(
      events,
      spoiled((row) => (row.segment === 2 ? withContent(row, 0, (content) => `${content} `) : row)),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      where: where('segment 2 message 0'),
      message: 'This message of the row is not the one that step 5 was asked with.',
    });
  });

  it('a note to the summariser, a message, and tools that are missing', () => {
    const toldNothing = spoiled((row) =>
      row.kind === 'summary'
        ? withContent(row, row.messages.length - 2, (content) => content.replace(/\n\n\[no 0\]/u, ''))
        : row,
    );
    expect(problemsOf(events, toldNothing)[0]?.where).toMatch(/ summary of segment 1 message \d+$/u);
    const shorter = spoiled((row) => ({ ...row, messages: row.messages.filter((_, index) => index !== 2) }));
    expect(problemsOf(events, shorter).length).toBeGreaterThan(0);
    const bare = spoiled((row) => ({ ...row, tools: [] }));
    expect(problemsOf(events, bare)[0]?.message).toBe(
      'The tools of this row are not those that step 1 was asked with.',
    );
  });
});

it('verify compares the rows of a stored run, of older logs too', async () => {
  const store = testStore();
  for (const keptAfter of [0, 3, Number.POSITIVE_INFINITY]) {
    const script = new ContextScript(ulid(), keptAfter).live([
      ...[think(9_000), think(40), { deed: 'shorten' as const }, think(40)],
      ...[summary, think(300), { deed: 'model' as const, sendReasoning: true }, think(3)],
    ]);
    for (const batch of script.batches) await store.writer.append(script.run, 0, batch);
  }
  const { runs } = await store.reader.verify();
  expect(runs).toHaveLength(3);
  expect(runs.flatMap(({ problems }) => problems)).toEqual([]);
});

it('the log from before lines were kept has rows that are what was sent, and says where they are not', () => {
  const text = readFileSync(new URL('tails-not-kept.jsonl', import.meta.url), 'utf8');
  const old = text
    .trim()
    .split('\n')
    .map((line): NewEvent => JSON.parse(line));
  expect(problemsOf(stored(old, ulid()))).toEqual([]);
});
