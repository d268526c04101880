import { open } from 'node:fs/promises';
import type { SessionBytes, SessionHost } from '../port';
import { SessionFiles } from './session-files';
import { SpoolWatch } from './spool-watch';

const followChunk = 512 * 1024;

/** See `SessionBackend.read`. */
export async function readLog(
  files: SessionFiles,
  offset: number,
  maxBytes: number,
): Promise<Omit<SessionBytes, 'offset'> & { dropped: number }> {
  const handle = await open(files.path('spool'), 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(maxBytes, size - offset));
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: bytes.subarray(0, filled), endOffset: size, dropped: await files.low() };
  } finally {
    await handle.close();
  }
}

/** See `SessionBackend.follow`. Keeps its own handle, so that closing the session does not cut it short. */
export async function followLog(
  directory: string,
  from: number,
  [onChunk, signal, onGap]: FollowArguments,
): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
  const files = new SessionFiles(directory);
  const watch = new SpoolWatch(directory, { growth: true });
  const handle = await open(files.path('spool'), 'r');
  // Not a Buffer: its `slice` would be a view of memory that is used again.
  const buffer = new Uint8Array(followChunk);
  let offset = from;
  let over = false;
  try {
    while (!signal.aborted) {
      const { bytesRead } = await handle.read(buffer, 0, followChunk, offset);
      if (bytesRead > 0) {
        const { mtimeMs } = await handle.stat();
        // Looked at after reading: what lies before it may have been read as zeros.
        const gone = Math.max(0, (await files.low()) - offset);
        if (gone > 0) await onGap?.({ from: offset, to: offset + gone });
        offset += gone;
        watch.active();
        if (gone >= bytesRead) continue;
        const bytes = buffer.subarray(gone, bytesRead);
        await onChunk({ offset, bytes, receivedAt: Date.now(), hostAt: mtimeMs });
        offset += bytes.length;
        if (bytesRead === followChunk) continue;
      } else if (over) {
        return { reason: 'ended', offset };
      } else {
        // Read once more after the end was seen: the last bytes may have come in between.
        over = (await files.life()).life !== 'alive';
        if (over) continue;
      }
      await watch.changed(signal);
    }
    return { reason: 'aborted', offset };
  } finally {
    watch.close();
    await handle.close();
  }
}

type FollowArguments =
  Parameters<SessionHost['follow']> extends [unknown, unknown, ...infer Rest] ? Rest : never;
