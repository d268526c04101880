import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';

/** A child's input and output as one stream of bytes, with back pressure. Destroying it closes both. */
export class ChildStream extends Duplex {
  private readonly child: ChildProcessWithoutNullStreams;
  private deafTo: string | undefined;
  private deaf = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    super({ allowHalfOpen: true });
    this.child = child;
    child.stdout.on('data', (piece: Buffer) => {
      if (!this.deaf && !this.push(piece)) child.stdout.pause();
    });
    child.stdout.on('end', () => this.push(null));
    // Writing to a child that is gone: its end is what tells.
    child.stdin.on('error', () => undefined);
    child.on('close', () => this.destroy());
  }

  /** From the next request of that kind on nothing of what the child says arrives any more. */
  loseAnswersFrom(op: string): void {
    this.deafTo = `\t${op}`;
  }

  override _read(): void {
    this.child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.deafTo !== undefined && chunk.includes(this.deafTo)) this.deaf = true;
    // A reader that is gone shows at the other end.
    this.child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    done(error);
  }
}
