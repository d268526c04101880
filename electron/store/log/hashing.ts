import { createHash } from 'node:crypto';

/** What the first entry of every chain follows. */
export const CHAIN_START: Buffer = Buffer.alloc(32);
export const CHAIN_START_LINK = CHAIN_START.toString('hex');

/** Stands for the link of an entry that is lost with its row: nothing proves the entry behind it. */
export const LINK_LOST: Buffer = Buffer.alloc(32, 0xff);
export const LOST = LINK_LOST.toString('hex');

export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Link of a hash chain: sha256(previous hash ‖ stored bytes). `head`: what of them comes before `stored`; not joined to it first. */
export function chainHash(previous: Uint8Array, stored: string, head?: string): Buffer {
  const hash = createHash('sha256').update(previous);
  return (head === undefined ? hash : hash.update(head, 'utf8')).update(stored, 'utf8').digest();
}

/** As `chainHash`, with both links in hex: for logs that are checked from their first entry to the last. */
export function chainLink(previous: string, stored: string): string {
  return createHash('sha256').update(previous, 'hex').update(stored, 'utf8').digest('hex');
}

/** Checksum of a row that no chain covers, 8 bytes over its columns in order. */
export function rowSum(...columns: (string | number | null | Uint8Array)[]): Buffer {
  const plain = columns.map((column) =>
    column instanceof Uint8Array ? Buffer.from(column).toString('hex') : column,
  );
  return sha256(JSON.stringify(plain)).subarray(0, 8);
}
