import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inside } from '../../files/inside';
import { removeFile } from '../../files/remove';
import type { GroupCommit } from '../log/group-commit';
import { systemCode } from './database';
import type { Statements } from './rows';

/** Files deleted in one transaction. */
const BATCH = 50;

/** A file this young may belong to a text that is being stored: its row follows within seconds. */
export const YOUNG_FILE_MS = 60_000;

const TEXT_FILE = /^[0-9a-f]{64}$/;

/** A file in `blobs` that no row names. */
export interface UnusedFile {
  /** Below the workspace, with `/`. */
  name: string;
  /** The hash of its text; null: a file that was never finished. */
  hex: string | null;
  bytes: number;
}

/**
 * Files of texts that no row names, unfinished ones included. Only such as were left alone for `YOUNG_FILE_MS`, or all
 * texts: one that is deleted while it is being stored is written again (`BlobStore.put`).
 */
export async function* unusedFiles(
  statements: Statements,
  folder: string,
  young: 'left' | 'listed' = 'left',
): AsyncGenerator<UnusedFile> {
  for (const group of await entriesOf(folder, 'blobs')) {
    for (const file of await entriesOf(folder, 'blobs', group)) {
      const hex = TEXT_FILE.test(file) ? file : null;
      if (hex !== null && isNamed(statements, hex)) {
        continue;
      }
      const found = await statOf(join(folder, 'blobs', group, file));
      // What is written right now has another name and must keep it until it is whole.
      const spared = young === 'left' || hex === null ? YOUNG_FILE_MS : 0;
      if (found?.isFile() === true && Date.now() - found.mtimeMs >= spared) {
        yield { name: `blobs/${group}/${file}`, hex, bytes: found.size };
      }
    }
  }
}

/** Deletes files of texts that no row names. */
export class UnusedFiles {
  constructor(
    private readonly statements: Statements,
    private readonly group: Pick<GroupCommit, 'add'>,
    private readonly folder: string,
  ) {}

  /**
   * Deletes those of the files that no row names. The answer holds as long as the transaction in which it was asked for,
   * and that transaction must not bring rows back: it is one of its own.
   */
  async delete(texts: readonly string[]): Promise<void> {
    for (let start = 0; start < texts.length; start += BATCH) {
      const batch = texts.slice(start, start + BATCH);
      await this.group.add({
        alone: true,
        run: () => {
          for (const hex of batch) {
            if (!isNamed(this.statements, hex)) {
              removeFile(this.folder, 'blobs', hex.slice(0, 2), hex);
            }
          }
        },
      });
    }
  }

  /** Deletes what `unusedFiles` finds, until `stopped`; how much that was. */
  async sweep(
    young: 'left' | 'listed',
    stopped: () => boolean = () => false,
  ): Promise<{ files: number; bytes: number }> {
    const swept = { files: 0, bytes: 0 };
    for await (const { name, hex, bytes } of unusedFiles(this.statements, this.folder, young)) {
      if (stopped()) {
        break;
      }
      if (hex === null) {
        removeFile(this.folder, ...name.split('/'));
      } else {
        await this.delete([hex]);
      }
      swept.files += 1;
      swept.bytes += bytes;
    }
    return swept;
  }
}

function isNamed(statements: Statements, hex: string): boolean {
  return statements.get('SELECT 1 FROM blob WHERE sha = ?', Buffer.from(hex, 'hex')) !== undefined;
}

async function entriesOf(folder: string, ...names: string[]): Promise<string[]> {
  try {
    return await readdir(inside(folder, ...names));
  } catch (thrown) {
    // No large text was stored yet, or a file lies where folders are expected.
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') {
      return [];
    }
    throw thrown;
  }
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (thrown) {
    // Deleted, or given its final name, since it was listed.
    if (systemCode(thrown) === 'ENOENT') {
      return null;
    }
    throw thrown;
  }
}
