import type { RecordMaker, TargetDrop } from './target';

/** Counts what is left out, by reason. */
export class DropCounts<Reason extends string> {
  private counts = new Map<Reason, number>();

  /** `words`: what people read of each reason. */
  constructor(private readonly words: Readonly<Record<Reason, string>>) {}

  add(reason: Reason, count = 1): void {
    if (count > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
  }

  /** For `RecordMaker.save` and `restore`. */
  save(): [Reason, number][] {
    return [...this.counts];
  }

  restore(saved: readonly [Reason, number][]): void {
    this.counts = new Map(saved);
  }

  /** In the order of the words, whatever came first. */
  list(): TargetDrop[] {
    return (Object.keys(this.words) as Reason[]).flatMap((reason) => {
      const count = this.counts.get(reason);
      return count === undefined ? [] : [{ why: this.words[reason], count }];
    });
  }
}

/** A maker that remembers nothing of the rows but what `records` left out. */
export function countingMaker<Reason extends string>(
  drops: DropCounts<Reason>,
  records: RecordMaker['records'],
): RecordMaker {
  return {
    records,
    dropped: () => drops.list(),
    save: () => drops.save(),
    restore: (saved) => drops.restore(saved as [Reason, number][]),
  };
}
