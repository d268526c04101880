import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/** Random characters of an id. */
const RANDOM = 16;

/** Random bytes that are taken from the system at once: to ask costs far more than to get them. */
const pool = Buffer.alloc(RANDOM * 256);
let used = pool.length;

/**
 * A new id that carries the time `at`, ms since 1970; default: now. The library asks the system for each of its random characters;
 * here it is asked once for many ids.
 */
export function newUlid(at?: number): string {
  return ulid(at, () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used] ?? 0;
    used += 1;
    return byte / 256;
  });
}
