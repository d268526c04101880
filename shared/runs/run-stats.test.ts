import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunScript } from './run-fixtures';
import { RunStatsFold, type StatsEvent, statsKinds } from './run-stats';

const run = '01KRVN00000000000000000000';
const reads = (event: { kind: string }): event is StatsEvent =>
  (statsKinds as readonly string[]).includes(event.kind);

function statsOf(script: RunScript) {
  const fold = new RunStatsFold();
  for (const event of script.events.filter(reads)) fold.apply(event);
  return fold.stats();
}

describe('statistics of a log', () => {
  it('counts every step once, however many there are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('run_command', 'edit_file', 'sleep', 'think', 'eval', 'odd'), {
          minLength: 1,
          maxLength: 700,
        }),
        (tools) => {
          const script = new RunScript(run).startSegment();
          for (const name of tools) script.answer([{ name }]);
          const { buckets, points, steps, tools: used } = statsOf(script);
          const sum = buckets.flatMap(({ counts }) => Object.values(counts)).reduce((a, b) => a + b, 0);
          expect([sum, steps, points.at(-1)?.step]).toEqual([tools.length, tools.length, tools.length]);
          expect(buckets.length).toBeLessThanOrEqual(80);
          expect(points.length).toBeLessThanOrEqual(601);
          expect(used.reduce((calls, each) => calls + each.calls, 0)).toBe(tools.length);
          for (const { from, to, counts } of buckets) {
            const commands = tools.slice(from - 1, to).filter((name) => name === 'run_command').length;
            expect(counts.command ?? 0).toBe(commands);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('knows cost and tokens at each point, and which segment they belong to', () => {
    const script = new RunScript(run).startSegment();
    const usage = { inputTokens: 1_000, outputTokens: 10, cachedTokens: 900, reasoningTokens: 0 };
    script.answer([{ name: 'run_command' }], { usage, cost: 0.5 }).answer([{ name: 'sleep' }], { usage });
    const { points, segments } = statsOf(script);
    expect(points.map(({ step }) => step)).toEqual([1, 2]);
    expect(points).toMatchObject([
      { input: 1_000, output: 10, cost: 0.5 },
      { input: 2_000, output: 20, cost: 0.5 },
    ]);
    expect(segments).toMatchObject([{ segment: 1, firstStep: 1, steps: 2, input: 2_000, cached: 1_800 }]);
  });

  it('says nothing about a run without steps', () => {
    expect(statsOf(new RunScript(run))).toMatchObject({ steps: 0, points: [], buckets: [] });
  });
});
