import { Duplex } from 'node:stream';

/** Two ends of one pipe within this process: what is written to one is read from the other, as bytes with back pressure. */
export function streamPair(): [Duplex, Duplex] {
  const left = new PairEnd();
  const right = new PairEnd();
  left.other = right;
  right.other = left;
  return [left, right];
}

class PairEnd extends Duplex {
  other: PairEnd | undefined;
  private goOn: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: false });
  }

  override _read(): void {
    const goOn = this.goOn;
    this.goOn = undefined;
    goOn?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const { other } = this;
    if (!other || other.destroyed || other.push(chunk)) done();
    else other.goOn = done;
  }

  override _final(done: () => void): void {
    this.other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.other && !this.other.destroyed && !this.other.readableEnded) this.other.push(null);
    done(error);
  }
}
