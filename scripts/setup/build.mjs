import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'build';
const INPUTS = [
  'electron',
  'shared',
  'renderer',
  'resources',
  'electron.vite.config.mts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
];
const NOT_BUILT = /\.test\.(ts|tsx|mjs)$|^resources\/(icons|samples)\//;
const OUTPUTS = ['out/main/main.js', 'out/main/cli.js', 'out/preload/preload.js', 'out/renderer/index.html'];

/** @returns {string} where the digest of the last complete build's sources is kept */
function stampFile() {
  return join(projectRoot, 'out', '.sources');
}

/**
 * Builds the application into out/ when its sources changed since the last complete build.
 *
 * @param {{ say: (text: string) => void }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureBuild({ say }) {
  if (isBuildReady()) return 'up to date';
  const whole = isWhole();
  const glance = sourceGlance(projectRoot);
  const stamp = sourceStamp(projectRoot);
  if (whole && buildStamp() === stamp) {
    writeFileSync(glanceFile(), `${stamp} ${glance}`);
    return 'up to date';
  }
  say(`${STEP}: electron-vite build …`);
  const started = Date.now();
  rmSync(stampFile(), { force: true }); // an interrupted build must not look complete
  const program = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const { code, output } = await run(process.execPath, [program, 'build']);
  if (code !== 0) {
    throw new StepFailure(
      STEP,
      `electron-vite build failed (exit ${code}).\n    ${output.trim().split('\n').slice(-25).join('\n    ')}`,
      'Fix the source named above, then run the same command again.',
    );
  }
  writeFileSync(stampFile(), stamp);
  writeFileSync(glanceFile(), `${stamp} ${glance}`);
  return `built in ${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/** @returns {boolean} whether out/ is complete and no source looks changed since; reads no source */
export function isBuildReady() {
  const stamp = buildStamp();
  return isWhole() && stamp !== '' && glanceBefore() === `${stamp} ${sourceGlance(projectRoot)}`;
}

function isWhole() {
  return OUTPUTS.every((file) => existsSync(join(projectRoot, file)));
}

/** @returns {string} the digest of the sources that out/ was built from; empty when there is no complete build */
export function buildStamp() {
  return existsSync(stampFile()) ? readFileSync(stampFile(), 'utf8') : '';
}

/** @returns {string} where it is kept how the sources looked from outside when they had the stamp beside it */
function glanceFile() {
  return join(projectRoot, 'out', '.glance');
}

function glanceBefore() {
  return existsSync(glanceFile()) ? readFileSync(glanceFile(), 'utf8') : '';
}

/**
 * Reading every source takes longer than a short command. While no file has changed its size, its number or the times the
 * system keeps, none has other content.
 *
 * @param {string} root the project's folder
 * @returns {string} digest over path and state of everything that goes into the build
 */
export function sourceGlance(root) {
  const hash = createHash('sha256');
  for (const { name, file } of sources(root)) {
    const { size, ino, mtimeMs, ctimeMs } = lstatSync(file);
    hash.update(`${name}\0${size} ${ino} ${mtimeMs} ${ctimeMs}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * @param {string} root the project's folder
 * @returns {string} digest over path and content of everything that goes into the build
 */
export function sourceStamp(root) {
  const hash = createHash('sha256');
  for (const { name, file } of sources(root))
    hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

function* sources(root) {
  for (const input of INPUTS) {
    for (const file of filesBelow(join(root, input))) {
      const name = relative(root, file).replaceAll('\\', '/');
      if (!NOT_BUILT.test(name)) yield { name, file };
    }
  }
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  const names = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const child = join(folder, entry.name);
      if (entry.isDirectory()) visit(child);
      else if (entry.isFile()) names.push(child);
    }
  };
  try {
    visit(path);
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
  return names.sort();
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    const keep = (bytes) => {
      output = (output + bytes).slice(-100_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
