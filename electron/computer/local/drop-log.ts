import { randomBytes } from 'node:crypto';
import { rename, symlink, unlink } from 'node:fs/promises';
import { absentIsUndefined, type SessionFiles } from './session-files';
import { SpoolWatch } from './spool-watch';

/** How long the supervisor may take to see to a wish; it waits for no program. */
const wishMs = 2000;

/** See `SessionBackend.drop`. `alone`: what to do when there is no supervisor to ask. */
export async function dropLog(
  files: SessionFiles,
  upTo: number,
  alone: () => Promise<void>,
): Promise<{ dropped: number }> {
  const before = await files.low();
  if (upTo <= before || (await files.has('nopunch'))) return { dropped: before };
  const wish = files.path('want-low');
  // A link takes no block: on a full disk this is what helps.
  const draft = files.path(`.want-low-${randomBytes(8).toString('hex')}`);
  await symlink(String(Math.floor(upTo)), draft);
  await rename(draft, wish);
  if (!(await seenTo(files))) {
    await absentIsUndefined(unlink(wish));
    await alone();
  }
  return { dropped: await files.low() };
}

/** False when the supervisor is gone. One that is held up sees to it later. */
async function seenTo(files: SessionFiles): Promise<boolean> {
  const watch = new SpoolWatch(files.directory, { growth: false });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), wishMs);
  try {
    let listened = await files.ring();
    while (listened && !late.signal.aborted && (await files.has('want-low'))) {
      await watch.changed(late.signal);
      listened = await files.listened();
    }
    return listened;
  } finally {
    clearTimeout(timer);
    watch.close();
  }
}
