import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath, runApt } from './apt.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'Linux libraries';

/** Which Debian package holds a library that Electron asks for. */
const packageOfLibrary = {
  'libX11.so.6': 'libx11-6',
  'libXcomposite.so.1': 'libxcomposite1',
  'libXdamage.so.1': 'libxdamage1',
  'libXext.so.6': 'libxext6',
  'libXfixes.so.3': 'libxfixes3',
  'libXrandr.so.2': 'libxrandr2',
  'libxcb.so.1': 'libxcb1',
  'libxkbcommon.so.0': 'libxkbcommon0',
  'libasound.so.2': 'libasound2',
  'libatk-1.0.so.0': 'libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0',
  'libatspi.so.0': 'libatspi2.0-0',
  'libcairo.so.2': 'libcairo2',
  'libcups.so.2': 'libcups2',
  'libdbus-1.so.3': 'libdbus-1-3',
  'libdrm.so.2': 'libdrm2',
  'libexpat.so.1': 'libexpat1',
  'libgbm.so.1': 'libgbm1',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libgtk-3.so.0': 'libgtk-3-0',
  'libgdk-3.so.0': 'libgtk-3-0',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libsmime3.so': 'libnss3',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libudev.so.1': 'libudev1',
};

/** Loaded at run time, so ldd does not name it: Electron's file dialogs and theme. */
const LATE_LIBRARY = 'libgtk-3.so.0';

/** Without a font for Chinese, a screenshot of that language shows boxes. */
const FONTS = [
  { package: 'fonts-dejavu-core', folder: '/usr/share/fonts/truetype/dejavu' },
  { package: 'fonts-wqy-microhei', folder: '/usr/share/fonts/truetype/wqy' },
];

/**
 * Makes sure that Electron's shared libraries, and Xvfb where it is needed, are installed. As root on a
 * Debian-like system it installs them; otherwise it stops with the exact command.
 *
 * @param {{ executable: string, needXvfb: boolean, say: (text: string) => void }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureLinuxLibraries({ executable, needXvfb, say }) {
  if (process.platform !== 'linux') return 'not needed here';
  const missing = missingThings(executable, needXvfb);
  const root = process.getuid() === 0;
  const apt = onPath('apt-get');
  const fonts = root && apt && needXvfb ? FONTS.filter((font) => !existsSync(font.folder)) : [];
  if (missing.packages.length === 0 && missing.unknown.length === 0 && fonts.length === 0) return 'present';
  if (missing.unknown.length > 0 || (missing.packages.length > 0 && !apt)) {
    const names = [...missing.unknown, ...missing.packages].join(', ');
    throw new StepFailure(
      STEP,
      `Electron lacks ${names}.`,
      "Install what provides them with your system's package manager, then run the same command again.",
    );
  }
  if (root) return install({ executable, needXvfb, missing: missing.packages, fonts, say });
  const command = `sudo apt-get update && sudo apt-get install -y ${missing.packages.map(nameInThisRelease).join(' ')}`;
  throw new StepFailure(
    STEP,
    `Electron needs packages that are not installed: ${missing.packages.join(', ')}.`,
    `Run: ${command}`,
  );
}

function install({ executable, needXvfb, missing, fonts, say }) {
  const wanted = [...missing, ...fonts.map((font) => font.package)];
  say(`${STEP}: apt-get install ${wanted.join(' ')} …`);
  try {
    runApt(STEP, ['update', '-qq']);
    runApt(STEP, ['install', '-y', '-qq', '--no-install-recommends', ...wanted.map(nameInThisRelease)]);
  } catch (error) {
    if (missing.length > 0 || !(error instanceof StepFailure)) throw error;
    return `present, but for fonts (${error.reason})`;
  }
  const left = missingThings(executable, needXvfb);
  const still = [...left.packages, ...left.unknown];
  if (still.length === 0) return `installed ${wanted.join(', ')}`;
  throw new StepFailure(
    STEP,
    `still missing after the installation: ${still.join(', ')}.`,
    'Install them by hand, then run the same command again.',
  );
}

function missingThings(executable, needXvfb) {
  const libraries = [
    ...missingLibraries(executable),
    ...(libraryIsKnown(LATE_LIBRARY) ? [] : [LATE_LIBRARY]),
  ];
  const packages = new Set();
  const unknown = [];
  for (const library of libraries) {
    const name = packageOfLibrary[library];
    if (name) packages.add(name);
    else unknown.push(library);
  }
  if (needXvfb && !onPath('Xvfb')) packages.add('xvfb');
  return { packages: [...packages], unknown };
}

function missingLibraries(executable) {
  const result = spawnSync('ldd', [executable], { encoding: 'utf8' });
  if (result.error) return []; // no ldd: a system without glibc's tools; starting will tell
  return parseMissing(result.stdout).filter((name) => !existsSync(join(dirname(executable), name)));
}

/**
 * @param {string} lddOutput
 * @returns {string[]} names of the libraries that were not found
 */
export function parseMissing(lddOutput) {
  return lddOutput
    .split('\n')
    .filter((line) => line.includes('=> not found'))
    .map((line) => line.trim().split(/\s+/)[0]);
}

function libraryIsKnown(library) {
  const folders = ['/usr/lib', '/usr/lib64', '/lib', ...multiarchFolders()];
  return folders.some((folder) => existsSync(join(folder, library)));
}

function multiarchFolders() {
  return readdirSync('/usr/lib')
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join('/usr/lib', name));
}

/** Debian 13 and Ubuntu 24.04 renamed some packages for 64-bit time. */
function nameInThisRelease(name) {
  const renamed = `${name}t64`;
  const known = spawnSync('apt-cache', ['show', '--no-all-versions', renamed], { stdio: 'ignore' });
  return known.status === 0 ? renamed : name;
}
