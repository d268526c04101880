import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/annotations';
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

/** The range cut at branch points, ascending. */
export async function ownTargets(
  reader: Pick<Store['reader'], 'run'>,
  { run, from, to }: AnnotationTarget,
): Promise<AnnotationTarget[]> {
  const targets: AnnotationTarget[] = [];
  for (let owner = run, last = to; from <= last; ) {
    const { parent } = await reader.run(owner);
    const first = Math.max(from, (parent?.step ?? 0) + 1);
    if (first <= last) targets.unshift({ run: owner, from: first, to: last });
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
