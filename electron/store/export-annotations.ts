import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { removeFile } from '../files/remove';
import { ANNOTATION_FORMAT, ANNOTATION_FORMAT_VERSION } from './annotation-source';
import { systemCode } from './database';
import type { ReadContext } from './read-context';
import { type SourceEntry, storedEntries } from './stored-entries';

/** Lines between two turns of the event loop. */
const TURN = 500;

/**
 * Writes the whole annotation log into a file of JSON lines: a header, each entry verbatim with its link of the chain,
 * and a last line that counts them. The file appears whole or not at all. Returns how many entries.
 */
export async function exportAnnotations({ statements }: ReadContext, path: string): Promise<number> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openNew(temporary, path);
  let entries = 0;
  try {
    try {
      let lines = [JSON.stringify({ format: ANNOTATION_FORMAT, version: ANNOTATION_FORMAT_VERSION })];
      for (const entry of storedEntries(statements)) {
        lines.push(asLine(entry));
        entries += 1;
        if (lines.length >= TURN) {
          writeSync(file, `${lines.join('\n')}\n`);
          lines = [];
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      writeSync(file, `${[...lines, JSON.stringify({ entries })].join('\n')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    putInPlace(temporary, path);
  } catch (thrown) {
    removeFile(dirname(temporary), basename(temporary));
    throw thrown;
  }
  return entries;
}

function openNew(temporary: string, path: string): number {
  try {
    return openSync(temporary, 'wx', 0o600);
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
}

function putInPlace(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
}

/** A folder stands there, or nothing may be written there. */
function notWritten(path: string, thrown: unknown): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `${path} cannot be written. Name a file in a folder where you may write.`,
    systemCode(thrown),
  );
}

function asLine({ device, deviceSeq, ulid, run, body, hash }: SourceEntry): string {
  return JSON.stringify(body === '' ? { hash, purged: true, device, deviceSeq, ulid, run } : { hash, body });
}
