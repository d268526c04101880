import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Begins every name this harness gives to a network, a folder or an interface; the process's id follows. */
export const namePrefix = 'waymark-ssh-';

const programs = [
  'sshd',
  'ssh',
  'ssh-keygen',
  'ssh-agent',
  'ip',
  'ss',
  'nft',
  'unshare',
  'nsenter',
  'setpriv',
  'perl',
];

/** Why real hosts in namespaces cannot be had here; undefined when they can. */
export const namespacesMissing: string | undefined = whatIsMissing();

function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux') return 'hosts in namespaces need Linux';
  if (process.getuid?.() !== 0) return 'hosts in namespaces need root';
  const missing = programs.filter((name) => !onPath(name));
  if (missing.length > 0)
    return `not installed: ${missing.join(', ')} (Debian: openssh-server openssh-client iproute2 nftables util-linux)`;
  const tried = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `namespaces are not allowed here: ${tried.stderr.trim()}`;
}

function onPath(name: string): boolean {
  return [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].some((folder) =>
    existsSync(join(folder, name)),
  );
}

/** Runs a program of the machine to its end and gives its standard output; fails with what it said. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(program, [...args], {
    env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` },
    maxBuffer: 64 << 20,
  });
  return stdout;
}

/** Removes networks and folders of earlier runs that died. Their processes died with them. */
export async function sweepStale(): Promise<void> {
  const networks = (await run('ip', ['netns', 'list'])).split('\n').map((line) => line.split(' ')[0] ?? '');
  for (const name of networks.filter(isStale)) await run('ip', ['netns', 'delete', name]).catch(gone);
  for (const name of readdirSync(tmpdir()).filter(isStale))
    await rm(join(tmpdir(), name), { recursive: true, force: true });
}

function isStale(name: string): boolean {
  if (!name.startsWith(namePrefix)) return false;
  const pid = Number(/^\d+/.exec(name.slice(namePrefix.length))?.[0] ?? Number.NaN);
  return Number.isInteger(pid) && !existsSync(`/proc/${pid}`);
}

/** Another process of the same tests may have swept it at the same moment. */
function gone(): undefined {
  return undefined;
}
