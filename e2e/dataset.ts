import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Message {
  role: string;
  content: string | null;
  step_loss_mask?: number;
  tool_calls?: { function: { name: string; arguments: string } }[];
}
export interface Row {
  messages: Message[];
  tools: unknown[];
  metadata: { steps: { step: number; given_reason?: string }[] };
}

/** The rows of an exported dataset, as a trainer reads them: one JSON document a line. */
export function readRows(folder: string): Row[] {
  return readFileSync(join(folder, 'train.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Files whose sha256 differs from what the manifest states. */
export function wrongHashes(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: { path: string; sha256: string }[];
  };
  return manifest.files
    .filter(
      ({ path, sha256 }) =>
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex') !== sha256,
    )
    .map(({ path }) => path);
}
