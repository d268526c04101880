/** Height of a timeline row and of one note under it, px (the mock's anatomy). */
export const ROW = 28;

/**
 * Where each row of a virtual list begins. Every row is `ROW` high plus the notes under it; only rows with notes
 * take memory, so 350,000 rows cost nothing.
 */
export class RowLayout {
  private rows: number[] = [];
  private extras: number[] = [];
  private sums: number[] = [0];

  constructor(public count: number) {}

  /** Sets the extra height under row `index` (0-based). @returns what the rows after it moved by, px. */
  set(index: number, extra: number): number {
    const at = lowerBound(this.rows, index);
    const known = this.rows[at] === index;
    const before = known ? (this.extras[at] ?? 0) : 0;
    if (before === extra) return 0;
    if (extra === 0) {
      this.rows.splice(at, 1);
      this.extras.splice(at, 1);
    } else if (known) {
      this.extras[at] = extra;
    } else {
      this.rows.splice(at, 0, index);
      this.extras.splice(at, 0, extra);
    }
    this.sums.length = at + 1;
    for (let i = at; i < this.extras.length; i++) this.sums.push((this.sums[i] ?? 0) + (this.extras[i] ?? 0));
    return extra - before;
  }

  /** Top edge of row `index`, px. */
  top(index: number): number {
    return index * ROW + (this.sums[lowerBound(this.rows, index)] ?? 0);
  }

  height(index: number): number {
    return this.top(index + 1) - this.top(index);
  }

  get total(): number {
    return this.top(this.count);
  }

  /** The row under a distance from the top, clamped to the rows there are. */
  at(px: number): number {
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= px) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
