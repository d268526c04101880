import { open, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { shellQuote } from '../base/shell-quote';
import type { HostComputer } from '../computer/hosts';
import { hashFile, type PackageEntry } from './package-files';

export interface UploadOrder {
  host: Pick<HostComputer, 'files' | 'exec'>;
  /** Folder on this machine. */
  source: string;
  /** Files and links below `source`. They do not change meanwhile. */
  entries: readonly PackageEntry[];
  /** Folder on the host, absolute; made if missing. Nothing else writes to it. */
  target: string;
  signal: AbortSignal;
}

/** Larger files travel in pieces of this size, which are joined on the host. */
const pieceBytes = 4 * 1024 * 1024;
/** Small files under way at a time: a link with 100 ms of delay still carries some 80 a second. */
const together = 8;
const mostEntries = 200_000;
/** Links made by one script. */
const linksTogether = 100;

/**
 * Copies files and links to a host, holding at most 32 MB at a time. May be called again after a broken link: what is
 * there whole is not sent again, and a large file goes on where it stopped.
 * @throws ComputerUnavailable, FileError; Error when a large file did not arrive as it is here
 */
export async function upload(order: UploadOrder): Promise<void> {
  const { host, target, entries } = order;
  await host.files.makeDirectory(target);
  const there = await sizesBelow(order);
  const missing = entries.filter(({ kind, path, size }) => kind === 'file' && there.get(path) !== size);
  await sendSmall(
    order,
    missing.filter(({ size }) => size <= pieceBytes),
  );
  for (const entry of missing.filter(({ size }) => size > pieceBytes)) {
    await sendLarge(order, entry);
  }
  await makeLinks(
    order,
    entries.filter(({ kind }) => kind === 'link'),
  );
}

/** Whether a copy that was made whole is in its place already. */
export async function isUploaded(
  order: Pick<UploadOrder, 'host' | 'entries' | 'target' | 'signal'>,
): Promise<boolean> {
  if ((await order.host.files.stat(order.target))?.kind !== 'directory') return false;
  const there = await sizesBelow(order);
  return order.entries.every(({ kind, path, size }) => kind === 'link' || there.get(path) === size);
}

/** Sizes of the files that are there, by path below the target. Each was written in one step, so it is whole. */
async function sizesBelow({
  host,
  target,
  signal,
}: Pick<UploadOrder, 'host' | 'target' | 'signal'>): Promise<Map<string, number>> {
  const { entries } = await host.files.walk(target, { hidden: true, maxEntries: mostEntries, signal });
  return new Map(
    entries.flatMap(({ kind, path, size }) =>
      kind === 'file' ? [[path.slice(target.length + 1), size] as const] : [],
    ),
  );
}

const modeOf = ({ executable }: PackageEntry) => (executable ? 0o755 : 0o644);

async function sendSmall(order: UploadOrder, entries: readonly PackageEntry[]): Promise<void> {
  const waiting = [...entries];
  const worker = async () => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      order.signal.throwIfAborted();
      const bytes = await readFile(join(order.source, entry.path));
      await order.host.files.write(posix.join(order.target, entry.path), bytes, {
        mode: modeOf(entry),
        mkdirs: true,
      });
    }
  };
  await Promise.all(Array.from({ length: together }, worker));
}

async function sendLarge(order: UploadOrder, entry: PackageEntry): Promise<void> {
  const { host, source, target, signal } = order;
  const path = posix.join(target, entry.path);
  const draft = `${path}.waymark-partial`;
  const piece = `${path}.waymark-piece`;
  const here = join(source, entry.path);
  const file = await open(here, 'r');
  try {
    const buffer = Buffer.alloc(pieceBytes);
    // A piece that was cut short is written again: only whole ones before it count.
    const begun = Math.floor(((await host.files.stat(draft))?.size ?? 0) / pieceBytes) * pieceBytes;
    for (let offset = begun; offset < entry.size; offset += pieceBytes) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, pieceBytes, offset);
      await host.files.write(piece, buffer.subarray(0, bytesRead), { mkdirs: true });
      const where = `bs=${pieceBytes} seek=${offset / pieceBytes} conv=notrunc`;
      await runScript(host, `dd if=${shellQuote(piece)} of=${shellQuote(draft)} ${where} 2>&1`);
    }
  } finally {
    await file.close();
  }
  if ((await host.files.hash(draft)) !== (await hashFile(here))) {
    await host.files.remove(draft);
    throw new Error(`${entry.path} arrived with different content. Check the disk of the host.`);
  }
  const mode = modeOf(entry).toString(8);
  // A helper whose link was cut may have left the draft of a piece behind, or have written the piece late.
  const drafts = `${shellQuote(posix.dirname(path))}/.*.waymark-piece.*.tmp`;
  await runScript(
    host,
    `rm -f ${shellQuote(piece)} ${drafts} && chmod ${mode} ${shellQuote(draft)} && mv -f ${shellQuote(draft)} ${shellQuote(path)}`,
  );
}

async function makeLinks(
  { host, target, signal }: UploadOrder,
  links: readonly PackageEntry[],
): Promise<void> {
  for (let at = 0; at < links.length; at += linksTogether) {
    signal.throwIfAborted();
    const lines = links.slice(at, at + linksTogether).map((entry) => {
      const path = posix.join(target, entry.path);
      const made = `mkdir -p ${shellQuote(posix.dirname(path))} && ln -sfn ${shellQuote(entry.target ?? '')} ${shellQuote(path)}`;
      return `${made} || exit 1`;
    });
    await runScript(host, lines.join('\n'));
  }
}

/** How long a short script on a host may take, ms. */
const scriptMs = 120_000;

/**
 * Runs a short script outside any session; it may be run again after a broken link, so it must bear that.
 * @throws Error with what it printed when it does not exit with 0; ComputerUnavailable
 */
export async function runScript(
  host: Pick<HostComputer, 'exec'>,
  script: string,
  timeoutMs = scriptMs,
): Promise<string> {
  const { exitCode, output } = await host.exec(script, { timeoutMs });
  if (exitCode === 0) return output;
  const printed = output.trim().split('\n').slice(-3).join(' ');
  throw new Error(
    exitCode === null
      ? `no answer within ${Math.round(timeoutMs / 1000)} s. ${printed}`
      : printed || `exit code ${exitCode}.`,
  );
}
