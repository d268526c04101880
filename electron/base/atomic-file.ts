import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * A file that has its name only once every byte of it is safe on the disk, so that whoever finds it finds it whole. Until
 * then it is a draft in the same folder, and what had the name before keeps it.
 */
export class AtomicFile {
  private constructor(
    private readonly target: string,
    private readonly draft: string,
    readonly handle: FileHandle,
  ) {}

  /** @param target no link: a link there would be replaced @param mode of the new file */
  static async begin(target: string, mode = 0o666): Promise<AtomicFile> {
    const name = `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`;
    const draft = join(dirname(target), name);
    return new AtomicFile(target, draft, await open(draft, 'wx', mode));
  }

  /** Every byte is on the disk, under the draft's name; nothing can be written any more. */
  async flush(): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
  }

  /** Gives the file its name. When that fails nothing is left of it. */
  async commit(): Promise<void> {
    try {
      if (this.handle.fd !== -1) await this.flush();
      await rename(this.draft, this.target);
      await syncFolder(dirname(this.target));
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Nothing is left of it. A second call does no harm. */
  async abandon(): Promise<void> {
    await this.handle.close();
    await rm(this.draft, { force: true });
  }
}

/** Replaces a whole file at once. @param data pieces one after another @throws what the system says; the file is as it was then */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array | readonly Uint8Array[],
  mode?: number,
): Promise<void> {
  const file = await AtomicFile.begin(path, mode);
  try {
    for (const piece of Array.isArray(data) ? data : [data]) await file.handle.writeFile(piece);
  } catch (error) {
    await file.abandon();
    throw error;
  }
  await file.commit();
}

/** A folder's entries are on the disk when this resolves. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder for syncing; its file system orders renames by itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
