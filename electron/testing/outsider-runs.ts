import type { JudgedRun } from './judged-run';
import { dataRun } from './outsider/data-run';
import { rewardRun } from './outsider/reward-run';
import { scaffoldRun } from './outsider/scaffold-run';

/**
 * 100 steps by somebody who knew the meaning of the labels and appendix E of APOLLO, and had read no rule. The verdicts stand
 * as they were written: where a rule disagrees, the rule is wrong or the disagreement stays and is counted.
 */
export function outsiderRuns(): JudgedRun[] {
  const runs = [rewardRun(), dataRun(), scaffoldRun()];
  const steps = runs.reduce((all, { run }) => all + run.step, 0);
  if (steps !== 100) throw new RangeError(`The runs have ${steps} steps.`);
  return runs;
}
