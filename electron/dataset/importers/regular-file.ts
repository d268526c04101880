import { constants, open } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';

/**
 * Reads a file that somebody else made or named: a regular one and nothing else. It is opened without following a link and
 * without waiting, and looked at through what was opened, so that no link leads to a file of this person's, and no FIFO or
 * device holds or floods whoever reads.
 * @param name for messages
 * @param most bytes
 * @throws WaymarkError not_found, bad_input; both name the file and the reason
 */
export async function readRegularFile(path: string, name: string, most: number): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (thrown: NodeJS.ErrnoException) => {
      throw unopened(thrown, name);
    },
  );
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw refused(name, 'is not a regular file');
    if (info.size > most) throw refused(name, `is larger than ${megabytes(most)} MB`);
    const bytes = Buffer.alloc(info.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) throw refused(name, 'became shorter while it was read');
      length += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

function unopened({ code, message }: NodeJS.ErrnoException, name: string): WaymarkError {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WaymarkError('not_found', `There is no file ${name}. Nothing was imported.`);
  if (code === 'ELOOP') return refused(name, 'is a link, and links are not followed');
  if (code === 'ENXIO') return refused(name, 'is not a regular file');
  return refused(name, `cannot be read (${code ?? message})`);
}

function refused(name: string, why: string): WaymarkError {
  return new WaymarkError('bad_input', `${name} ${why}. Nothing was imported.`);
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
