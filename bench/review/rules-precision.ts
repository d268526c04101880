import { drivenRuns } from '../../electron/testing/driven-runs';
import { heldOutRun } from '../../electron/testing/held-out-run';
import type { RuleFigures } from '../../electron/testing/judged-run';
import { outsiderRuns } from '../../electron/testing/outsider-runs';
import { type Bench, figure } from '../harness';

/** The rules on runs that were judged step by step before a rule was asked. */
export const rulesPrecision: Bench = {
  name: 'rules-precision',
  about: 'what rules say of runs that nobody tuned them to, against what a person said first',
  run() {
    const runs = [...drivenRuns(), heldOutRun(), ...outsiderRuns()].map((judged) => judged.figures());
    const wrong = runs.flatMap((run) => run.wrong).join('; ');
    const ratio = (name: string, of: 'softMasks' | 'keeps' | 'caught', bar: number) => {
      const [right, all] = sum(runs, of);
      const detail = `${right} of ${all}${wrong === '' ? '' : `; ${wrong}`}`;
      return figure(name, right / all, '', { is: '≥', value: bar }, { detail });
    };
    return Promise.resolve([
      ratio('rules-masks-precision', 'softMasks', 0.95),
      ratio('rules-keeps-precision', 'keeps', 0.95),
      ratio('rules-recall', 'caught', 0.9),
    ]);
  },
};

function sum(runs: readonly RuleFigures[], of: 'softMasks' | 'keeps' | 'caught'): [number, number] {
  return runs.reduce<[number, number]>(([right, all], run) => [right + run[of][0], all + run[of][1]], [0, 0]);
}
