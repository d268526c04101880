import { createHash } from 'node:crypto';

/** What the first entry of every chain follows. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Link of a hash chain: sha256(previous hash ‖ stored bytes). */
export function chainHash(previous: Uint8Array, stored: string): Buffer {
  return createHash('sha256').update(previous).update(stored, 'utf8').digest();
}
