import { constants, open } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';

/**
 * Reads a file that somebody else made or named: a regular one and nothing else. It is opened without following a link and
 * without waiting, and looked at through what was opened, so that no link leads to a file of this person's, and no FIFO or
 * device holds or floods whoever reads.
 * @param name for messages
 * @param most bytes
 * @param after what the refusal did, as the last sentence of the message
 * @throws WaymarkError not_found, bad_input; both name the file and the reason
 */
export async function readRegularFile(
  path: string,
  name: string,
  most: number,
  after = 'Nothing was imported.',
): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (thrown: NodeJS.ErrnoException) => {
      throw unopened(thrown, name, after);
    },
  );
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw refused(name, 'is not a regular file', after);
    if (info.size > most) throw refused(name, `is larger than ${megabytes(most)} MB`, after);
    const bytes = Buffer.alloc(info.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) throw refused(name, 'became shorter while it was read', after);
      length += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

function unopened({ code, message }: NodeJS.ErrnoException, name: string, after: string): WaymarkError {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WaymarkError('not_found', `There is no file ${name}. ${after}`);
  if (code === 'ELOOP') return refused(name, 'is a link, and links are not followed', after);
  if (code === 'ENXIO') return refused(name, 'is not a regular file', after);
  return refused(name, `cannot be read (${code ?? message})`, after);
}

function refused(name: string, why: string, after: string): WaymarkError {
  return new WaymarkError('bad_input', `${name} ${why}. ${after}`);
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
