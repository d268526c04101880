const KEEP = 64 * 1024;
const LAST_LINE = 1024 * 1024;

/** What a process prints and complains, as it came: beginning and end when it is long, and its last printed line. */
export class KeptOutput {
  private readonly head: Buffer[] = [];
  private readonly tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private cut = 0;
  private lines = Buffer.alloc(0);

  /** From stdout. */
  printed(chunk: Buffer): void {
    this.complained(chunk);
    this.lines = Buffer.concat([this.lines, chunk]);
    if (this.lines.length > LAST_LINE) this.lines = this.lines.subarray(this.lines.length - LAST_LINE);
  }

  /** From stderr. */
  complained(chunk: Buffer): void {
    const first = chunk.subarray(0, Math.max(0, KEEP - this.headBytes));
    if (first.length > 0) {
      this.head.push(first);
      this.headBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    while (this.tailBytes - (this.tail[0]?.length ?? 0) > KEEP) {
      const gone = this.tail.shift()?.length ?? 0;
      this.tailBytes -= gone;
      this.cut += gone;
    }
  }

  text(): { output: string; lastLine: string } {
    const middle = this.cut > 0 ? `\n... ${this.cut} bytes left out ...\n` : '';
    const [head, tail] = [this.head, this.tail].map((parts) => Buffer.concat(parts).toString('utf8'));
    const lines = this.lines
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    return { output: `${head}${middle}${tail}`, lastLine: lines.at(-1)?.trim() ?? '' };
  }
}
