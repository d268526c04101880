import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from '../../files/output-file';

const file = z.object({ folder: z.string().min(1).max(4_096) });

/**
 * The folder of the tokenizer that was chosen last in this window, in `tokenizer-folder.json` below the application's data folder.
 * Not a setting: a page may change those, and paths are not the page's to say.
 */
export class RememberedTokenizer {
  private readonly path: string;

  /** @param data the application's data folder */
  constructor(data: string) {
    this.path = join(data, 'tokenizer-folder.json');
  }

  /** Null: none was chosen, or what is there cannot be understood. */
  async folder(): Promise<string | null> {
    let text: string;
    try {
      const handle = await open(this.path, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        text = await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return file.parse(JSON.parse(text)).folder;
    } catch {
      // Of another version, or cut off by a full disk: it is chosen once more.
      return null;
    }
  }

  async remember(folder: string): Promise<void> {
    await writePrivately(this.path, `${JSON.stringify({ folder })}\n`);
  }
}
