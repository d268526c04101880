import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenQuestion, TokenWord } from './token-thread';
import { tokenView } from './token-view';
import { type LoadedTokenizer, loadTokenizer } from './tokenizer';
import { readTokenizerFolder } from './tokenizer-folder';

/** Most tokenizers that are held at a time: two, to compare. */
const held = 2;

/** Answers questions about rows, and keeps the tokenizers that were used last. */
export class TokenDesk {
  private readonly loaded = new Map<string, { files: string; tokenizer: LoadedTokenizer }>();

  /** @param begun called once the tokenizer is there */
  async answer(question: TokenQuestion, begun: () => void): Promise<TokenWord> {
    const tokenizer = await this.tokenizer(question.folder);
    if (question.is === 'tokenizer') return { is: 'tokenizer', tokenizer: tokenizer.view };
    begun();
    return { is: 'view', view: tokenView(question.row, tokenizer, question.options) };
  }

  private async tokenizer(folder: string): Promise<LoadedTokenizer> {
    const files = await stateOf(folder);
    const known = this.loaded.get(folder);
    this.loaded.delete(folder);
    if (known?.files === files) {
      this.loaded.set(folder, known);
      return known.tokenizer;
    }
    // Before the new one is read: two of the largest and what it takes to read one would not fit.
    for (const name of this.loaded.keys()) if (this.loaded.size >= held) this.loaded.delete(name);
    const tokenizer = loadTokenizer(await readTokenizerFolder(folder), tokenizerId(folder));
    this.loaded.set(folder, { files, tokenizer });
    return tokenizer;
  }
}

/** The same folder has the same id. */
export function tokenizerId(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}

/** Changes when a file does. */
async function stateOf(folder: string): Promise<string> {
  const files = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];
  const states = await Promise.all(
    files.map((file) =>
      stat(join(folder, file)).then(
        ({ mtimeMs, size, ino }) => [mtimeMs, size, ino],
        () => null,
      ),
    ),
  );
  return JSON.stringify(states);
}
