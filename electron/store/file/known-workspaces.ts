import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { readRegularFileSync } from '../../files/regular-file';
import { systemCode } from './database';

/** 65 bytes each: sixteen thousand workspaces. Whatever comes after them is asked about each time. */
const MOST_BYTES = 1024 * 1024;
const KEY = /^[0-9a-f]{64}$/;

/**
 * The workspaces in which this installation has worked, by their files (`fileKey`), in `known-workspaces` below the application's
 * data. A workspace says nothing about this itself: whoever makes a disk image chooses what stands in its rows, and also number
 * and birth of its files. Lines are only added, so that several processes may do it at once.
 */
export class KnownWorkspaces {
  private readonly path: string;

  /** @param data the application's data folder */
  constructor(private readonly data: string) {
    this.path = join(data, 'known-workspaces');
  }

  has(key: string): boolean {
    try {
      const text = readRegularFileSync(this.path, this.path, MOST_BYTES + 65, '').toString('utf8');
      return KEY.test(key) && text.split('\n').includes(key);
    } catch (thrown) {
      // There is none yet, or something else is in its place: then nothing is known.
      if (thrown instanceof WaymarkError && thrown.code !== 'system_busy') return false;
      throw thrown;
    }
  }

  /** What the disk refuses is passed over: the person is asked once more, and nothing else depends on it. */
  add(key: string): void {
    if (this.has(key)) return;
    try {
      mkdirSync(this.data, { recursive: true, mode: 0o700 });
      const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
      const file = openSync(this.path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
      try {
        const found = fstatSync(file);
        if (found.isFile() && found.size <= MOST_BYTES) appendFileSync(file, `${key}\n`);
      } finally {
        closeSync(file);
      }
    } catch (thrown) {
      if (systemCode(thrown) === '') throw thrown;
    }
  }
}
