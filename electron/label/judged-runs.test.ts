import { expect, it } from 'vitest';
import { drivenRuns } from '../testing/driven-runs';
import { heldOutRun } from '../testing/held-out-run';
import { outsiderRuns } from '../testing/outsider-runs';
import { verdictsOf } from '../testing/rule-run';

it('masks no step of the two hand-read runs that should train, and every fault that a rule can see', () => {
  const [whole, branch] = drivenRuns();
  expect([whole?.figures(), branch?.figures()]).toEqual([
    { softMasks: [4, 4], keeps: [3, 3], caught: [13, 13], wrong: [] },
    { softMasks: [0, 0], keeps: [0, 0], caught: [1, 1], wrong: [] },
  ]);
  const kept = verdictsOf(whole?.run.script.events ?? [], { rules: {} }).flatMap(({ verdict }) =>
    verdict.effect === 'keep' ? [verdict.rule] : [],
  );
  expect(kept).toEqual(['keep-debugging', 'keep-debugging', 'keep-backup']);
});

it('reads a run that nobody tuned to as a person does', () => {
  const { softMasks, keeps, caught, wrong } = heldOutRun().figures();
  process.stdout.write(
    `held-out run: soft masks ${softMasks.join(' of ')}, keeps ${keeps.join(' of ')}, faults caught ${caught.join(' of ')}; wrong: ${wrong.join('; ') || 'none'}\n`,
  );
  expect((softMasks[0] ?? 0) / (softMasks[1] || 1)).toBeGreaterThanOrEqual(0.95);
  expect((keeps[0] ?? 0) / (keeps[1] || 1)).toBeGreaterThanOrEqual(0.95);
  expect((caught[0] ?? 0) / (caught[1] || 1)).toBeGreaterThanOrEqual(0.9);
});

it('agrees with an outsider who had read no rule, over 100 steps', () => {
  const runs = outsiderRuns().map((judged) => judged.figures());
  const share = (what: 'softMasks' | 'keeps' | 'caught') => {
    const right = runs.reduce((sum, run) => sum + run[what][0], 0);
    return right / runs.reduce((sum, run) => sum + run[what][1], 0);
  };
  const wrong = runs.flatMap((run) => run.wrong).join('; ');
  expect(share('softMasks'), wrong).toBeGreaterThanOrEqual(0.95);
  expect(share('keeps'), wrong).toBeGreaterThanOrEqual(0.95);
  expect(share('caught'), wrong).toBeGreaterThanOrEqual(0.9);
});
