const smallest = 32 * 1024;
const largest = 1024 * 1024;
const quickMs = 100;
const slowMs = 400;

/**
 * How large the pieces of a large transfer are: large where the way is fast, small where it is slow, because keys and
 * looks wait behind the pieces that are under way.
 */
export class TransferPace {
  private bytesAtATime = 256 * 1024;

  get pieceBytes(): number {
    return this.bytesAtATime;
  }

  /** Told how long a piece of the present size took, queueing included. */
  took(ms: number): void {
    if (ms < quickMs) this.bytesAtATime = Math.min(largest, this.bytesAtATime * 2);
    else if (ms > slowMs) this.bytesAtATime = Math.max(smallest, this.bytesAtATime / 2);
  }
}

/**
 * Goes through `[from, to)` in pieces, `atOnce` of them under way at a time. The first failure stops the rest from
 * beginning and is thrown once nothing is under way.
 */
export async function inPieces(
  from: number,
  to: number,
  pace: TransferPace,
  atOnce: number,
  move: (offset: number, length: number) => Promise<void>,
): Promise<void> {
  let next = from;
  const failures: unknown[] = [];
  const worker = async () => {
    while (next < to && failures.length === 0) {
      const offset = next;
      const length = Math.min(pace.pieceBytes, to - offset);
      next += length;
      const started = performance.now();
      try {
        await move(offset, length);
        pace.took(performance.now() - started);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
