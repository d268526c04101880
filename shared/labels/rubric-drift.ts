import type { AnnotationEntry, LabelValue } from '../log/annotations';
import { type Estimate, shareOf } from './agreement';
import { isUnparsable } from './judge-agreement';

/** What became of a judge's verdicts when it was asked again by another rubric: on steps that it judged by both. */
export interface RubricDrift {
  judge: string;
  /** Versions of the rubrics, in the order in which the judge first voted by them. */
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

type Verdict = 'mask' | 'keep';

/**
 * For each judge and each two rubrics that it used one after the other, what changed. Of several votes on a step by the same
 * rubric the last one counts; one that was taken back or could not be understood counts for nothing.
 */
export function rubricDrift(runs: Iterable<JudgedEntries>): RubricDrift[] {
  const judges = new Map<string, Map<string, Map<string, Verdict>>>();
  const truths = new Map<string, LabelValue | null>();
  for (const { entries, truth } of runs) {
    for (const { author, body, target } of entries) {
      if (body.op !== 'judge' || body.rubric === '') continue;
      const rubrics = judges.get(author.name) ?? new Map<string, Map<string, Verdict>>();
      judges.set(author.name, rubrics);
      const said = rubrics.get(body.rubric) ?? new Map<string, Verdict>();
      rubrics.set(body.rubric, said);
      for (let step = target.from; step <= target.to; step += 1) {
        const key = `${target.run} ${step}`;
        if (body.value === 'withdrawn' || isUnparsable(body)) said.delete(key);
        else said.set(key, body.value);
        if (!truths.has(key)) truths.set(key, truth(step));
      }
    }
  }
  return [...judges].flatMap(([judge, rubrics]) => {
    const used = [...rubrics];
    return used.slice(1).flatMap(([after, now], at) => {
      const [before, then] = used[at] ?? ['', new Map<string, Verdict>()];
      const both = [...now.keys()].filter((key) => then.has(key));
      if (both.length === 0) return [];
      const moved = (from: Verdict) => both.filter((key) => then.get(key) === from && now.get(key) !== from);
      const known = both.filter((key) => truths.get(key) != null);
      const compared = (said: ReadonlyMap<string, Verdict>) => {
        const masked = known.filter((key) => said.get(key) === 'mask');
        const wrong = known.filter((key) => truths.get(key) === 'mask');
        const found = masked.filter((key) => truths.get(key) === 'mask').length;
        return { precision: shareOf(found, masked.length), recall: shareOf(found, wrong.length) };
      };
      const [old, fresh] = [compared(then), compared(now)];
      return [
        {
          ...{ judge, before, after, steps: both.length },
          ...{ toMask: moved('keep').length, toKeep: moved('mask').length },
          precision: { before: old.precision, after: fresh.precision },
          recall: { before: old.recall, after: fresh.recall },
        },
      ];
    });
  });
}
