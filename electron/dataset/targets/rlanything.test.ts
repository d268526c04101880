import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ExportOptions, RewardSignal } from '@shared/contract/export-request';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import { RunScript } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRecords } from '../../testing/check-records';
import {
  branchOf,
  plannedRows,
  ratingsOn,
  recordsOf,
  runName,
  scored,
  votesOn,
} from '../../testing/planned-rows';
import { stepPlaces } from '../learning/step-rewards';
import { rlanythingPolicy } from './rlanything-policy';
import { rlanythingReward } from './rlanything-reward';

interface Row {
  prompt: string;
  response: string;
  reward: number;
  run: string;
  step: number;
  judge?: string;
  raw_reward?: number;
}

const ls = { name: 'run_command', args: { command: 'ls' } };

/** A run of so many steps with the votes on each, of the task that all of them share. */
function runOf(number: number, votes: string[], score: number | null): [RunScript, AnnotationEntry[]] {
  const script = new RunScript(runName(number)).startSegment();
  for (const _ of votes) script.answer([ls]);
  if (score !== null) scored(script, score);
  return [script, votes.flatMap((each, index) => votesOn(index + 1, each, runName(number)))];
}

async function made(
  target: typeof rlanythingPolicy,
  runs: [RunScript, AnnotationEntry[]][],
  options: Partial<ExportOptions> = {},
  more: AnnotationEntry[] = [],
) {
  const planned = await plannedRows(
    runs.map(([script]) => script),
    [...runs.flatMap(([, entries]) => entries), ...more],
    options,
  );
  const result = await recordsOf(target, planned);
  return { ...result, planned, rows: result.records.map(({ value }) => value as unknown as Row) };
}

const rewardsOf = (rows: Row[]) => rows.map(({ run, step, reward }) => [Number(run.slice(-2)), step, reward]);

describe('policy rows', () => {
  it('reward a step against the same step of the other runs of the task', async () => {
    const runs = [
      runOf(1, ['kkk', 'kkm'], 100),
      runOf(2, ['kkk', 'mmm'], 0),
      runOf(3, ['kkk', 'kkk', 'kkk'], 90),
    ];
    const { rows, dropped, problems } = await made(rlanythingPolicy, runs);
    expect(problems).toEqual([]);
    // Step 1: 2, 0, 2. Step 2: 4/3, -2, 2. Step 3 is reached by one run: as it is.
    const by = new Map(rewardsOf(rows).map(([run, step, reward]) => [`${run} ${step}`, reward]));
    expect(by.get('1 1')).toBeCloseTo(Math.SQRT1_2, 9);
    expect(by.get('2 1')).toBeCloseTo(-Math.SQRT2, 9);
    const mean = (4 / 3 - 2 + 2) / 3;
    const deviation = Math.sqrt(((4 / 3 - mean) ** 2 + (-2 - mean) ** 2 + (2 - mean) ** 2) / 3);
    expect(by.get('2 2')).toBeCloseTo((-2 - mean) / deviation, 9);
    expect(by.get('3 3')).toBe(2);
    expect(dropped).toEqual([]);
    expect(rows[0]?.prompt.endsWith('<|im_start|>assistant\n')).toBe(true);
    expect(rows[0]?.response).toBe(
      'Thought 1\n<tool_call>\n{"name": "run_command", "arguments": {"command":"ls"}}\n</tool_call>',
    );
    const check = checkRecords('rlanything', rows, { form: 'array' });
    expect(check).toMatchObject({ rows: 7, problems: [] });
  });

  it('has three variants', async () => {
    // Integrated, step 2: both 0, so there is no row.
    const runs = [runOf(1, ['kkm', 'm'], 100), runOf(2, ['kkk', 'k'], 0)];
    const signals = ['outcome', 'step', 'integrated'] as const;
    const all = await Promise.all(signals.map((rewards) => made(rlanythingPolicy, runs, { rewards })));
    expect(all.map(({ rows }) => rows.map(({ raw_reward }) => raw_reward?.toFixed(3)))).toEqual([
      ['1.000', '1.000', '-1.000', '-1.000'],
      ['0.333', '-1.000', '1.000', '1.000'],
      ['1.333', '0.000'],
    ]);
  });

  it('leaves out tasks that are too easy or too hard, runs without a score, steps without votes, and counts them', async () => {
    const easy = await made(rlanythingPolicy, [runOf(1, ['k'], 100), runOf(2, ['k', 'm'], 100)]);
    expect([easy.rows, easy.dropped]).toEqual([
      [],
      [{ why: 'Too many or too few runs of the task succeed', count: 3 }],
    ]);
    const mixed = await made(rlanythingPolicy, [
      runOf(1, ['k', ''], 100),
      runOf(2, ['m', ''], 79.9),
      runOf(3, ['k', 'k'], null),
    ]);
    expect(rewardsOf(mixed.rows)).toEqual([
      [1, 1, 1],
      [2, 1, -1],
    ]);
    expect(mixed.dropped).toEqual([
      { why: 'The run has no final score', count: 2 },
      { why: 'No judge voted on the step', count: 2 },
    ]);
    // The outcome needs no votes.
    const outcome = await made(rlanythingPolicy, [runOf(1, ['k', ''], 100), runOf(2, ['m', ''], 0)], {
      rewards: 'outcome',
    });
    expect(outcome.rows).toHaveLength(4);
  });

  it('counts a reward of 0 and a step that a person masks, but keeps what only judges mask', async () => {
    const person = new EntryMaker('Ada', 'a', runName(1)).label(2, 'mask');
    const runs = [runOf(1, ['k', 'k', 'm'], 100), runOf(2, ['m', 'k', 'k'], 0)];
    // Step 1: judges alone mask it in run 2. Step 3: 1 - 1 = 0 and -1 + 1 = 0.
    const { rows, dropped, planned } = await made(rlanythingPolicy, runs, {}, [person]);
    expect(rewardsOf(rows)).toEqual([
      [1, 1, 1],
      [2, 1, -1],
      [2, 2, -1],
    ]);
    expect(planned.plan.runs[1]?.segments[0]?.steps[0]?.label).toMatchObject({
      value: 'mask',
      source: 'judge',
    });
    expect(dropped).toEqual([
      { why: 'The step is masked by a rule or a person', count: 1 },
      { why: 'The reward is 0: the runs do not differ at this step', count: 2 },
    ]);
  });

  it('compares runs of the same version of the same task only', async () => {
    const of = (number: number, hash: string, score: number) =>
      scored(
        new RunScript(runName(number), {
          task: { id: 't', title: 't', domain: null, hash: hash.repeat(64) },
        })
          .startSegment()
          .answer([ls]),
        score,
      );
    const entries = [1, 2, 3, 4].flatMap((number) => votesOn(1, 'k', runName(number)));
    const scripts = [of(1, 'a', 100), of(2, 'b', 0), of(3, 'a', 0), of(4, 'b', 100)];
    const { rows } = await made(
      rlanythingPolicy,
      scripts.map((script, index) => [script, index === 0 ? entries : []]),
    );
    expect(rewardsOf(rows)).toEqual([
      [1, 1, 1],
      [2, 1, -1],
      [3, 1, -1],
      [4, 1, 1],
    ]);
  });

  it('takes success from the task', async () => {
    const spec = { evaluation: { success_at: 0.5 } };
    const of = (number: number, score: number) =>
      scored(new RunScript(runName(number), { spec }).startSegment().answer([ls]), score);
    const { rows } = await made(rlanythingPolicy, [
      [of(1, 0.5), votesOn(1, 'k', runName(1))],
      [of(2, 0.4), votesOn(1, 'k', runName(2))],
    ]);
    expect(rewardsOf(rows)).toEqual([
      [1, 1, 1],
      [2, 1, -1],
    ]);
  });

  it('counts steps of a branch from where it left, and no summary turns', async () => {
    const parent = new RunScript(runName(1))
      .startSegment()
      .answer([ls])
      .answer([ls])
      .summarise()
      .answer([ls]);
    const branch = branchOf(parent, 2, runName(2)).answer([ls]).answer([ls]);
    const further = branchOf(branch, 4, runName(3)).answer([ls]);
    const { plan } = await plannedRows([parent, branch, further]);
    const places = stepPlaces([...plan.runs].reverse());
    expect([runName(1), runName(2), runName(3)].map((run) => [...(places.get(run) ?? [])])).toEqual([
      [
        [1, 1],
        [2, 2],
        [4, 3],
      ],
      [
        [3, 3],
        [4, 4],
      ],
      [[5, 5]],
    ]);
  });
});

describe('reward-model rows', () => {
  it('reward each vote within its step, an unparsable one by -2', async () => {
    const runs = [runOf(1, ['kmu'], 100), runOf(2, ['kkk'], 0)];
    const { rows, dropped, problems } = await made(rlanythingReward, runs);
    expect(problems).toEqual([]);
    // R = 1 + 0/3: raw 1, -1, -2.
    const deviation = Math.sqrt((25 + 1 + 16) / 27);
    expect(rows.map(({ reward }) => reward)).toEqual([
      expect.closeTo(5 / 3 / deviation, 9),
      expect.closeTo(-1 / 3 / deviation, 9),
      expect.closeTo(-4 / 3 / deviation, 9),
    ]);
    expect(rows.map(({ response }) => response)).toEqual([
      'because\n\n\\boxed{1}',
      'because\n\n\\boxed{-1}',
      'because',
    ]);
    expect(rows[0]?.prompt).toContain('Observation 1.0');
    expect(dropped).toEqual([
      { why: 'A vote that is worth as much as all others on the step, or is the only one', count: 3 },
    ]);
    expect(checkRecords('rlanything', rows, { form: 'array' })).toMatchObject({ rows: 3, problems: [] });
  });

  it('take tasks of which 0.2 to 0.8 succeed, and steps that judges voted on', async () => {
    const scores = [100, 100, 100, 100, 100, 0];
    const runs = scores.map((score, index) => runOf(index + 1, ['km'], score));
    const hard = await made(rlanythingReward, runs);
    expect([hard.rows.length, hard.dropped]).toEqual([
      0,
      [{ why: 'Too many or too few runs of the task succeed', count: 12 }],
    ]);
    expect((await made(rlanythingPolicy, runs)).rows.length).toBeGreaterThan(0);
    const fair = await made(rlanythingReward, [runOf(1, ['km', ''], 100), runOf(2, ['mk', 'k'], 0)]);
    expect(fair.rows).toHaveLength(4);
    expect(fair.dropped).toEqual([
      { why: 'A step on which no judge voted', count: 1 },
      { why: 'A vote that is worth as much as all others on the step, or is the only one', count: 1 },
    ]);
  });

  it('say nothing where a vote has neither verdict nor text', async () => {
    const [script, entries] = runOf(1, ['kmu'], 100);
    const last = entries.at(-1);
    if (last?.body.op !== 'judge') throw new Error('The last entry is no vote');
    last.body = { ...last.body, why: '' };
    const { rows, dropped } = await made(rlanythingReward, [[script, entries], runOf(2, [], 0)]);
    expect(rows).toHaveLength(2);
    expect(dropped).toEqual([{ why: 'A vote that could not be parsed and has no text', count: 1 }]);
  });
});

describe('votes on whether steps are good', () => {
  /** As `runOf`, with ratings of one judge. */
  function ratedRun(number: number, votes: string[], score: number | null): [RunScript, AnnotationEntry[]] {
    const [script] = runOf(number, votes, score);
    return [script, votes.flatMap((each, index) => ratingsOn(index + 1, each, runName(number)))];
  }

  it('reward as the same votes brought in as verdicts do, in every variant', async () => {
    const worlds: [string[], number][] = [
      [['kkm', 'kuu', 'mmm'], 100],
      [['mmk', 'kkk', ''], 0],
      [['kkk', 'm'], 90],
    ];
    for (const rewards of ['outcome', 'step', 'integrated'] as const) {
      for (const target of [rlanythingPolicy, rlanythingReward]) {
        const rated = worlds.map(([votes, score], at) => ratedRun(at + 1, votes, score));
        const judged = worlds.map(([votes, score], at) => runOf(at + 1, votes, score));
        const [ours, theirs] = [
          await made(target, rated, { rewards }),
          await made(target, judged, { rewards }),
        ];
        expect(ours.problems).toEqual([]);
        expect(rewardsOf(ours.rows)).toEqual(rewardsOf(theirs.rows));
        expect(ours.rows.map(({ response }) => response)).toEqual(
          theirs.rows.map(({ response }) => response),
        );
        expect(ours.dropped).toEqual(theirs.dropped);
      }
    }
  });

  it('are not mixed with verdicts on masks: where there are any, those count for nothing', async () => {
    const first = ratedRun(1, ['kkk', 'kkm'], 100);
    const second = ratedRun(2, ['mmm', ''], 0);
    const verdicts = [...votesOn(1, 'mmm', runName(1)), ...votesOn(2, 'kkk', runName(2))];
    const alone = await made(rlanythingPolicy, [first, second]);
    const beside = await made(rlanythingPolicy, [first, second], {}, verdicts);
    expect(rewardsOf(beside.rows)).toEqual(rewardsOf(alone.rows));
    expect(beside.dropped).toEqual([{ why: 'No judge voted on the step', count: 1 }]);
    const judged = await made(rlanythingReward, [first, second], {}, verdicts);
    expect(judged.rows.map(({ judge }) => judge)).toEqual(['Rater', 'Rater', 'Rater']);
    const facts = { plan: beside.planned.plan, dropped: [], files: [] } as unknown as Parameters<
      typeof rlanythingPolicy.readme
    >[0];
    expect(rlanythingPolicy.readme(facts)).toContain('judge run --mode reward');
  });
});

describe('rewards of random runs', () => {
  const world = fc.array(
    fc.record({
      votes: fc.array(fc.string({ unit: fc.constantFrom('k', 'm', 'u'), maxLength: 3 }), { maxLength: 4 }),
      score: fc.option(fc.constantFrom(0, 79, 80, 100), { freq: 6 }),
      task: fc.constantFrom('a', 'b'),
    }),
    { minLength: 2, maxLength: 7 },
  );

  it('are those of an implementation of its own in Python, and every step and vote is a row or counted', async () => {
    const worlds = fc.sample(world, { numRuns: 60, seed: 9 });
    const cases: unknown[] = [];
    const ours: unknown[] = [];
    for (const [index, runs] of worlds.entries()) {
      const signal = (['outcome', 'step', 'integrated'] as const)[index % 3] as RewardSignal;
      const scripts = runs.map(({ votes, score, task }, number): [RunScript, AnnotationEntry[]] => {
        const script = new RunScript(runName(number + 1), {
          task: { id: task, title: task, domain: null, hash: task.repeat(64) },
        }).startSegment();
        for (const _ of votes) script.answer([ls]);
        if (score !== null) scored(script, score);
        return [script, votes.flatMap((each, step) => votesOn(step + 1, each, runName(number + 1)))];
      });
      const policy = await made(rlanythingPolicy, scripts, { rewards: signal });
      const judged = await made(rlanythingReward, scripts, { rewards: signal });
      expect([...policy.problems, ...judged.problems]).toEqual([]);
      const left = (result: typeof policy, but = '') =>
        result.dropped.reduce((sum, { why, count }) => sum + (why === but ? 0 : count), 0);
      const steps = runs.reduce((sum, { votes }) => sum + votes.length, 0);
      const votes = runs.reduce((sum, each) => sum + each.votes.join('').length, 0);
      expect(policy.rows.length + left(policy)).toBe(steps);
      expect(judged.rows.length + left(judged, 'A step on which no judge voted')).toBe(votes);
      cases.push({ signal, runs });
      ours.push({
        policy: rewardsOf(policy.rows).map(([run, step, reward]) => [run, step, rounded(reward)]),
        judged: judged.rows.map(({ run, step, judge, reward }) => [
          ...[Number(run.slice(-2)), step, judge, rounded(reward)],
        ]),
      });
    }
    const { stdout, stderr } = spawnSync(
      'python3',
      [join(import.meta.dirname, '../../testing/loaders/rlanything-world.py')],
      { input: JSON.stringify(cases), encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(ours).toEqual(JSON.parse(stdout));
    expect(JSON.stringify(ours).length).toBeGreaterThan(3_000);
  }, 60_000);
});

function rounded(value: number | undefined): string {
  return Number(value).toFixed(6);
}
