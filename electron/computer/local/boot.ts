import { readFile } from 'node:fs/promises';
import type { SessionMeta } from '../sessions/layout';
import { absentIsUndefined } from './session-files';

let known: Promise<string> | undefined;

/** Address of this computer's boot; empty where the system does not tell. */
export function bootId(): Promise<string> {
  known ??= absentIsUndefined(readFile('/proc/sys/kernel/random/boot_id', 'utf8')).then(
    (text) => text?.trim() ?? '',
  );
  return known;
}

/** This computer has restarted since: the session's process numbers belong to others. */
export async function madeBeforeBoot({ boot }: SessionMeta): Promise<boolean> {
  const now = await bootId();
  return boot !== '' && now !== '' && boot !== now;
}
