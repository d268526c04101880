import { spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { readCopySources } from '../../electron/checkpoint/copy-program';
import { WorkspaceCopies } from '../../electron/checkpoint/workspace-copies';
import { LocalComputer } from '../../electron/computer/local/local-computer';
import { plainCopy } from '../baselines/plain-copy';
import { alternate, type Bench, byRound, figure, median, ratio, size } from '../harness';

const FILES = 10_000;
const CHANGED = 100;
const PER_FOLDER = 100;

/** A checkpoint of a large workspace of which little has changed since the one before. */
export const secondCheckpoint: Bench = {
  name: 'second-checkpoint',
  about: 'checkpoint of 1 GB in 10,000 files of which 100 changed since the last, against a plain copy',
  async run(options) {
    const files = size(options, FILES, FILES, 200);
    const bytes = Buffer.alloc(size(options, 100_000, 100_000, 1_000));
    const root = join(options.folder, 'workspace');
    writeFiles(root, 0, files, bytes);
    const resourcesDir = join(process.cwd(), 'resources');
    const computer = new LocalComputer({ resourcesDir, sessionsDir: join(options.folder, 'spools') });
    const sources = await readCopySources(resourcesDir);
    const localBase = join(options.folder, 'checkpoints');
    const copies = new WorkspaceCopies({ computer, run: ulid(), localBase, sources });
    const { signal } = new AbortController();
    const sizes: number[] = [];
    try {
      const made: string[] = [];
      const keep = async () => {
        const id = ulid();
        await copies.copy({ root, exclude: '', id, previous: made.at(-1) ?? '', keep: made }, signal);
        made.push(id);
      };
      await keep();
      const sides = await alternate(
        (round) => {
          const to = join(options.folder, `plain-${round}`);
          const seconds = plainCopy(root, to);
          rmSync(to, { recursive: true });
          return seconds;
        },
        async (round) => {
          writeFiles(root, (round * CHANGED) % files, Math.min(CHANGED, files / 10), bytes);
          const before = kilobytes(localBase);
          const start = performance.now();
          await keep();
          const seconds = (performance.now() - start) / 1000;
          sizes.push((kilobytes(localBase) - before) / kilobytes(root));
          return seconds;
        },
      );
      const detail = `disk blocks of one more checkpoint over those of the workspace: ${byRound(sizes)}`;
      return [
        ratio('second-checkpoint-time', sides, 's', { is: '≤', value: 0.1 }),
        figure('second-checkpoint-size', median(sizes), '×', { is: '≤', value: 0.1 }, { detail }),
      ];
    } finally {
      await computer.dispose();
    }
  },
};

/** Files `from` and following with fresh content, a hundred to a folder. */
function writeFiles(root: string, from: number, count: number, bytes: Buffer): void {
  for (let file = from; file < from + count; file += 1) {
    const folder = join(root, `part-${Math.floor(file / PER_FOLDER)}`);
    if (file % PER_FOLDER === 0 || file === from) mkdirSync(folder, { recursive: true });
    randomFillSync(bytes, 0, 64);
    writeFileSync(join(folder, `file-${file}.bin`), bytes);
  }
}

/** What a tree takes on disk; a file with several names counts once. */
function kilobytes(folder: string): number {
  const { stdout, status } = spawnSync('du', ['-sk', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`du failed on ${folder}.`);
  return Number(stdout.split('\t')[0]);
}
