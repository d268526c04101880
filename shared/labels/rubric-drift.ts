import { partsOf, type StepRange } from '../contract/step-range';
import type { AnnotationEntry, LabelValue } from '../log/annotations';
import { type Estimate, shareOf } from './agreement';
import { isUnparsable } from './step-truth';

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

/** Entries about one run, the steps that are looked at, and what people say of one. */
export interface JudgedEntries {
  entries: readonly AnnotationEntry[];
  within: readonly StepRange[];
  truth(step: number): LabelValue | null;
}

type JudgeEntry = AnnotationEntry & { body: { op: 'judge' } };

/** A verdict, and those that it took the place of: several where two that had not seen each other were merged. */
interface Verdict {
  entry: JudgeEntry;
  before: readonly Verdict[];
}

/** One step that a judge decided by one rubric and then by another; null: it did not. */
export interface StepDrift {
  before: string | null;
  after: string | null;
  truth: LabelValue | null;
}

/**
 * For each judge, and each two rubrics by which it judged the same steps one after the other, what changed; step by step, because
 * steps and summaries have rubrics of their own. What came first is told by what a vote had seen (`supersedes`), never by a clock.
 * Of several votes on a step by the same rubric in a row the last one counts; one that was taken back, could not be understood or
 * names no rubric counts for nothing.
 */
export function rubricDrift(runs: Iterable<JudgedEntries>): RubricDrift[] {
  const fold = new DriftFold();
  for (const run of runs) fold.add(run);
  return fold.figures();
}

/** The same, bit by bit: each step belongs to one bit, with all that was said of it. */
export class DriftFold {
  private readonly found = new Map<
    string,
    Pick<RubricDrift, 'judge' | 'before' | 'after'> & { changes: StepDrift[] }
  >();

  add({ entries, within, truth }: JudgedEntries): void {
    for (const { step, votes } of votesIn(entries, within)) {
      for (const { entry, before } of changesOf(votes)) {
        for (const earlier of before) {
          const pair = {
            judge: entry.author.name,
            before: earlier.entry.body.rubric,
            after: entry.body.rubric,
          };
          const key = JSON.stringify(pair);
          const all = this.found.get(key) ?? { ...pair, changes: [] };
          this.found.set(key, all);
          all.changes.push({
            before: earlier.entry.body.value,
            after: entry.body.value,
            truth: truth(step),
          });
        }
      }
    }
  }

  figures(): RubricDrift[] {
    return [...this.found.values()].map(({ changes, ...pair }) => ({
      ...pair,
      steps: changes.length,
      ...driftFigures(changes),
    }));
  }
}

/** How many verdicts changed, and how far the masks before and after agree with people. */
export function driftFigures(
  changes: readonly StepDrift[],
): Pick<RubricDrift, 'toMask' | 'toKeep' | 'precision' | 'recall'> {
  const known = changes.filter(({ truth }) => truth !== null);
  const [before, after] = [compared(known, 'before'), compared(known, 'after')];
  return {
    toMask: changes.filter((each) => each.before === 'keep' && each.after === 'mask').length,
    toKeep: changes.filter((each) => each.before === 'mask' && each.after === 'keep').length,
    precision: { before: before.precision, after: after.precision },
    recall: { before: before.recall, after: after.recall },
  };
}

function compared(
  all: readonly StepDrift[],
  when: 'before' | 'after',
): { precision: Estimate | null; recall: Estimate | null } {
  const known = all.filter((each) => each[when] !== null);
  const masked = known.filter((each) => each[when] === 'mask');
  const wrong = known.filter(({ truth }) => truth === 'mask').length;
  const right = masked.filter(({ truth }) => truth === 'mask').length;
  return { precision: shareOf(right, masked.length), recall: shareOf(right, wrong) };
}

/** The votes of each judge on each step, in any order. */
function* votesIn(
  entries: readonly AnnotationEntry[],
  within: readonly StepRange[],
): Generator<{ step: number; votes: JudgeEntry[] }> {
  const judges = new Map<string, Map<number, JudgeEntry[]>>();
  for (const entry of entries) {
    if (!isVote(entry)) continue;
    const steps = judges.get(entry.author.uuid) ?? new Map<number, JudgeEntry[]>();
    judges.set(entry.author.uuid, steps);
    for (const { from, to } of partsOf(entry.target)) {
      for (const asked of within) {
        for (let step = Math.max(from, asked.from); step <= Math.min(to, asked.to); step += 1) {
          const votes = steps.get(step);
          if (votes === undefined) steps.set(step, [entry]);
          else votes.push(entry);
        }
      }
    }
  }
  for (const steps of judges.values()) {
    for (const [step, votes] of steps) yield { step, votes };
  }
}

const isVote = (entry: AnnotationEntry): entry is JudgeEntry => entry.body.op === 'judge';

/** Verdicts that stand or were replaced by another rubric's, each with those it took the place of, oldest first. */
function changesOf(votes: readonly JudgeEntry[]): Verdict[] {
  const byId = new Map(votes.map((entry) => [entry.ulid, entry]));
  /** What stood right after each vote. */
  const after = new Map<string, readonly Verdict[]>();
  const open = [...byId.values()].reverse();
  const visiting = new Set<string>();
  for (let entry = open.at(-1); entry !== undefined; entry = open.at(-1)) {
    const { ulid } = entry;
    const seen = entry.supersedes.flatMap((id) => byId.get(id) ?? []);
    const unread = seen.filter((each) => !after.has(each.ulid) && !visiting.has(each.ulid));
    if (unread.length > 0 && !visiting.has(ulid)) {
      visiting.add(ulid);
      open.push(...unread);
      continue;
    }
    open.pop();
    if (after.has(ulid)) continue;
    after.set(ulid, standingAfter(entry, new Set(seen.flatMap((each) => after.get(each.ulid) ?? []))));
  }
  const replaced = new Set(votes.flatMap(({ supersedes }) => supersedes));
  const changes = new Set<Verdict>();
  const left = [...byId.keys()].filter((id) => !replaced.has(id)).flatMap((id) => after.get(id) ?? []);
  for (let verdict = left.pop(); verdict !== undefined; verdict = left.pop()) {
    if (changes.has(verdict)) continue;
    changes.add(verdict);
    left.push(...verdict.before);
  }
  return [...changes].reverse();
}

function standingAfter(entry: JudgeEntry, before: ReadonlySet<Verdict>): readonly Verdict[] {
  const { value, rubric } = entry.body;
  const takes = (verdict: Verdict) =>
    value === 'withdrawn'
      ? entry.supersedes.includes(verdict.entry.ulid)
      : verdict.entry.body.rubric === rubric;
  const left = new Set([...before].flatMap((verdict) => (takes(verdict) ? verdict.before : [verdict])));
  if (value === 'withdrawn' || rubric === '' || isUnparsable(entry.body)) return [...left];
  return [{ entry, before: [...left] }];
}
