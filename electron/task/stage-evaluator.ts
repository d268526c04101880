import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { hashPackage, listPackage, type PackageEntry } from './package-files';

export interface StageOrder {
  /** The pinned copy of the package, and the hash under which the run pinned it. */
  packageFolder: string;
  packageHash: string;
  /** The package's evaluation folder, relative to it. */
  evaluation: string;
  /** Must not be there yet, in a folder that belongs to this evaluation alone. */
  target: string;
  signal: AbortSignal;
}

/** The pinned package is not what the run pinned; nothing of it may be run. */
export class PackageChanged extends Error {}

/**
 * Copies the evaluator out of the pinned package and proves that it is the one that was pinned: the hash over the whole package
 * is taken with the very bytes that go into the copy, so nothing can be exchanged between the look and the run. It reads the
 * package once, about a second for each GB of it.
 * @returns the evaluation folder within `target`
 * @throws PackageChanged; what was copied by then is left in `target` and must not be run
 */
export async function stageEvaluator(order: StageOrder): Promise<string> {
  const { packageFolder, packageHash, evaluation, target, signal } = order;
  const entries = await listed(packageFolder);
  const below = entries.filter(({ path }) => path.startsWith(`${evaluation}/`));
  // A link may lead to the package's other parts; then those are copied as well, and it leads into the copy.
  const taken = new Set(below.some((entry) => leaves(entry, evaluation)) ? entries : below);
  const copies = new Map([...taken].map((entry) => [join(packageFolder, entry.path), entry]));
  await mkdir(join(target, evaluation), { recursive: true, mode: 0o700 });
  for (const { kind, path, target: to } of taken) {
    if (kind !== 'link') continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await symlink(to ?? '', join(target, path));
  }
  const hash = await hashPackage(packageFolder, entries, async (path) => {
    signal.throwIfAborted();
    const copied = copies.get(path);
    return hashWhileCopying(
      path,
      copied && { path: join(target, copied.path), executable: copied.executable },
    );
  });
  if (hash !== packageHash) {
    throw new PackageChanged(
      `The task package in ${packageFolder} is not the one that this run pinned, so its evaluator was not run. Add the package again ("task add"), which puts the pinned files back, and evaluate again.`,
    );
  }
  return join(target, evaluation);
}

async function listed(packageFolder: string): Promise<PackageEntry[]> {
  try {
    return (await listPackage(packageFolder)).entries;
  } catch (thrown) {
    throw gone(thrown, packageFolder);
  }
}

function leaves({ kind, path, target }: PackageEntry, folder: string): boolean {
  return kind === 'link' && !posix.join(posix.dirname(path), target ?? '').startsWith(`${folder}/`);
}

/** sha256 in hex of a regular file; the same bytes go into `copy`. No link is followed, and nothing is waited for. */
async function hashWhileCopying(
  path: string,
  copy: { path: string; executable: boolean } | undefined,
): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const source = await open(path, flags).catch((thrown: unknown) => {
    throw gone(thrown, path);
  });
  try {
    if (!(await source.stat()).isFile()) throw new PackageChanged(`${path} is no longer a regular file.`);
    const hash = createHash('sha256');
    const chunks = source.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>;
    if (copy === undefined) {
      for await (const chunk of chunks) hash.update(chunk);
      return hash.digest('hex');
    }
    await mkdir(dirname(copy.path), { recursive: true });
    const written = await open(copy.path, 'wx');
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        await written.writeFile(chunk);
      }
    } finally {
      await written.close();
    }
    await chmod(copy.path, copy.executable ? 0o755 : 0o644);
    return hash.digest('hex');
  } finally {
    await source.close();
  }
}

/** What was listed or pinned and cannot be opened was changed; everything else goes on its way. */
function gone(thrown: unknown, path: string): unknown {
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EISDIR'].includes(code)) return thrown;
  return new PackageChanged(
    `${path} of the task package that this run pinned cannot be read (${code}), so its evaluator was not run. Add the package again ("task add") and evaluate again.`,
  );
}
