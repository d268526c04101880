/** The writer asks once per transaction for the time: it gets what belongs to it, in the order of asking. */
export class StampQueue {
  private readonly waiting: number[] = [];

  constructor(private last: number) {}

  add(at: number): void {
    this.waiting.push(at);
  }

  next(): number {
    this.last = this.waiting.shift() ?? this.last;
    return this.last;
  }
}
