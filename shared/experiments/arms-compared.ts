import { type Figure, figureOf } from './figures';
import { type ArmSummary, type Measure, measures, unknownIn } from './summary';

/** What an arm came to against another one, over the tasks that both have: this arm less the other. */
export interface ArmDifference {
  arm: string | null;
  base: string | null;
  /** Tasks of both. */
  tasks: number;
  /** Over those tasks, the difference of the means of each task's runs; a task that lacks a value on one side is `unknown`. */
  figures: Record<Measure, Figure>;
  /** Of those tasks: final score above, below, and equal to that of the other arm. */
  better: number;
  worse: number;
  same: number;
}

/** The arm that others are held against: the first that gave no help at all, else the first without people's hints, else the first. */
export function baseArm(arms: readonly ArmSummary[]): ArmSummary | undefined {
  const unhinted = arms.filter(({ humanHints }) => humanHints.every((word) => word === 'off'));
  return (
    unhinted.find(({ taskHints }) => taskHints.every((word) => word === 'off')) ?? unhinted[0] ?? arms[0]
  );
}

/** Every other arm against `base`, task by task, so that an arm with other tasks is not compared by their difficulty. */
export function armsAgainst(arms: readonly ArmSummary[], base: string | null): ArmDifference[] {
  const against = arms.find(({ arm }) => arm === base);
  if (against === undefined) return [];
  return arms.flatMap((arm) => (arm.arm === base ? [] : [difference(arm, against)]));
}

function difference(arm: ArmSummary, base: ArmSummary): ArmDifference {
  const pairs = arm.byTask.flatMap((mine) => {
    const theirs = base.byTask.find(({ task }) => task === mine.task);
    return theirs === undefined ? [] : [[mine.figures, theirs.figures] as const];
  });
  const differences = (measure: Measure) =>
    pairs.map(([mine, theirs]) => {
      const [one, other] = [mine[measure].overRuns.mean, theirs[measure].overRuns.mean];
      return one === null || other === null ? null : one - other;
    });
  const finals = differences('final').filter((value) => value !== null);
  return {
    arm: arm.arm,
    base: base.arm,
    tasks: pairs.length,
    figures: Object.fromEntries(
      measures.map((measure) => [measure, figureOf(differences(measure), unknownIn(measure))]),
    ) as Record<Measure, Figure>,
    better: finals.filter((value) => value > 0).length,
    worse: finals.filter((value) => value < 0).length,
    same: finals.filter((value) => value === 0).length,
  };
}
