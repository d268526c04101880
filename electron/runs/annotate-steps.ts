import {
  type AnnotationEntry,
  type AnnotationOp,
  type AnnotationTarget,
  type Author,
  type LabelValue,
  partsOf,
  targetOf,
} from '@shared/annotations';
import { liftNeedsReason } from '@shared/effective-label';
import { WaymarkError } from '@shared/errors';
import type { Store } from '../store/api';

/**
 * Writes a decision about steps where the steps are: those before a branch point belong to the run they were made in, and are
 * labelled there for every branch. One entry per run, the nearest last. @throws WaymarkError not_found
 */
export async function annotateSteps(
  store: Pick<Store, 'reader' | 'writer'>,
  author: Author,
  target: AnnotationTarget,
  op: AnnotationOp,
): Promise<AnnotationEntry> {
  const targets = await ownTargets(store.reader, target);
  let entry: AnnotationEntry | null = null;
  for (const own of targets) entry = await store.writer.annotate(author, own, op);
  if (entry === null) throw new WaymarkError('bad_input', 'No step was named.');
  return entry;
}

/** The target cut at branch points, ascending. */
export async function ownTargets(
  reader: Pick<Store['reader'], 'run'>,
  target: AnnotationTarget,
): Promise<AnnotationTarget[]> {
  const { run, from, to } = target;
  const targets: AnnotationTarget[] = [];
  for (let owner = run, last = to; from <= last; ) {
    const { parent } = await reader.run(owner);
    const first = Math.max(from, (parent?.step ?? 0) + 1);
    const pieces = partsOf(target).filter((part) => part.from <= last && part.to >= first);
    const own = targetOf(
      owner,
      pieces.map((part) => ({ from: Math.max(part.from, first), to: Math.min(part.to, last) })),
    );
    if (own !== null) targets.unshift(own);
    if (parent === null) break;
    owner = parent.run;
    last = Math.min(last, parent.step);
  }
  return targets;
}

/**
 * In which run a person's latest decisions about a branch were written, so that undo takes back what was done last even when
 * that was about an inherited step. Kept for as long as the window is open; without it undo speaks of the branch itself.
 */
export class DecisionTrail {
  private readonly done = new Map<string, string[]>();
  private readonly undone = new Map<string, string[]>();

  wrote(run: string, { target }: AnnotationEntry): void {
    push(this.done, run, target.run);
    this.undone.delete(run);
  }

  /** Whose entry an undo in this run's window is about. */
  undo(run: string): string {
    const owner = this.done.get(run)?.pop() ?? run;
    push(this.undone, run, owner);
    return owner;
  }

  redo(run: string): string {
    const owner = this.undone.get(run)?.pop() ?? run;
    push(this.done, run, owner);
    return owner;
  }
}

const most = 1_000;

function push(trail: Map<string, string[]>, run: string, owner: string): void {
  trail.set(run, [...(trail.get(run) ?? []), owner].slice(-most));
}

/**
 * Adjudicates: the last word about steps people or machines differ about. Whoever decides this way is asked for the reason that
 * lifting a hard mask needs, so that no step is left with an adjudication that changes nothing. @throws WaymarkError refused
 */
export async function adjudicateSteps(
  store: Pick<Store, 'reader' | 'writer'>,
  author: Author,
  target: AnnotationTarget,
  { value, reason }: { value: LabelValue; reason: string | null },
): Promise<AnnotationEntry> {
  if (value === 'train' && (reason ?? '').trim() === '') await refuseHardMasks(store.reader, target);
  return annotateSteps(store, author, target, { op: 'adjudicate', value, reason });
}

/** A page of heads. */
const PAGE = 200;

async function refuseHardMasks(
  reader: Pick<Store['reader'], 'heads' | 'step'>,
  target: AnnotationTarget,
): Promise<void> {
  for (const { from, to } of partsOf(target)) {
    for (let first = from; first <= to; first += PAGE) {
      for (const { step, rules } of await reader.heads(target.run, first, Math.min(to, first + PAGE - 1))) {
        const verdicts = rules.length === 0 ? [] : (await reader.step(target.run, step)).labels.rules;
        const hard = verdicts.find((verdict) => liftNeedsReason([verdict]));
        if (hard !== undefined) {
          throw new WaymarkError(
            'refused',
            `Step ${step} is masked by ${hard.rule}, which only a person with a reason lifts. Give a reason.`,
          );
        }
      }
    }
  }
}
