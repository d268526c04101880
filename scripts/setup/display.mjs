import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepFailure } from './step-failure.mjs';

const STEP = 'display';
/** A server that works names its display within a second. */
const PATIENCE_MS = 60_000;

/** @returns {boolean} whether windows can be shown to somebody */
export function hasDisplay(env = process.env, platform = process.platform) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Starts a virtual display that only the holder of its cookie may use.
 *
 * @param {{ owner?: { uid: number, gid: number }, size?: string }} [options] `owner` may read the cookie besides us
 * @returns {Promise<{ env: { DISPLAY: string, XAUTHORITY: string }, stop: () => void }>}
 */
export async function startDisplay({ owner, size = '1600x1000' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-display-'));
  const authority = join(folder, 'authority');
  writeFileSync(authority, cookieFile(randomBytes(16)), { mode: 0o600 });
  if (owner) {
    chownSync(folder, owner.uid, owner.gid);
    chownSync(authority, owner.uid, owner.gid);
  }
  // With -displayfd the server takes the first free number and writes it to that descriptor.
  const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-auth', authority];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let errors = '';
  server.stderr.on('data', (bytes) => {
    errors = (errors + bytes).slice(-2000);
  });
  const stop = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stop);
  const number = await new Promise((resolve, reject) => {
    const fail = (cause) => {
      clearTimeout(patience);
      reject(
        new StepFailure(
          STEP,
          `Xvfb did not start: ${cause}`,
          'Run Xvfb by hand to see why, or set DISPLAY to a display that works.',
        ),
      );
    };
    let text = '';
    server.stdio[3].on('data', (bytes) => {
      text += bytes;
      if (!text.includes('\n')) return;
      clearTimeout(patience);
      resolve(text.trim());
    });
    const patience = setTimeout(
      () => fail(`it named no display within ${PATIENCE_MS / 1000} s. ${errors.trim()}`),
      PATIENCE_MS,
    );
    server.once('error', (error) => fail(error.message));
    server.once('exit', (code) => fail(errors.trim() || `exit ${code}`));
  });
  server.stderr.unref?.();
  server.stdio[3].unref?.();
  server.unref();
  return { env: { DISPLAY: `:${number}`, XAUTHORITY: authority }, stop };
}

/**
 * An Xauthority file with one entry that counts for every host and display.
 *
 * @param {Buffer} cookie 16 bytes
 * @returns {Buffer} family (0xffff: any), then address, number, name and data, each with a 16-bit length
 */
export function cookieFile(cookie) {
  const counted = (bytes) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const anyFamily = Buffer.from([0xff, 0xff]);
  const name = Buffer.from('MIT-MAGIC-COOKIE-1');
  return Buffer.concat([
    anyFamily,
    counted(Buffer.alloc(0)),
    counted(Buffer.alloc(0)),
    counted(name),
    counted(cookie),
  ]);
}
