import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { onPath, runApt } from './apt.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'test hosts';

/** Programs the tests start real ssh hosts and sandboxes with, and the Debian packages they come from. */
const packageOfProgram = {
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  ip: 'iproute2',
  nft: 'nftables',
  bwrap: 'bubblewrap',
};

/** Debian starts a service as soon as its package is installed unless this file says no. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Makes sure that tests can start ssh hosts of their own. As root on a Debian-like system it installs what lacks, and
 * sees to it that the system's own ssh server neither starts now nor at the next boot. Elsewhere nothing is installed:
 * the tests that need it are skipped and say so.
 *
 * @param {{ say: (text: string) => void }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureTestHosts({ say }) {
  if (process.platform !== 'linux') return 'not here: tests with real ssh hosts are skipped';
  const missing = missingPackages();
  if (missing.length === 0) return 'present';
  if (process.getuid() !== 0 || !onPath('apt-get'))
    return `${missing.join(', ')} not installed: ${skippedWithout(missing)} are skipped`;
  say(`${STEP}: apt-get install ${missing.join(' ')} …`);
  install(missing);
  const still = missingPackages();
  if (still.length === 0) return `installed ${missing.join(', ')}`;
  throw new StepFailure(
    STEP,
    `still missing after the installation: ${still.join(', ')}.`,
    'Install them by hand, then run the same command again.',
  );
}

function skippedWithout(missing) {
  const hosts = missing.some((name) => name !== 'bubblewrap') ? ['tests with real ssh hosts'] : [];
  const sandboxes = missing.includes('bubblewrap') ? ['tests of sandboxes'] : [];
  return [...hosts, ...sandboxes].join(' and ');
}

function missingPackages() {
  return Object.entries(packageOfProgram)
    .filter(([program]) => !onPath(program))
    .map(([, name]) => name);
}

function install(packages) {
  const policy = !existsSync(POLICY);
  if (policy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    runApt(STEP, ['update', '-qq']);
    runApt(STEP, ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  } finally {
    if (policy) rmSync(POLICY, { force: true });
  }
  if (packages.includes('openssh-server') && onPath('systemctl'))
    spawnSync('systemctl', ['disable', 'ssh.service', 'ssh.socket'], { stdio: 'ignore' });
}
