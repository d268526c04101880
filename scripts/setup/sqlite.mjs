import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { npmFolder } from './npm.mjs';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'database library';
const ADDON_FILE = 'better_sqlite3.node';

/** better-sqlite3's prebuilt add-on needs this Node-API; older runtimes need the rebuild. */
export const STOCK_NODE_API = 10;

/** @returns {string} absolute path of the rebuilt add-on, whether or not it exists yet */
export function rebuiltBinding(facts = {}) {
  const { betterSqlite3, headerSha256 } = readBuildFacts();
  const platform = facts.platform ?? process.platform;
  const arch = facts.arch ?? process.arch;
  const key = `${betterSqlite3}-${headerSha256.slice(0, 12)}-${platform}-${arch}`;
  return join(cacheFolder(facts), 'better-sqlite3', key, ADDON_FILE);
}

/**
 * Makes sure that every runtime in use finds a working database library: builds better-sqlite3 once
 * for Node-API 8 when this Node or the resolved Electron is older than Node-API 10.
 *
 * @param {{ electronNodeApi?: number, say: (text: string) => void }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureSqlite({ electronNodeApi, say }) {
  const oldest = Math.min(Number(process.versions.napi), electronNodeApi ?? Number.POSITIVE_INFINITY);
  if (oldest >= STOCK_NODE_API) return 'stock prebuild';
  const target = rebuiltBinding();
  if (existsSync(target)) return `rebuilt for Node-API ${oldest} (cached)`;
  checkBuildFacts();
  checkCompiler();
  say(`${STEP}: building better-sqlite3 for Node-API ${oldest}, once, about a minute …`);
  const started = Date.now();
  build(target);
  return `rebuilt for Node-API ${oldest} in ${Math.round((Date.now() - started) / 1000)} s`;
}

/** @returns {boolean} whether this Node finds a working database library */
export function isSqliteReady() {
  return Number(process.versions.napi) >= STOCK_NODE_API || existsSync(rebuiltBinding());
}

/** The debris of a failed or interrupted build is a folder under the system's temporary folder, never the target. */
function build(target) {
  const work = mkdtempSync(join(tmpdir(), 'waymark-sqlite-'));
  try {
    const source = join(work, 'better-sqlite3');
    cpSync(join(projectRoot, 'node_modules', 'better-sqlite3'), source, {
      recursive: true,
      dereference: true,
    });
    cpSync(
      join(projectRoot, 'node_modules', 'node-addon-api'),
      join(source, 'node_modules', 'node-addon-api'),
      {
        recursive: true,
        dereference: true,
      },
    );
    const header = join(work, 'napi8.h');
    cpSync(join(projectRoot, 'resources', 'runtime', 'napi8.h'), header);
    runNodeGyp(source, header);
    const built = join(source, 'build', 'Release', ADDON_FILE);
    verify(built);
    moveIntoPlace(built, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runNodeGyp(source, header) {
  const nodeGyp = join(npmFolder(), 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  if (!existsSync(nodeGyp)) {
    throw new StepFailure(
      STEP,
      `npm's own node-gyp was not found at ${nodeGyp}.`,
      'Install npm 9 or newer (it ships node-gyp), then run the same command again.',
    );
  }
  const env = { ...process.env, ...headersOfThisNode(), JOBS: String(cpus().length) };
  if (process.platform === 'win32') env.CL = `/FI"${header}" ${process.env.CL ?? ''}`.trim();
  else env.CXXFLAGS = `-include ${header} ${process.env.CXXFLAGS ?? ''}`.trim();
  const result = spawnSync(process.execPath, [nodeGyp, 'rebuild', '--release', '--force_build=1'], {
    cwd: source,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status === 0) return;
  const lines = `${result.stdout}\n${result.stderr}`.trim().split('\n');
  const errors = lines.filter((line) => /error|ERR!/i.test(line)).slice(0, 6);
  throw new StepFailure(
    STEP,
    `compiling better-sqlite3 failed.\n    ${(errors.length > 0 ? errors : lines.slice(-6)).join('\n    ')}`,
    'Fix what the compiler reports (missing headers: install Node with its include folder, or set npm config nodedir), then run the same command again.',
  );
}

/** node-gyp would download headers; the ones beside this Node serve as well, and need no network. */
function headersOfThisNode() {
  const configured = process.env.npm_config_nodedir;
  if (configured) return {};
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? { npm_config_nodedir: prefix } : {};
}

function checkCompiler() {
  if (process.platform === 'win32') return; // node-gyp's own search names what is missing there
  const commands = ['python3', 'make', 'g++'];
  const missing = commands.filter((command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error);
  if (missing.length === 0) return;
  const next =
    process.platform === 'darwin'
      ? 'Run: xcode-select --install, then run the same command again.'
      : 'Run: sudo apt-get install -y build-essential python3 (Debian, Ubuntu), then run the same command again.';
  throw new StepFailure(
    STEP,
    `building better-sqlite3 needs ${missing.join(', ')}, not found on PATH.`,
    next,
  );
}

function readBuildFacts() {
  return JSON.parse(readFileSync(join(projectRoot, 'resources', 'runtime', 'native-build.json'), 'utf8'));
}

/** The key of the cache is written down in native-build.json; a stale one would hide an old build. */
function checkBuildFacts() {
  const facts = readBuildFacts();
  const header = readFileSync(join(projectRoot, 'resources', 'runtime', 'napi8.h'));
  const headerSha256 = createHash('sha256').update(header).digest('hex');
  const manifest = join(projectRoot, 'node_modules', 'better-sqlite3', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (facts.headerSha256 === headerSha256 && facts.betterSqlite3 === version) return;
  throw new StepFailure(
    STEP,
    'resources/runtime/native-build.json does not match the header or the installed better-sqlite3.',
    `Write "betterSqlite3": "${version}" and "headerSha256": "${headerSha256}" into it.`,
  );
}

/** Opens a database with the new add-on in a process of its own, so that a crash is a failure and not ours. */
function verify(addon) {
  const script = `const D = require(${JSON.stringify(join(projectRoot, 'node_modules', 'better-sqlite3'))});
    const d = new D(':memory:', { nativeBinding: ${JSON.stringify(addon)} });
    if (d.prepare('select 41 + ? as n').get(1).n !== 42) process.exit(3);`;
  const result = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  if (result.status === 0) return;
  throw new StepFailure(
    STEP,
    `the built library does not work (exit ${result.status ?? result.signal}).\n    ${result.stderr.trim().split('\n').slice(-3).join('\n    ')}`,
    'Run the same command again; if it stays, use Node 22.14 or newer, which needs no build.',
  );
}

function moveIntoPlace(built, target) {
  const folder = dirname(target);
  mkdirSync(dirname(folder), { recursive: true });
  const staged = mkdtempSync(`${folder}.tmp-`);
  cpSync(built, join(staged, ADDON_FILE));
  makeReadable(staged);
  rmSync(folder, { recursive: true, force: true });
  renameSync(staged, folder);
}

/** mkdtemp makes folders private; the unprivileged user must be able to read this one. */
function makeReadable(folder) {
  if (process.platform === 'win32') return;
  spawnSync('chmod', ['-R', 'a+rX', folder]);
}
