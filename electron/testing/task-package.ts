import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The part of a `task.yaml` about the evaluator of `writeTaskPackage`, which scores the number of lines of `data/outputs/answer.txt`. */
export const lineCounting = `evaluation:
  command: sh "$WAYMARK_EVALUATOR/evaluate.sh"
  inputs: [data/outputs/**]
  timeout: 20s
  needs: [sh, wc]
  score: { baseline: 0, reference: 8 }
`;

/** A small sound `task.yaml`. Its evaluator scores the number of lines of `data/outputs/answer.txt`. */
export const smallTaskYaml = `id: small
title: A small task
domain: Data Filtering
computers:
  - name: local
    host: local
    type: localhost_cpu
protected: [task/fixed.txt]
limits:
  max_steps: 20
${lineCounting}`;

const evaluator = `set -eu
printf '{"score": %d, "message": "counted"}' "$(wc -l < data/outputs/answer.txt)" > "$WAYMARK_RESULT"
`;

/** Writes a small, sound task package; `files` replaces or adds (null removes) files by their path in the package. */
export async function writeTaskPackage(
  folder: string,
  files: Record<string, string | null> = {},
): Promise<string> {
  const all: Record<string, string | null> = {
    'task.yaml': smallTaskYaml,
    'task_description.md': '## Task\n\nWrite eight lines.\n',
    'task/fixed.txt': 'fixed\n',
    'task/run.sh': 'echo hello\n',
    'data/datasets/numbers.txt': '1\n2\n3\n',
    'evaluation/evaluate.sh': evaluator,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    if (text === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
