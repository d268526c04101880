import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file';
import { SerialQueue } from '../base/serial-queue';

const entrySchema = z.object({
  id: z.string(),
  computer: z.string(),
  name: z.string(),
  rows: z.int(),
  cols: z.int(),
});
const fileSchema = z.object({ terminals: z.array(entrySchema) });

/** What a start of the application must know to find a person's terminals again: where they are and how large. */
export type OwnEntry = z.infer<typeof entrySchema>;

/**
 * The person's terminals by id, on disk. The sessions themselves are the truth; a file that is missing or cannot be
 * understood costs sizes and the names of hosts to ask, no terminal.
 */
export class OwnRecord {
  private readonly path: string;
  private readonly byId: Map<string, OwnEntry>;
  private readonly writes = new SerialQueue();

  private constructor(path: string, entries: readonly OwnEntry[]) {
    this.path = path;
    this.byId = new Map(entries.map((entry) => [entry.id, entry]));
  }

  static async open(path: string): Promise<OwnRecord> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new OwnRecord(path, []);
      throw error;
    }
    const parsed = fileSchema.safeParse(jsonOrNull(text));
    return new OwnRecord(path, parsed.success ? parsed.data.terminals : []);
  }

  entries(): OwnEntry[] {
    return [...this.byId.values()];
  }

  get(id: string): OwnEntry | undefined {
    return this.byId.get(id);
  }

  /** @throws what the disk says */
  put(entry: OwnEntry): Promise<void> {
    this.byId.set(entry.id, entry);
    return this.write();
  }

  /** @throws what the disk says */
  async remove(id: string): Promise<void> {
    if (this.byId.delete(id)) await this.write();
  }

  private write(): Promise<void> {
    const text = `${JSON.stringify({ terminals: this.entries() })}\n`;
    return this.writes.run(async () => {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await writeAtomically(this.path, text, 0o600);
    });
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
