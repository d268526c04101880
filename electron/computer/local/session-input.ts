import { randomBytes } from 'node:crypto';
import { link, rename, stat, unlink, writeFile } from 'node:fs/promises';
import type { SessionError } from '../failures';
import { inputFull, sessionOver } from '../session-texts';
import type { CommandOrder } from '../sessions/backend';
import { inputFileName, lastCommandFile, readInbox } from '../sessions/layout';
import { absentIsUndefined, type SessionFiles } from './session-files';

const maxPendingBytes = 8 * 1024 * 1024;
const oldDraftMs = 60_000;

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
  const { accepted } = readInbox(await files.inbox());
  if (wanted !== undefined && wanted <= accepted) return { inputSeq: wanted, delivered: false };
  const draft = files.path('inbox', `.${randomBytes(8).toString('hex')}`);
  await writeFile(draft, bytes, { flag: 'wx', mode: 0o600 });
  try {
    return await deliver(name, files, draft, wanted);
  } finally {
    await unlink(draft);
  }
}

async function deliver(
  name: string,
  files: SessionFiles,
  draft: string,
  wanted: number | undefined,
): Promise<{ inputSeq: number; delivered: boolean }> {
  const { accepted, pending } = readInbox(await files.inbox());
  // Not the bell alone: a supervisor that has written how its shell ended still listens for a moment.
  if ((await files.life()).life !== 'alive') throw await gone(name, files);
  await mustFit(name, files, pending, (await stat(draft)).size);
  const inputSeq = await take(files, draft, wanted, accepted);
  if (inputSeq === undefined) return { inputSeq: wanted ?? 0, delivered: false };
  if (await files.ring()) return { inputSeq, delivered: true };
  await unlink(files.path('inbox', inputFileName(inputSeq)));
  throw await gone(name, files);
}

async function gone(name: string, files: SessionFiles): Promise<SessionError> {
  const { life } = await files.life();
  return sessionOver(name, life === 'ended' ? 'ended' : 'lost');
}

async function mustFit(name: string, files: SessionFiles, pending: string[], more: number): Promise<void> {
  const sizes = await Promise.all(
    pending.map(async (file) => (await absentIsUndefined(stat(files.path('inbox', file))))?.size ?? 0),
  );
  const waiting = sizes.reduce((sum, size) => sum + size, 0);
  if (waiting + more <= maxPendingBytes) return;
  throw inputFull(name, waiting);
}

/** Gives the draft a number nobody has; `undefined` when the wanted one is gone. */
async function take(
  files: SessionFiles,
  draft: string,
  wanted: number | undefined,
  accepted: number,
): Promise<number | undefined> {
  let inputSeq = wanted ?? accepted + 1;
  while (!(await linked(draft, files.path('inbox', inputFileName(inputSeq))))) {
    if (wanted !== undefined) return undefined;
    inputSeq += 1;
  }
  return inputSeq;
}

/** False when the name was taken already. */
async function linked(draft: string, name: string): Promise<boolean> {
  try {
    await link(draft, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Stores a command and types its line, once for each token; `docs/host-agent.md` tells how.
 * @throws SessionError input_full, session_ended, session_lost
 */
export async function queueCommand(
  name: string,
  files: SessionFiles,
  order: CommandOrder,
): Promise<'sent' | 'taken'> {
  const { commandSeq, token, echo, text, line } = order;
  const draft = files.path('cmd', `.${token}`);
  const typed = `${draft}.line`;
  const place = files.path('cmd', String(commandSeq));
  if (!(await absentIsUndefined(stat(draft)))) {
    await writeFile(typed, line, { mode: 0o600 });
    await writeFile(`${draft}.text`, text, { mode: 0o600 });
    await rename(`${draft}.text`, draft);
  }
  const mine = await linked(draft, place);
  const names = await files.commandFiles();
  const giveUp = async () => {
    for (const file of [...(mine ? [place] : []), draft, typed]) await absentIsUndefined(unlink(file));
  };
  if (mine ? lastCommandFile(names) > commandSeq : !(await sameFile(draft, place))) {
    await giveUp();
    return 'taken';
  }
  const { nlink, size } = await stat(typed);
  // Typed already: the same order asked again.
  if (nlink > 1 || size === 0) return 'sent';
  try {
    await writeFile(`${place}.echo`, echo, { mode: 0o600 });
    await deliver(name, files, typed, undefined);
  } catch (error) {
    await giveUp();
    throw error;
  }
  await forget(files, names, commandSeq);
  return 'sent';
}

async function sameFile(first: string, second: string): Promise<boolean> {
  const [a, b] = await Promise.all([absentIsUndefined(stat(first)), absentIsUndefined(stat(second))]);
  return a !== undefined && a.ino === b?.ino;
}

/** Texts of finished commands are not needed any more, nor are drafts that nobody will ask about again. */
async function forget(files: SessionFiles, names: readonly string[], commandSeq: number): Promise<void> {
  for (const name of names) {
    const file = files.path('cmd', name);
    const number = /^(\d+)(?:\.echo)?$/.exec(name)?.[1];
    if (number !== undefined && Number(number) < commandSeq) await absentIsUndefined(unlink(file));
    if (!name.startsWith('.')) continue;
    const about = await absentIsUndefined(stat(file));
    if (about && Date.now() - about.mtimeMs > oldDraftMs) await absentIsUndefined(unlink(file));
  }
}
