import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Computer } from '../../electron/computer/port';
import type { Store } from '../../electron/store/api';
import { openStore } from '../../electron/store/threads/client';
import { Material } from './material';
import { recorderOf } from './output-recorder';
import { creation } from './run-events';

/** What a terminal must show for the file that is printed. */
export interface Expected {
  bytes: number;
  sha256: string;
}

export interface OutputOrder {
  /** Made here; the store goes there. */
  folder: string;
  computer: Computer;
  /** On the computer. */
  cwd: string;
  command: string;
  expected: Expected;
}

/** Runs a command in a fresh session until every byte of it is stored and compared. MB (10⁶ bytes) per second. */
export async function outputThroughEngine(order: OutputOrder): Promise<number> {
  const { folder, computer, cwd, command, expected } = order;
  mkdirSync(folder);
  const store = await openStore(join(folder, 'workspace'), {});
  const run = ulid();
  await store.writer.append(run, 1, creation(run, 1));
  const failures: unknown[] = [];
  const log = recorderOf(store, run, computer, {
    record: (events) => store.writer.append(run, 1, events).then(() => undefined),
    failed: (_session, error) => void failures.push(error),
  });
  try {
    const session = await computer.sessions.create({
      name: 'main',
      cwd,
      env: {},
      rows: 40,
      cols: 120,
    });
    log.follow(computer.name, 'main', session.id, 0);
    const stored = storedUpTo(store, session.id);
    const start = performance.now();
    const { commandSeq } = await computer.sessions.run('main', command);
    const outcome = await computer.sessions.waitCommand('main', commandSeq, {});
    await stored(outcome.endOffset);
    const seconds = (performance.now() - start) / 1000;
    if (failures.length > 0) throw failures[0];
    await compare(store, run, session.id, outcome, expected);
    return expected.bytes / 1e6 / seconds;
  } finally {
    await log.stop();
    await computer.sessions.close('main');
    await store.close();
  }
}

/** Resolves once the store has acknowledged the session's bytes up to an offset. */
function storedUpTo(store: Store, uid: string): (offset: number) => Promise<void> {
  let end = 0;
  let wake = () => undefined as undefined;
  store.subscribe((notice) => {
    if (notice.kind === 'session' && notice.uid === uid) {
      end = notice.endOffset;
      wake();
    }
  });
  return (offset) =>
    new Promise((resolve) => {
      wake = () => {
        if (end >= offset) resolve();
        return undefined;
      };
      wake();
    });
}

async function compare(
  store: Store,
  run: string,
  uid: string,
  { startOffset, endOffset }: { startOffset: number; endOffset: number },
  expected: Expected,
): Promise<void> {
  const hash = createHash('sha256');
  let offset = startOffset;
  while (offset < endOffset) {
    const { bytes } = await store.reader.readSession(
      run,
      uid,
      offset,
      Math.min(256 * 1024, endOffset - offset),
    );
    if (bytes.length === 0) break;
    hash.update(bytes);
    offset += bytes.length;
  }
  const got = { bytes: offset - startOffset, sha256: hash.digest('hex') };
  if (got.bytes !== expected.bytes || got.sha256 !== expected.sha256) {
    throw new Error(
      `The stored output differs: ${got.bytes} bytes instead of ${expected.bytes}, or their hash.`,
    );
  }
}

/** Writes log lines; a terminal adds a carriage return to each. */
export async function writeLines(path: string, length: number): Promise<Expected> {
  const material = new Material(6);
  const block = Buffer.from(material.log(1_000_000).replace(/[^\n]*$/u, ''));
  const shown = Buffer.from(block.toString().replaceAll('\n', '\r\n'));
  const hash = createHash('sha256');
  const stream = createWriteStream(path);
  let bytes = 0;
  for (let written = 0; written < length; written += block.length) {
    if (!stream.write(block)) await once(stream, 'drain');
    hash.update(shown);
    bytes += shown.length;
  }
  stream.end();
  await once(stream, 'finish');
  return { bytes, sha256: hash.digest('hex') };
}
