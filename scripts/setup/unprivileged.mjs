import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
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
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'unprivileged user';

/** Chromium's sandbox refuses root, so under root the application runs as this user. */
export const USER_NAME = 'waymark-test';
const HOME = `/var/lib/${USER_NAME}`;

/** What the application reads at run time when it is not packed, relative to the project. */
const APPLICATION_FILES = [
  'package.json',
  'out',
  'resources',
  'node_modules/better-sqlite3/package.json',
  'node_modules/better-sqlite3/lib',
  'node_modules/better-sqlite3/prebuilds',
];

/** @returns {boolean} whether this process must hand the application to another user */
export function mustDropPrivileges() {
  return process.platform === 'linux' && process.getuid() === 0;
}

/**
 * Creates the user when it is not there yet. Only root may call this.
 *
 * @returns {{ name: string, uid: number, gid: number, home: string }}
 */
export function ensureUser() {
  const known = lookUp();
  if (known) return known;
  const args = [
    '--system',
    '--user-group',
    '--create-home',
    '--home-dir',
    HOME,
    '--shell',
    '/bin/bash',
    USER_NAME,
  ];
  const result = spawnSync('useradd', args, { encoding: 'utf8' });
  const made = lookUp();
  if (made) return made;
  throw new StepFailure(
    STEP,
    `useradd ${USER_NAME} failed: ${(result.error?.message ?? result.stderr).trim()}`,
    `Create it by hand (useradd ${args.join(' ')}), or work as a user other than root.`,
  );
}

function lookUp() {
  const result = spawnSync('getent', ['passwd', USER_NAME], { encoding: 'utf8' });
  if (result.status !== 0) return undefined;
  const [name, , uid, gid, , home] = result.stdout.trim().split(':');
  return { name, uid: Number(uid), gid: Number(gid), home };
}

/**
 * Writes the program that starts an executable as the unprivileged user, with the sandbox on. It takes the
 * arguments of the executable; a --no-sandbox among them (Playwright adds one) is left out.
 *
 * @param {string} executable absolute path
 * @param {{ name: string, uid: number, gid: number, home: string }} user
 * @returns {string} absolute path of the launcher
 */
export function ensureLauncher(executable, user) {
  const text = launcherText(executable, user);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const launcher = join(cacheFolder(), 'launchers', key, basename(executable));
  if (existsSync(launcher) && readFileSync(launcher, 'utf8') === text) return launcher;
  mkdirSync(dirname(launcher), { recursive: true });
  const staged = `${launcher}.${process.pid}`;
  writeFileSync(staged, text);
  chmodSync(staged, 0o755);
  renameSync(staged, launcher);
  return launcher;
}

function launcherText(executable, user) {
  return `#!/bin/sh
# Starts the application as ${user.name}: Chromium's sandbox refuses to run as root.
for argument; do
  shift
  [ "$argument" = --no-sandbox ] || set -- "$@" "$argument"
done
[ "$HOME" = ${quoted(homedir())} ] && HOME=${quoted(user.home)}
USER=${user.name} LOGNAME=${user.name}
export HOME USER LOGNAME
unset XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
exec setpriv --reuid ${user.uid} --regid ${user.gid} --init-groups --inh-caps=-all -- ${quoted(executable)} "$@"
`;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The folder from which the unprivileged user can run the application: the project itself, or a copy of
 * what the application reads when the project lies where that user may not look.
 *
 * @param {{ uid: number, gid: number }} user
 * @param {string} stamp identifies the build; a copy of another build is replaced
 * @returns {string} absolute path
 */
export function readableApplication(user, stamp) {
  if (canRead(user, join(projectRoot, 'out', 'main', 'main.js'))) return projectRoot;
  const key = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12);
  const copies = join(cacheFolder(), 'application', key);
  const target = join(copies, stamp);
  if (existsSync(target)) return target;
  replaceCopies(copies, target, (staged) => {
    for (const path of APPLICATION_FILES) {
      const source = join(projectRoot, path);
      if (existsSync(source)) cpSync(source, join(staged, path), { recursive: true, dereference: true });
    }
  });
  return target;
}

/** Leaves one readable copy below `copies`, which appears under its name only when it is complete. */
function replaceCopies(copies, target, fill) {
  mkdirSync(copies, { recursive: true });
  for (const old of readdirSync(copies)) rmSync(join(copies, old), { recursive: true, force: true });
  const staged = mkdtempSync(join(copies, '.staged-'));
  fill(staged);
  spawnSync('chmod', ['-R', 'a+rX', staged]);
  renameSync(staged, target);
}

/**
 * A packed application that the unprivileged user can run: the one given, or a copy of its folder in the
 * cache when it lies where that user may not look.
 *
 * @param {string} executable absolute path
 * @param {{ uid: number, gid: number }} user
 * @returns {string} absolute path of an executable
 */
export function readableExecutable(executable, user) {
  if (canRead(user, executable)) return executable;
  const folder = dirname(executable);
  const copies = join(
    cacheFolder(),
    'packaged',
    createHash('sha256').update(folder).digest('hex').slice(0, 12),
  );
  const archive = statSync(join(folder, 'resources', 'app.asar'));
  const copy = join(copies, `${archive.size}-${Math.round(archive.mtimeMs)}`);
  if (!existsSync(copy))
    replaceCopies(copies, copy, (staged) =>
      cpSync(folder, staged, { recursive: true, verbatimSymlinks: true }),
    );
  return join(copy, basename(executable));
}

/** Root must also keep the cache where that user can reach it. */
export function checkCacheIsReadable(user, executable) {
  if (canRead(user, executable)) return;
  throw new StepFailure(
    STEP,
    `${user.name ?? USER_NAME} cannot read ${executable}.`,
    'Set WAYMARK_CACHE to a folder that every user may enter, for example /var/cache/waymark.',
  );
}

function canRead(user, path) {
  const args = [
    '--reuid',
    String(user.uid),
    '--regid',
    String(user.gid),
    '--clear-groups',
    '--',
    'test',
    '-r',
    path,
  ];
  return spawnSync('setpriv', args, { stdio: 'ignore' }).status === 0;
}
