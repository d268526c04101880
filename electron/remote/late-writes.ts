import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodes, type Failure, WaymarkError } from '@shared/contract/errors';
import { idSchema } from '@shared/contract/id';
import { type CommandName, commands, isLate } from '@shared/contract/ipc';
import { z } from 'zod';
import { syncFolder, writeAtomically } from '../base/atomic-file';
import { SerialQueue } from '../base/serial-queue';

const id = idSchema;
const writeSchema = z.object({
  kind: z.literal('write'),
  id,
  command: z.enum((Object.keys(commands) as CommandName[]).filter(isLate)),
  input: z.record(z.string(), z.unknown()),
  /** When the person made it, ms. */
  at: z.int().nonnegative(),
});
const lineSchema = z.discriminatedUnion('kind', [
  writeSchema,
  /** It arrived, or whoever made it was told that it did not. */
  z.object({ kind: z.literal('done'), id }),
  z.object({
    kind: z.literal('refused'),
    id,
    failure: z.object({ code: z.enum(errorCodes), message: z.string() }),
  }),
]);
type Line = z.infer<typeof lineSchema>;

export type LateWrite = Omit<z.infer<typeof writeSchema>, 'kind'>;

/**
 * Writes of people that the server does not have yet, in a file of this machine: one JSON line each, synced before anybody
 * is told that it is kept, in the order in which they were made. Survives the end of the process at any moment.
 */
export class LateWrites {
  private readonly path: string;
  private file: FileHandle;
  private readonly waitingById: Map<string, LateWrite>;
  private readonly refusedById: Map<string, { write: LateWrite; failure: Failure }>;
  /** Lines are written one after the other. */
  private readonly turns = new SerialQueue();

  private constructor(path: string, file: FileHandle, kept: Line[]) {
    this.path = path;
    this.file = file;
    this.waitingById = new Map();
    this.refusedById = new Map();
    for (const line of kept) this.apply(line);
  }

  /** @throws WaymarkError workspace_corrupt, when a line in the middle of the file cannot be read */
  static async open(path: string): Promise<LateWrites> {
    await mkdir(dirname(path), { recursive: true });
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const kept = readLines(path, text);
    const writes = new LateWrites(path, await open(path, 'a', 0o600), kept);
    // What is done is left out, and with it a last line that a kill cut in two: nobody was told of that one.
    if (text === '') await syncFolder(dirname(path));
    else await writes.rewrite();
    return writes;
  }

  /** In the order in which they were made. */
  get waiting(): readonly LateWrite[] {
    return [...this.waitingById.values()];
  }

  get refused(): readonly { write: LateWrite; failure: Failure }[] {
    return [...this.refusedById.values()];
  }

  /** Resolves once it is on the disk. */
  add(write: LateWrite): Promise<void> {
    return this.addLine({ kind: 'write', ...write });
  }

  /** The server has it, or its maker knows that it does not; or a person has seen that it was refused. */
  done(write: string): Promise<void> {
    return this.addLine({ kind: 'done', id: write });
  }

  refuse(write: string, { code, message }: Failure): Promise<void> {
    return this.addLine({ kind: 'refused', id: write, failure: { code, message } });
  }

  async close(): Promise<void> {
    await this.turns.idle();
    await this.file.close();
  }

  private addLine(line: Line): Promise<void> {
    return this.turns.run(async () => {
      const { size } = await this.file.stat();
      try {
        await this.file.appendFile(`${JSON.stringify(line)}\n`);
        await this.file.datasync();
      } catch (error) {
        // Half a line must not spoil the next one.
        await this.file.truncate(size);
        throw error;
      }
      this.apply(line);
      // Nothing waits and nothing is to be shown: the file begins anew.
      if (line.kind === 'done' && this.waitingById.size + this.refusedById.size === 0)
        await this.file.truncate(0);
    });
  }

  private apply(line: Line): void {
    switch (line.kind) {
      case 'write': {
        const { kind: _kind, ...write } = line;
        this.waitingById.set(line.id, write);
        return;
      }
      case 'done':
        this.waitingById.delete(line.id);
        this.refusedById.delete(line.id);
        return;
      case 'refused': {
        const write = this.waitingById.get(line.id);
        if (write) this.refusedById.set(line.id, { write, failure: line.failure });
        this.waitingById.delete(line.id);
        return;
      }
    }
  }

  private async rewrite(): Promise<void> {
    const lines: Line[] = [
      ...this.refused.flatMap(({ write, failure: { code, message } }): Line[] => [
        { kind: 'write', ...write },
        { kind: 'refused', id: write.id, failure: { code, message } },
      ]),
      ...this.waiting.map((write): Line => ({ kind: 'write', ...write })),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await this.file.close();
    await writeAtomically(this.path, text, 0o600);
    this.file = await open(this.path, 'a', 0o600);
  }
}

function readLines(path: string, text: string): Line[] {
  const lines = text.split('\n');
  // The piece after the last line feed is empty, or was cut.
  return lines.slice(0, -1).map((line, at) => {
    try {
      return lineSchema.parse(JSON.parse(line));
    } catch (cause) {
      throw new WaymarkError(
        'workspace_corrupt',
        `Line ${at + 1} of ${path} cannot be read. It holds hints and labels that a server has not received yet. Move the file away to continue without them.`,
        line.slice(0, 500),
        { cause },
      );
    }
  });
}
