import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import {
  ensureFallback,
  fallback,
  fallbackExecutable,
  fallbackNotice,
  fallbackPossible,
} from './fallback-runtime.mjs';
import { projectRoot } from './project.mjs';
import { nodeApiOfElectron, runtimeCandidates } from './runtime-choice.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'Electron';
const PROBE_TIMEOUT_MS = 4_000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

/**
 * @typedef {object} ElectronRuntime
 * @property {'official' | 'fallback' | 'path'} kind
 * @property {string} executable absolute path
 * @property {string} version like "45.4.1"
 * @property {number} nodeApi its Node-API version, 8 or 10
 */

/**
 * Finds or fetches the Electron that every script uses. WAYMARK_ELECTRON=official|fallback|PATH decides by hand.
 *
 * @param {{ say: (text: string) => void }} options
 * @returns {Promise<ElectronRuntime>}
 */
export async function ensureElectron({ say }) {
  const candidates = runtimeCandidates({
    wish: process.env.WAYMARK_ELECTRON || undefined,
    officialInstalled: existsSync(officialExecutable() ?? ''),
    fallbackReady: fallbackPossible() && existsSync(fallbackExecutable()),
    fallbackPossible: fallbackPossible(),
    downloadFailedAt: downloadFailedAt(),
    now: Date.now(),
  });
  let refusal;
  for (const candidate of candidates) {
    if (candidate === 'installed') return official();
    if (candidate === 'fallback') return takeFallback({ say });
    if (typeof candidate === 'object') return byPath(candidate.path);
    refusal = await download({ say });
    if (refusal === undefined) return official();
    say(`${STEP}: ${refusal}`);
  }
  throw new StepFailure(
    STEP,
    refusal,
    'Set ELECTRON_MIRROR to a mirror of Electron releases that you can reach, or WAYMARK_ELECTRON to an Electron binary.',
  );
}

function official() {
  const { version } = electronManifest();
  return { kind: 'official', executable: officialExecutable(), version, nodeApi: nodeApiOfElectron(version) };
}

async function takeFallback({ say }) {
  const fresh = !existsSync(fallbackExecutable());
  const executable = await ensureFallback({ say });
  if (process.stderr.isTTY && !process.env.CI) say(fallbackNotice);
  else if (fresh) say(`${STEP}: test runtime ${fallback.electronVersion} unpacked to ${dirname(executable)}`);
  return {
    kind: 'fallback',
    executable,
    version: fallback.electronVersion,
    nodeApi: nodeApiOfElectron(fallback.electronVersion),
  };
}

function byPath(path) {
  const executable = resolve(path);
  if (!existsSync(executable) || !statSync(executable).isFile()) {
    throw new StepFailure(
      STEP,
      `WAYMARK_ELECTRON names ${executable}, which is not a file.`,
      'Set it to an Electron binary, to "official" or to "fallback", or unset it.',
    );
  }
  const versionFile = join(dirname(executable), 'version');
  const version = existsSync(versionFile)
    ? readFileSync(versionFile, 'utf8').trim().replace(/^v/, '')
    : electronManifest().version;
  return { kind: 'path', executable, version, nodeApi: nodeApiOfElectron(version) };
}

/** @returns {Promise<string | undefined>} why there is no official Electron, or undefined when there is one now */
async function download({ say }) {
  const unreachable = await probe();
  if (unreachable !== undefined) return rememberFailure(unreachable);
  say(`${STEP}: downloading ${electronManifest().version} …`);
  const result = spawnSync(process.execPath, [join(projectRoot, 'node_modules', 'electron', 'install.js')], {
    encoding: 'utf8',
    timeout: DOWNLOAD_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status === 0 && existsSync(officialExecutable() ?? '')) {
    rmSync(failureFile(), { force: true });
    return undefined;
  }
  const reason = result.stderr.split('\n').find((line) => line.trim() !== '');
  return rememberFailure(
    `the download of Electron ${electronManifest().version} failed: ${reason ?? `exit ${result.status ?? result.signal}`}`,
  );
}

/** A blocked network can swallow connections for minutes; this asks first. A proxy answers for itself. */
async function probe() {
  if (process.env.HTTPS_PROXY || process.env.https_proxy || process.env.ELECTRON_GET_USE_PROXY)
    return undefined;
  const base =
    process.env.ELECTRON_MIRROR ||
    process.env.npm_config_electron_mirror ||
    'https://github.com/electron/electron/releases/';
  try {
    await fetch(base, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return undefined;
  } catch (error) {
    const cause = error.cause?.code ?? error.name;
    return `Electron's download at ${new URL(base).host} cannot be reached (${cause}).`;
  }
}

function officialExecutable() {
  const folder = join(projectRoot, 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  const versionFile = join(folder, 'dist', 'version');
  if (!existsSync(pathFile) || !existsSync(versionFile)) return undefined;
  if (readFileSync(versionFile, 'utf8').trim().replace(/^v/, '') !== electronManifest().version)
    return undefined;
  return join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
}

function electronManifest() {
  return JSON.parse(readFileSync(join(projectRoot, 'node_modules', 'electron', 'package.json'), 'utf8'));
}

function failureFile() {
  return join(cacheFolder(), 'electron-download-failed');
}

function downloadFailedAt() {
  return existsSync(failureFile()) ? statSync(failureFile()).mtimeMs : undefined;
}

function rememberFailure(reason) {
  mkdirSync(cacheFolder(), { recursive: true });
  writeFileSync(failureFile(), `${reason}\n`);
  return reason;
}
