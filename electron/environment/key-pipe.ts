import { closeSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { z } from 'zod';

/** Says to a process of ours that its keys come by this descriptor; the number is no secret. */
const VARIABLE = 'WAYMARK_KEYS_FD';
const DESCRIPTOR = 3;

const keysSchema = z.record(z.string(), z.string());

/** For `spawn`: its fourth descriptor is the pipe, and its environment names it. */
export const keyPipe = { stdio: 'pipe', variables: { [VARIABLE]: String(DESCRIPTOR) } } as const;

/** Hands over and closes the pipe. A process that ended at once has no use for keys; its exit tells why it ended. */
export function sendKeys(pipe: Writable, keys: Readonly<Record<string, string>>): void {
  pipe.on('error', () => undefined);
  pipe.end(JSON.stringify(keys));
}

/** The keys that whoever started this process handed over; none when nobody did. */
export function receivedKeys(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (env[VARIABLE] !== String(DESCRIPTOR)) return {};
  delete env[VARIABLE];
  try {
    return keysSchema.parse(JSON.parse(readFileSync(DESCRIPTOR, 'utf8')));
  } finally {
    closeSync(DESCRIPTOR);
  }
}
