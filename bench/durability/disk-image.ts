import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Material } from '../engine/material';
import type { Operation } from './write-log';

/** How much of what was not yet synced a cut leaves: nothing, all, or any part with a torn write. */
export type Remains = 'nothing' | 'all' | 'some';

type Change = Extract<Operation, { op: 'write' | 'truncate' }>;
type Naming = Extract<Operation, { op: 'create' | 'folder' | 'rename' | 'remove' }>;

const SECTOR = 512;

interface File {
  synced: Buffer;
  length: number;
  /** Since the file's last sync. */
  pending: Change[];
}

/**
 * What a disk holds when the power goes. A sync makes one file's bytes durable, and every creation, rename and removal
 * before it (journalling file systems commit those in order); other bytes may be there or not, page by page.
 */
export class DiskImage {
  private readonly files = new Map<string, File>();
  /** Names as the process sees them now, and as they are durable: path → the file's key. */
  private readonly names = new Map<string, string>();
  private durable = new Map<string, string>();
  private naming: Naming[] = [];
  private made = 0;

  apply(operation: Operation): void {
    switch (operation.op) {
      case 'write':
      case 'truncate':
        this.file(operation.path).pending.push(operation);
        return;
      case 'sync':
        this.sync(operation.path);
        return;
      case 'create':
      case 'folder':
      case 'rename':
      case 'remove':
        this.made += 1;
        rename(this.names, operation, `${operation.path}#${this.made}`);
        this.naming.push({ ...operation });
        return;
      default:
        return;
    }
  }

  /** Writes the files that a cut right now leaves below `folder`. */
  write(folder: string, remains: Remains, chance: Material): void {
    const names = remains === 'nothing' ? this.durable : this.namesAtCut(remains, chance);
    mkdirSync(folder, { recursive: true });
    for (const [path, id] of names) {
      const file = this.files.get(id);
      if (file !== undefined) {
        const target = join(folder, path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, contentAtCut(file, remains, chance));
      }
    }
  }

  private sync(path: string): void {
    const id = this.names.get(path);
    const file = id === undefined ? undefined : this.files.get(id);
    if (file !== undefined) {
      for (const change of file.pending.splice(0)) applyChange(file, change);
    }
    this.durable = new Map(this.names);
    this.naming = [];
  }

  /** Names that were not committed come in order: a prefix of them is there. */
  private namesAtCut(remains: Remains, chance: Material): Map<string, string> {
    if (remains === 'all' || this.naming.length === 0) return this.names;
    return chance.whole(2) === 0 ? this.durable : this.names;
  }

  private file(path: string): File {
    const id = this.names.get(path) ?? path;
    this.names.set(path, id);
    let file = this.files.get(id);
    if (file === undefined) {
      file = { synced: Buffer.alloc(0), length: 0, pending: [] };
      this.files.set(id, file);
    }
    return file;
  }
}

function rename(names: Map<string, string>, operation: Naming, fresh: string): void {
  if (operation.op === 'create') names.set(operation.path, fresh);
  if (operation.op === 'remove') names.delete(operation.path);
  if (operation.op === 'rename') {
    const id = names.get(operation.path);
    names.delete(operation.path);
    if (id !== undefined) names.set(operation.to, id);
  }
}

function applyChange(file: File, change: Change): void {
  if (change.op === 'truncate') {
    grow(file, change.length);
    // What a file grows by after a cut reads as zeros.
    file.synced.fill(0, change.length, file.synced.length);
    file.length = change.length;
    return;
  }
  grow(file, change.offset + change.bytes.length);
  change.bytes.copy(file.synced, change.offset);
  file.length = Math.max(file.length, change.offset + change.bytes.length);
}

function grow(file: File, length: number): void {
  if (length > file.synced.length) {
    const larger = Buffer.alloc(Math.max(length, 2 * file.synced.length));
    file.synced.copy(larger);
    file.synced = larger;
  }
}

function contentAtCut(file: File, remains: Remains, chance: Material): Buffer {
  if (remains === 'nothing' || file.pending.length === 0) return file.synced.subarray(0, file.length);
  const copy: File = { synced: Buffer.from(file.synced), length: file.length, pending: [] };
  for (const change of file.pending) {
    const fate = remains === 'all' ? 0 : chance.whole(4);
    if (fate < 2) applyChange(copy, change);
    if (fate === 2 && change.op === 'write') {
      const sectors = chance.whole(Math.ceil(change.bytes.length / SECTOR));
      if (sectors > 0) applyChange(copy, { ...change, bytes: change.bytes.subarray(0, sectors * SECTOR) });
    }
  }
  return copy.synced.subarray(0, copy.length);
}
