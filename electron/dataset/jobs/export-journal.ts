import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { exportRequestSchema } from '@shared/contract/export-request';
import { idSchema } from '@shared/contract/id';
import { z } from 'zod';
import { writeAtomically } from '../../base/atomic-file';

/** Raised when a plan or state of an older version cannot be gone on with. */
const JOURNAL_VERSION = 2;

const count = z.int().nonnegative();

/** What anybody may know of an export under way: it lies beside its data until the export is done. */
export const journalHead = z.object({
  version: z.literal(JOURNAL_VERSION),
  /** Version of the application: what another one planned is planned again. */
  app: z.string(),
  job: idSchema,
  workspace: z.string(),
  out: z.string(),
  options: exportRequestSchema,
  startedAt: z.number(),
  /** Who writes it, and when that process was started; see `startOf`. */
  owner: z.object({ pid: z.int().positive(), start: z.string().nullable() }),
  done: count,
  total: count,
  records: count,
  bytes: count,
});
export type JournalHead = z.infer<typeof journalHead>;

/** Heads of runs when it began, the plan of each run by its id, and the state at the last border. */
export type JournalPart = 'heads' | `run-${string}` | 'state' | 'redaction';

/**
 * What makes an export go on after its process was killed, in its partial folder: `head.json`, heads and plans of runs, and
 * the state at the last border. Each is whole or not there, and on the disk before what follows is begun.
 */
export class ExportJournal {
  constructor(private readonly folder: string) {}

  /** Null when there is none, or one of another version. */
  async head(): Promise<JournalHead | null> {
    const text = await readFile(join(this.folder, 'head.json'), 'utf8').catch(absent);
    if (text === null) return null;
    try {
      return journalHead.safeParse(JSON.parse(text)).data ?? null;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return null;
      throw thrown;
    }
  }

  async writeHead(head: Omit<JournalHead, 'version'>): Promise<void> {
    await writeAtomically(
      join(this.folder, 'head.json'),
      JSON.stringify({ version: JOURNAL_VERSION, ...head }),
    );
  }

  /** Structured clone of a value as it is now, under the hash of its bytes; stored `after` what it speaks of. */
  async write(part: JournalPart, value: unknown, after?: Promise<void>): Promise<number> {
    const bytes = serialize(value);
    await after;
    const hash = createHash('sha256').update(bytes).digest();
    await writeAtomically(join(this.folder, part), [hash, bytes], 0o600);
    return bytes.length;
  }

  /** Null when it is not there, damaged, or of another runtime: the work is done again then. */
  async read<T>(part: JournalPart): Promise<T | null> {
    const path = join(this.folder, part);
    const size = (await stat(path).catch(absent))?.size ?? 0;
    if (size <= 32) return null;
    const all = await readFile(path);
    const bytes = all.subarray(32);
    if (!createHash('sha256').update(bytes).digest().equals(all.subarray(0, 32))) return null;
    try {
      return deserialize(bytes) as T;
    } catch (thrown) {
      // Written by a newer engine than this one.
      if (thrown instanceof Error) return null;
      throw thrown;
    }
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
