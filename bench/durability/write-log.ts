import { join } from 'node:path';
import { type Acknowledgement, parseAcknowledgements } from './acknowledgement';
import { descriptor, type TracedCall, tracedCalls, unhex } from './strace';

/** What a process did to the files below a folder, in order; paths are relative to it. */
export type Operation =
  | { op: 'create'; path: string }
  | { op: 'folder'; path: string }
  | { op: 'write'; path: string; offset: number; bytes: Buffer }
  | { op: 'truncate'; path: string; length: number }
  | { op: 'rename'; path: string; to: string }
  | { op: 'remove'; path: string }
  | { op: 'sync'; path: string }
  | { op: 'acknowledged'; what: Acknowledgement[] };

export const RECORDED_CALLS = [
  'openat',
  'lseek',
  'write',
  'pwrite64',
  'writev',
  'pwritev',
  'ftruncate',
  'fallocate',
  'fsync',
  'fdatasync',
  'rename',
  'renameat',
  'renameat2',
  'unlink',
  'unlinkat',
  'mkdir',
  'copy_file_range',
  'sendfile',
] as const;

const NAMING = /^(rename|unlink|mkdir)/;

/** Reads a trace of `RECORDED_CALLS`. Throws for a call it cannot follow: a log with a hole proves nothing. */
export async function readWriteLog(trace: string, folder: string): Promise<Operation[]> {
  const reader = new LogReader(folder);
  for await (const call of tracedCalls(trace)) {
    if (!call.result.startsWith('-1')) reader.apply(call);
  }
  return reader.operations;
}

class LogReader {
  readonly operations: Operation[] = [];
  private readonly known = new Set<string>();
  private readonly positions = new Map<string, number>();
  private readonly inside: string;

  constructor(folder: string) {
    this.inside = join(folder, '/');
  }

  apply({ name, args, result }: TracedCall): void {
    if (name === 'openat') this.open(args, result);
    else if (name === 'lseek') this.positions.set(key(args), Number.parseInt(result, 10));
    else if (name === 'write') this.write(args, result);
    else if (name === 'pwrite64') this.positionedWrite(args, result);
    else if (name === 'ftruncate')
      this.onFile(args, (path) => ({ op: 'truncate', path, length: Number(lastWord(args)) }));
    else if (name === 'fsync' || name === 'fdatasync') this.onFile(args, (path) => ({ op: 'sync', path }));
    else if (NAMING.test(name)) this.change(name, args);
    else this.refuse(name, args);
  }

  private open(args: string, result: string): void {
    const { path } = descriptor(result);
    const local = this.local(path);
    if (local === null || !/O_CREAT|O_TRUNC/.test(args)) return;
    this.positions.delete(key(result));
    if (!this.known.has(local)) {
      this.known.add(local);
      this.operations.push({ op: 'create', path: local });
    } else if (args.includes('O_TRUNC')) this.operations.push({ op: 'truncate', path: local, length: 0 });
  }

  private write(args: string, result: string): void {
    const bytes = data(args, result);
    if (descriptor(args).fd === 1) {
      const what = parseAcknowledgements(bytes.toString('utf8'));
      if (what.length > 0) this.operations.push({ op: 'acknowledged', what });
      return;
    }
    const offset = this.positions.get(key(args)) ?? 0;
    this.positions.set(key(args), offset + bytes.length);
    this.onFile(args, (path) => ({ op: 'write', path, offset, bytes }));
  }

  private positionedWrite(args: string, result: string): void {
    this.onFile(args, (path) => ({
      op: 'write',
      path,
      offset: Number(lastWord(args)),
      bytes: data(args, result),
    }));
  }

  private change(name: string, args: string): void {
    const [path, to] = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
      this.local(unhex(text).toString()),
    );
    if (path === null || path === undefined) return;
    if (name === 'mkdir') this.operations.push({ op: 'folder', path });
    else if (name.startsWith('unlink')) {
      this.known.delete(path);
      this.operations.push({ op: 'remove', path });
    } else if (typeof to === 'string') {
      this.known.delete(path);
      this.known.add(to);
      this.operations.push({ op: 'rename', path, to });
    }
  }

  private refuse(name: string, args: string): void {
    this.onFile(args, (path) => {
      throw new Error(`${name} on ${path}: the recorder does not follow this call.`);
    });
  }

  private onFile(args: string, make: (path: string) => Operation): void {
    const path = this.local(descriptor(args).path);
    if (path !== null) this.operations.push(make(path));
  }

  /** Null outside the folder, and for SQLite's shared memory, which no crash keeps. */
  private local(path: string): string | null {
    if (`${path}/` === this.inside) return '';
    return path.startsWith(this.inside) && !path.endsWith('-shm') ? path.slice(this.inside.length) : null;
  }
}

/** A descriptor with its path: numbers are used again. */
function key(text: string): string {
  const { fd, path } = descriptor(text);
  return `${fd} ${path}`;
}

function lastWord(args: string): string {
  return args.slice(args.lastIndexOf(',') + 1).trim();
}

/** What was really written, which may be less than was asked for. */
function data(args: string, result: string): Buffer {
  const from = args.indexOf('"');
  const to = args.lastIndexOf('"');
  if (args.startsWith('...', to + 1)) throw new Error('The trace holds a shortened write.');
  return unhex(args.slice(from + 1, to)).subarray(0, Number.parseInt(result, 10));
}
