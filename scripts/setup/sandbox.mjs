import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StepFailure } from './step-failure.mjs';

const STEP = 'sandbox';

/** Kernel settings that deny user namespaces, with the value that denies. */
const denials = [
  { file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', value: '1' },
  { file: '/proc/sys/kernel/unprivileged_userns_clone', value: '0' },
  { file: '/proc/sys/user/max_user_namespaces', value: '0' },
];

/**
 * Chromium's sandbox needs user namespaces, or else its helper program to belong to root with the setuid
 * bit. Root sets the bit where namespaces are denied; another user gets the command.
 *
 * @param {{ executable: string }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureSandbox({ executable }) {
  if (process.platform !== 'linux') return 'as the system has it';
  const helper = join(dirname(executable), 'chrome-sandbox');
  const denied = denials.find(
    ({ file, value }) => existsSync(file) && readFileSync(file, 'utf8').trim() === value,
  );
  if (denied === undefined || !existsSync(helper)) return 'by user namespaces';
  const { uid, mode } = statSync(helper);
  if (uid === 0 && (mode & 0o4755) === 0o4755) return 'by its setuid helper';
  if (process.getuid() === 0) {
    chownSync(helper, 0, 0);
    chmodSync(helper, 0o4755);
    return 'by its setuid helper, set now';
  }
  throw new StepFailure(
    STEP,
    `this kernel denies user namespaces (${denied.file} is ${denied.value}), which Chromium's sandbox needs.`,
    `Run: sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
  );
}
