import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../electron/store/file/database';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { Material } from '../engine/material';
import type { Acknowledgement } from './acknowledgement';
import { DiskImage, type Remains } from './disk-image';
import { type Operation, readWriteLog } from './write-log';

/** Every so many cuts the whole workspace is verified as well: chains, texts, heads, session parts. */
const VERIFY_EVERY = 25;
const REMAINS: readonly Remains[] = ['nothing', 'all', 'some', 'some'];

interface Reference {
  /** Hash by row id, as the undisturbed run has them. */
  events: Map<number, string>;
  runs: Map<string, number>;
  /** The session's bytes. */
  bytes: Buffer;
}

/** What one lane of cuts found. */
export interface CutLane {
  done: number;
  syncs: number;
  acknowledged: number;
  /** Written by the recorded process, MB (10⁶ bytes). */
  megabytes: number;
  lost: string[];
}

/**
 * `FOLDER CUTS LANE LANES`: of so many cuts spread evenly over the write log in the folder, those of one lane. Prints a
 * `CutLane`.
 */
export async function cutInLane([folder = '', ...counts]: readonly string[]): Promise<void> {
  const [cuts = 0, lane = 0, lanes = 1] = counts.map(Number);
  const recorded = join(folder, 'recorded');
  const operations = await readWriteLog(join(folder, 'writes.trace'), recorded);
  const reference = readReference(recorded);
  const syncs = operations.filter(({ op }) => op === 'sync').length;
  const image = new DiskImage();
  const seen: Acknowledgement[] = [];
  const lost: string[] = [];
  let [passed, reached, done] = [0, 0, 0];
  for (const operation of operations) {
    if (operation.op === 'sync') {
      passed += 1;
      // The cuts are spread evenly; a short log is cut more than once at each sync.
      for (; reached < Math.floor((passed * cuts) / syncs); reached += 1) {
        if (reached % lanes !== lane) continue;
        const remains = REMAINS[reached % REMAINS.length] ?? 'some';
        const cut = join(folder, `cut-${lane}`);
        image.write(cut, remains, new Material(8 + reached));
        const missing = await missingAfterCut(cut, seen, reference, reached % VERIFY_EVERY === 0);
        lost.push(...missing.map((what) => `cut ${reached} (${remains}): ${what}`));
        rmSync(cut, { recursive: true, force: true });
        done += 1;
      }
    } else if (operation.op === 'acknowledged') seen.push(...operation.what);
    image.apply(operation);
  }
  const megabytes = writtenBytes(operations) / 1e6;
  const found: CutLane = { done, syncs, acknowledged: seen.length, megabytes, lost };
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

/** What of the acknowledged rows is not in the workspace that a cut left. */
async function missingAfterCut(
  folder: string,
  seen: readonly Acknowledgement[],
  reference: Reference,
  whole: boolean,
): Promise<string[]> {
  if (seen.length === 0) return [];
  const missing: string[] = [];
  const db = openDatabase(join(folder, 'workspace.db'));
  try {
    const has = (sql: string, ...values: unknown[]) => db.prepare(sql).get(...values) !== undefined;
    const hashes = new Map(
      (db.prepare('SELECT id, hash FROM event').all() as EventHash[]).map(({ id, hash }) => [
        id,
        hash.toString('hex'),
      ]),
    );
    for (const done of latest(seen)) {
      if (done.kind === 'events') {
        const first = (reference.runs.get(done.run) ?? 0) * 2 ** 32;
        for (let seq = 1; seq <= done.seq; seq += 1) {
          const id = first + seq;
          if (hashes.get(id) !== reference.events.get(id)) missing.push(`event ${seq} of run ${done.run}`);
        }
      } else if (done.kind === 'bytes') {
        if (!has('SELECT 1 FROM session_log WHERE uid = ? AND end_offset >= ?', done.uid, done.end)) {
          missing.push(`row of session bytes up to ${done.end}`);
        }
        if (!sessionBytes(folder, done).equals(reference.bytes.subarray(0, done.end))) {
          missing.push(`session bytes up to ${done.end}`);
        }
      } else if (done.kind !== 'hint' && !has(`SELECT 1 FROM ${done.kind} WHERE ulid = ?`, done.ulid)) {
        missing.push(`${done.kind} ${done.ulid}`);
      }
    }
  } finally {
    db.close();
  }
  return whole ? [...missing, ...(await problems(folder))] : missing;
}

interface EventHash {
  id: number;
  hash: Buffer;
}

/** Heads and end offsets only grow: the latest of each says all; single rows are all asked for. */
function latest(seen: readonly Acknowledgement[]): Acknowledgement[] {
  const last = new Map<string, Acknowledgement>();
  for (const done of seen) {
    const key = done.kind === 'events' ? done.run : done.kind === 'bytes' ? done.uid : JSON.stringify(done);
    last.set(key, done);
  }
  return [...last.values()];
}

async function problems(folder: string): Promise<string[]> {
  const store = openStoreInProcess(folder);
  try {
    await store.drain();
    const report = await store.reader.verify();
    return report.ok ? [] : [`verify: ${JSON.stringify(report).slice(0, 500)}`];
  } finally {
    await store.close();
  }
}

function readReference(folder: string): Reference {
  const db = openDatabase(join(folder, 'workspace.db'));
  try {
    const events = db.prepare('SELECT id, hash FROM event').all() as EventHash[];
    const runs = db.prepare('SELECT id, ulid FROM run').all() as { id: number; ulid: string }[];
    const log = db.prepare('SELECT uid, end_offset AS end FROM session_log').get() as {
      uid: string;
      end: number;
    };
    const run = runs[0]?.ulid ?? '';
    return {
      events: new Map(events.map(({ id, hash }) => [id, hash.toString('hex')])),
      runs: new Map(runs.map(({ id, ulid }) => [ulid, id])),
      bytes: sessionBytes(folder, { run, ...log }),
    };
  } finally {
    db.close();
  }
}

/** The run is small enough for one part file. */
function sessionBytes(folder: string, { run, uid, end }: { run: string; uid: string; end: number }): Buffer {
  const at = join(folder, 'sessions', run, uid);
  const [file = ''] = readdirSync(at);
  return readFileSync(join(at, file)).subarray(0, end);
}

function writtenBytes(operations: readonly Operation[]): number {
  return operations.reduce((total, each) => total + (each.op === 'write' ? each.bytes.length : 0), 0);
}
