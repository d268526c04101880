import { partsOf } from '../contract/step-range';
import type { AnnotationEntry, LabelValue } from '../log/annotations';
import { type Estimate, shareOf } from './agreement';
import { isUnparsable } from './judge-agreement';

/** What became of a judge's verdicts when it was asked again by another rubric: on steps that it judged by both. */
export interface RubricDrift {
  judge: string;
  /** Versions of the rubrics. */
  before: string;
  after: string;
  /** Steps that it judged by both. */
  steps: number;
  /** Of these, those that it kept before and masks now, and the other way round. */
  toMask: number;
  toKeep: number;
  /** Of the masks by each rubric on these steps, those that people mask too; and of people's masks, the ones that it found. */
  precision: { before: Estimate | null; after: Estimate | null };
  recall: { before: Estimate | null; after: Estimate | null };
}

/** Entries about one run, in the order they were stored, and what people say of a step of it. */
export interface JudgedEntries {
  entries: readonly AnnotationEntry[];
  truth(step: number): LabelValue | null;
}

interface Verdict {
  rubric: string;
  value: 'mask' | 'keep';
}

/** One step that a judge decided by one rubric and then by another. */
interface Change {
  before: Verdict['value'];
  after: Verdict['value'];
  truth: LabelValue | null;
}

/**
 * For each judge, and each two rubrics by which it judged the same steps one after the other, what changed; step by step, because
 * steps and summaries have rubrics of their own. Of several votes on a step by the same rubric in a row the last one counts; one
 * that was taken back or could not be understood counts for nothing.
 */
export function rubricDrift(runs: Iterable<JudgedEntries>): RubricDrift[] {
  const found = new Map<string, Pick<RubricDrift, 'judge' | 'before' | 'after'> & { changes: Change[] }>();
  for (const { entries, truth } of runs) {
    for (const { judge, step, verdicts } of verdictsIn(entries)) {
      for (const [at, { rubric, value }] of verdicts.slice(1).entries()) {
        const earlier = verdicts[at];
        if (earlier === undefined || earlier.rubric === '' || rubric === '') continue;
        const pair = { judge, before: earlier.rubric, after: rubric };
        const key = JSON.stringify(pair);
        const all = found.get(key) ?? { ...pair, changes: [] };
        found.set(key, all);
        all.changes.push({ before: earlier.value, after: value, truth: truth(step) });
      }
    }
  }
  return [...found.values()].map(({ changes, ...pair }) => {
    const known = changes.filter(({ truth }) => truth !== null);
    const [before, after] = [compared(known, 'before'), compared(known, 'after')];
    return {
      ...pair,
      steps: changes.length,
      toMask: changes.filter((each) => each.before === 'keep' && each.after === 'mask').length,
      toKeep: changes.filter((each) => each.before === 'mask' && each.after === 'keep').length,
      precision: { before: before.precision, after: after.precision },
      recall: { before: before.recall, after: after.recall },
    };
  });
}

function compared(
  known: readonly Change[],
  when: 'before' | 'after',
): { precision: Estimate | null; recall: Estimate | null } {
  const masked = known.filter((each) => each[when] === 'mask');
  const wrong = known.filter(({ truth }) => truth === 'mask').length;
  const right = masked.filter(({ truth }) => truth === 'mask').length;
  return { precision: shareOf(right, masked.length), recall: shareOf(right, wrong) };
}

/** What each judge said of each step, one verdict for each time that its rubric changed, oldest first. */
function* verdictsIn(
  entries: readonly AnnotationEntry[],
): Generator<{ judge: string; step: number; verdicts: Verdict[] }> {
  const judges = new Map<string, Map<number, Verdict[]>>();
  // What a merge brought was stored later than it was said.
  for (const { author, body, target } of [...entries].sort((one, other) => one.at - other.at)) {
    if (body.op !== 'judge') continue;
    const { rubric, value } = body;
    const steps = judges.get(author.name) ?? new Map<number, Verdict[]>();
    judges.set(author.name, steps);
    for (const { from, to } of partsOf(target)) {
      for (let step = from; step <= to; step += 1) {
        const verdicts = steps.get(step) ?? [];
        steps.set(step, verdicts);
        if (value === 'withdrawn' || verdicts.at(-1)?.rubric === rubric) verdicts.pop();
        if (value !== 'withdrawn' && !isUnparsable(body)) verdicts.push({ rubric, value });
      }
    }
  }
  for (const [judge, steps] of judges) {
    for (const [step, verdicts] of steps) yield { judge, step, verdicts };
  }
}
