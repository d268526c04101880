import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildStamp } from './setup/build.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { rebuiltBinding, STOCK_NODE_API } from './setup/sqlite.mjs';
import { StepFailure } from './setup/step-failure.mjs';
import { billName, billOfMaterials } from './trust/bill-of-materials.mjs';

/**
 * Two builds of the application that differ in one fuse: `release` is what people get; `e2e` takes
 * --inspect, without which Playwright cannot attach.
 *
 * @typedef {'release' | 'e2e'} Variant
 */

/**
 * Packs the built application with the Electron that set-up resolved. With the test runtime the result is
 * named *-testonly, because it may be neither used nor given away.
 *
 * @param {{ variant: Variant, targets?: string[] }} options targets as electron-builder names them; default: what
 *   electron-builder.yml lists for this platform
 * @returns {Promise<{ folder: string, executable: string, files: string[] }>} the unpacked application and what was written
 */
export async function packageApp({ variant, targets }) {
  const { runtime } = readLaunch();
  if (runtime.kind === 'path') {
    throw new StepFailure(
      'package',
      'an Electron given by WAYMARK_ELECTRON is not packed.',
      'Unset WAYMARK_ELECTRON, or set it to official or fallback.',
    );
  }
  const { build, Platform } = await import('electron-builder');
  const output = packageFolder(runtime.kind, variant);
  mkdirSync(output, { recursive: true });
  const bill = join(output, billName);
  writeFileSync(bill, `${JSON.stringify(billOfMaterials(runtime), null, 1)}\n`);
  const config = await packageConfig({ runtime, variant, output, bill });
  await offerSevenZip();
  const platform = Platform.current();
  // AppImage and deb need tools from a host that many networks block; they are made when asked for by name.
  const wanted = targets ?? (process.platform === 'linux' ? ['dir', 'zip'] : []);
  const files = await build({
    projectDir: projectRoot,
    config,
    publish: 'never',
    targets: platform.createTarget(wanted),
  });
  const folder = unpackedFolder(output);
  writeFileSync(join(output, '.sources'), packageStamp(variant));
  return { folder, executable: executableIn(folder), files };
}

/**
 * The unpacked application, packed now unless it is there already from the same sources and runtime.
 *
 * @param {Variant} variant
 * @returns {Promise<{ folder: string, executable: string }>}
 */
export async function ensurePackaged(variant) {
  const output = packageFolder(readLaunch().runtime.kind, variant);
  const stampFile = join(output, '.sources');
  const folder = unpackedFolder(output);
  const fresh = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === packageStamp(variant);
  if (fresh && existsSync(executableIn(folder))) return { folder, executable: executableIn(folder) };
  rmSync(output, { recursive: true, force: true });
  return packageApp({ variant, targets: ['dir'] });
}

/** What is laid over electron-builder.yml: all that depends on the runtime and the variant. */
async function packageConfig({ runtime, variant, output, bill }) {
  const testOnly = runtime.kind === 'fallback';
  return {
    directories: { output },
    electronVersion: runtime.version,
    ...(process.platform === 'darwin' ? {} : { electronDist: dirname(runtime.executable) }),
    extraResources: [
      { from: bill, to: billName },
      ...(runtime.nodeApi >= STOCK_NODE_API ? [] : [{ from: rebuiltBinding(), to: 'better_sqlite3.node' }]),
    ],
    // Electron's own page for those who start it without an application.
    afterPack: ({ appOutDir }) =>
      rmSync(join(resourcesOf(executableIn(appOutDir)), 'default_app.asar'), { force: true }),
    artifactName: `\${productName}-\${version}-\${os}-\${arch}${testOnly ? '-testonly' : ''}.\${ext}`,
    electronFuses: {
      enableNodeCliInspectArguments: variant === 'e2e',
      ...(await newerFuses(runtime)),
    },
  };
}

/** Fuses that an older Electron does not know; to ask it for one is an error. */
async function newerFuses(runtime) {
  const { FuseV1Options, getCurrentFuseWire } = await import('@electron/fuses');
  const wire = await getCurrentFuseWire(runtime.executable);
  const known = wire[FuseV1Options.GrantFileProtocolExtraPrivileges] !== undefined;
  return known ? { grantFileProtocolExtraPrivileges: false } : {}; // pages come from app://
}

/** electron-builder would fetch its own 7-Zip; the one from npm does as well. */
async function offerSevenZip() {
  if (process.env.ELECTRON_BUILDER_7ZIP_PATH) return;
  const { path7za } = await import('7zip-bin');
  if (process.platform !== 'win32') chmodSync(path7za, 0o755);
  process.env.ELECTRON_BUILDER_7ZIP_PATH = path7za;
}

/** @returns {string} absolute path; test-only builds and the e2e variant are told apart by name */
function packageFolder(kind, variant) {
  const suffix = `${variant === 'e2e' ? '-e2e' : ''}${kind === 'fallback' ? '-testonly' : ''}`;
  return join(projectRoot, 'release', `waymark${suffix}`);
}

function unpackedFolder(output) {
  if (process.platform === 'darwin') return join(output, process.arch === 'arm64' ? 'mac-arm64' : 'mac');
  const base = process.platform === 'win32' ? 'win' : 'linux';
  return join(output, process.arch === 'x64' ? `${base}-unpacked` : `${base}-${process.arch}-unpacked`);
}

function executableIn(folder) {
  if (process.platform === 'darwin') return join(folder, 'Waymark.app', 'Contents', 'MacOS', 'Waymark');
  return join(folder, process.platform === 'win32' ? 'Waymark.exe' : 'waymark');
}

/** @returns {string} the folder with the archive of the application that this executable starts */
export function resourcesOf(executable) {
  return process.platform === 'darwin'
    ? join(dirname(executable), '..', 'Resources')
    : join(dirname(executable), 'resources');
}

function packageStamp(variant) {
  const { runtime } = readLaunch();
  const hash = createHash('sha256').update(`${variant} ${runtime.kind} ${runtime.version} ${buildStamp()}`);
  for (const file of [
    'electron-builder.yml',
    'scripts/package-app.mjs',
    'scripts/trust/bill-of-materials.mjs',
  ])
    hash.update(readFileSync(join(projectRoot, file)));
  return hash.digest('hex');
}
