import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';

/** Random characters of an id. */
const RANDOM = 16;

/**
 * A new id that carries the time `at`, ms since 1970; default: now. The library asks the system for each of its random characters;
 * here it is asked once.
 */
export function newUlid(at?: number): string {
  const bytes = randomBytes(RANDOM);
  let place = 0;
  return ulid(at, () => {
    const byte = bytes[place % RANDOM] ?? 0;
    place += 1;
    return byte / 256;
  });
}
