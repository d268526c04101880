import { randomBytes } from 'node:crypto';
import { link, stat, unlink, writeFile } from 'node:fs/promises';
import { SessionError } from '../failures';
import { inputFileName, readInbox } from '../sessions/layout';
import { absentIsUndefined, type SessionFiles } from './session-files';

const maxPendingBytes = 8 * 1024 * 1024;

/**
 * Puts input where the supervisor finds it: a complete file under its number, then the bell. A number is taken once, by
 * the file system, so the same number from anywhere is delivered at most once; a program that does not read
 * blocks nobody. @throws SessionError input_full, session_ended, session_lost
 */
export async function queueInput(
  name: string,
  files: SessionFiles,
  bytes: Uint8Array,
  wanted: number | undefined,
): Promise<{ inputSeq: number; delivered: boolean }> {
  if (wanted !== undefined && (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > 1e15)) {
    throw new RangeError(`An input number is a whole number from 1 on, not ${wanted}.`);
  }
  const draft = files.path('inbox', `.${randomBytes(8).toString('hex')}`);
  const { accepted, pending } = readInbox(await files.inbox());
  if (wanted !== undefined && wanted <= accepted) return { inputSeq: wanted, delivered: false };
  await mustListen(name, files);
  await mustFit(name, files, pending, bytes.length);
  await writeFile(draft, bytes, { flag: 'wx', mode: 0o600 });
  try {
    const inputSeq = await take(files, draft, wanted, accepted);
    if (inputSeq === undefined) return { inputSeq: wanted ?? 0, delivered: false };
    await ring(name, files, inputSeq);
    return { inputSeq, delivered: true };
  } finally {
    await unlink(draft);
  }
}

async function mustListen(name: string, files: SessionFiles): Promise<void> {
  if (await files.listened()) return;
  const { life } = await files.life();
  throw life === 'ended'
    ? new SessionError('session_ended', name, `Session "${name}" has ended. Close it and create it again.`)
    : new SessionError('session_lost', name, `Session "${name}" was lost. Close it and create it again.`);
}

async function mustFit(name: string, files: SessionFiles, pending: string[], more: number): Promise<void> {
  const sizes = await Promise.all(
    pending.map(async (file) => (await absentIsUndefined(stat(files.path('inbox', file))))?.size ?? 0),
  );
  const waiting = sizes.reduce((sum, size) => sum + size, 0);
  if (waiting + more <= maxPendingBytes) return;
  throw new SessionError(
    'input_full',
    name,
    `The program in session "${name}" has not read ${waiting} bytes of earlier input. Wait for it or stop it.`,
  );
}

/** Gives the draft a number nobody has; `undefined` when the wanted one is gone. */
async function take(
  files: SessionFiles,
  draft: string,
  wanted: number | undefined,
  accepted: number,
): Promise<number | undefined> {
  let inputSeq = wanted ?? accepted + 1;
  for (;;) {
    try {
      await link(draft, files.path('inbox', inputFileName(inputSeq)));
      return inputSeq;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (wanted !== undefined) return undefined;
      inputSeq += 1;
    }
  }
}

async function ring(name: string, files: SessionFiles, inputSeq: number): Promise<void> {
  const bell = await files.bell();
  if (!bell) {
    await unlink(files.path('inbox', inputFileName(inputSeq)));
    await mustListen(name, files);
    return;
  }
  try {
    await bell.write('\n');
  } catch (error) {
    // A full bell has rung already.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  } finally {
    await bell.close();
  }
}
