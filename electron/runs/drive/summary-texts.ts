import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wellFormed } from '@shared/base/well-formed';
import type { SummaryTexts } from '../../agent/summarise-texts';

/** What a summary turn says, from the application's prompts. */
export async function summaryTexts(resourcesDir: string): Promise<SummaryTexts> {
  const read = async (name: string) =>
    wellFormed((await readFile(join(resourcesDir, 'prompts', name), 'utf8')).trim());
  const [system, closing, goOn] = await Promise.all([
    read('summary-system.md'),
    read('summary-closing.md'),
    read('summary-go-on.md'),
  ]);
  return { system, closing, goOn };
}
