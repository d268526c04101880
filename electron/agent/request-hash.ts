import { createHash, type Hash } from 'node:crypto';
import type { ContextFold, RequestExtras } from '@shared/context/context';

/**
 * sha256 and length of the exact request body without serialising or hashing the stable prefix again: the hash
 * state over the closed chunks is kept and copied, so a step costs its own messages only.
 */
export class RequestHash {
  private chunks: readonly string[] | null = null;
  private hashed = 0;
  private hash: Hash = createHash('sha256');
  private bytes = 0;

  constructor(private readonly fold: ContextFold) {}

  /** Hash (hex) and byte length of `fold.requestBody(extras)`. */
  of(extras: RequestExtras): { sha256: string; bytes: number } {
    const { closed } = this.fold;
    if (this.chunks !== closed) {
      this.chunks = closed;
      this.hashed = 0;
      this.hash = createHash('sha256');
      this.bytes = 0;
    }
    for (; this.hashed < closed.length; this.hashed += 1) {
      const chunk = closed[this.hashed] ?? '';
      this.hash.update(chunk, 'utf8');
      this.bytes += Buffer.byteLength(chunk, 'utf8');
    }
    const open = this.fold.openText(extras);
    return {
      sha256: this.hash.copy().update(open, 'utf8').digest('hex'),
      bytes: this.bytes + Buffer.byteLength(open, 'utf8'),
    };
  }
}
