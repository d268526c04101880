import { cannot, mustBeAbsolute } from '../file-texts';
import type {
  DirectoryEntry,
  FileContent,
  FileKind,
  FileStat,
  FileSystemPort,
  FileWriteOptions,
  WalkEntry,
  WalkOptions,
} from '../port';
import type { AgentClient } from './agent-client';
import { asRefusedFile, ChannelLost, type FileQuestion } from './agent-failures';
import { type AgentLink, overLink } from './agent-link';
import { moment, wholeNumber } from './answer-numbers';
import { maxBodyBytes, unescapeField } from './frames';
import { readLarge, readRange, writeLarge } from './large-files';
import { TransferPace } from './transfer-pace';

const maxPathBytes = 4096;
/** Of one directory. Nobody reads more, and all of it is held in memory. */
const maxListed = { names: 500_000, bytes: 32 * 1024 * 1024 };

/** Files of a distant host, over the channel its sessions use. */
export class AgentFiles implements FileSystemPort {
  private readonly link: Pick<AgentLink, 'host' | 'client'>;
  private readonly pace = new TransferPace();

  constructor(link: Pick<AgentLink, 'host' | 'client'>) {
    this.link = link;
  }

  async read(path: string, { maxBytes }: { maxBytes: number }): Promise<FileContent> {
    return this.on({ path, verb: 'read', maxBytes }, async (client) => {
      const { fields, body } = await client.request('f.read', [path, String(maxBytes)]);
      const [size, mtime, mode = '', sha256 = '', large] = fields;
      const permissions = fileMode(mode);
      if (large === '1') {
        const whole = wholeNumber(size, 'the size of a file');
        const content = await readLarge(client, path, whole, maxBytes, this.pace);
        return { ...content, mode: permissions };
      }
      // A copy: the content must not keep everything else that came in the same piece.
      return {
        bytes: body.slice(),
        sha256,
        size: body.length,
        mtimeMs: moment(mtime, 'the age of a file'),
        mode: permissions,
      };
    });
  }

  async readRange(
    path: string,
    offset: number,
    length: number,
  ): Promise<{ bytes: Uint8Array; size: number }> {
    return this.on({ path, verb: 'read' }, (client) => readRange(client, path, offset, length, this.pace));
  }

  async write(path: string, bytes: Uint8Array, options: FileWriteOptions = {}): Promise<{ sha256: string }> {
    const { expectSha256: expected, mkdirs = false } = options;
    const mode = options.mode?.toString(8) ?? '';
    const expect = expected === undefined ? 'any' : (expected ?? 'absent');
    return this.on({ path, verb: 'write', expected }, async (client) => {
      if (bytes.length > maxBodyBytes) {
        return writeLarge(client, { path, bytes, mkdirs, mode, expect }, this.pace);
      }
      const args = [path, mode, expect, flag(mkdirs)];
      const { fields } = await client.request('f.write', args, { body: bytes });
      return { sha256: fields[0] ?? '' };
    });
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.on({ path, verb: 'look at' }, async (client) => {
      const { fields } = await client.request('f.stat', [path]);
      const [kind = '', size, mtime, mode = ''] = fields;
      if (kind === '') return undefined;
      return {
        kind: kind === 'file' || kind === 'directory' ? kind : 'other',
        size: wholeNumber(size, 'the size of a file'),
        mtimeMs: moment(mtime, 'the age of a file'),
        mode: fileMode(mode),
      };
    });
  }

  async list(path: string, options: { hidden: boolean }): Promise<DirectoryEntry[]> {
    return this.on({ path, verb: 'list' }, async (client) => {
      const entries: DirectoryEntry[] = [];
      const enough = new AbortController();
      let bytes = 0;
      const onPart = (part: Uint8Array) => {
        bytes += part.length;
        if (bytes > maxListed.bytes || entries.length > maxListed.names)
          enough.abort(cannot('too_large', path, 'list', 'it holds too many names; look at a part of it'));
        if (enough.signal.aborted) return;
        for (const [kind = '', name = ''] of table(part)) {
          if (!isName(name))
            throw new ChannelLost(`the host's helper listed ${JSON.stringify(name.slice(0, 40))} as a name.`);
          entries.push({ name, kind: fileKind(kind) });
        }
      };
      const args = [path, flag(options.hidden)];
      const { body } = await client.request('f.list', args, { onPart, signal: enough.signal });
      onPart(body);
      enough.signal.throwIfAborted();
      return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    });
  }

  async walk(path: string, options: WalkOptions): Promise<{ entries: WalkEntry[]; truncated: boolean }> {
    const { hidden, maxEntries, signal } = options;
    return this.on({ path, verb: 'search' }, async (client) => {
      const entries: WalkEntry[] = [];
      const below = path.endsWith('/') ? path : `${path}/`;
      const onPart = (part: Uint8Array) => {
        if (entries.length >= maxEntries) return;
        for (const [kind = '', size, mtime, full = ''] of table(part)) {
          if (entries.length >= maxEntries) return;
          if (!full.startsWith(below) || !full.slice(below.length).split('/').every(isName))
            throw new ChannelLost(`the host found ${JSON.stringify(full.slice(0, 80))} below ${path}.`);
          entries.push({
            path: full,
            kind: fileKind(kind),
            size: wholeNumber(size, 'the size of a file'),
            mtimeMs: moment(mtime, 'the age of a file'),
          });
        }
      };
      const args = [path, flag(hidden), String(maxEntries)];
      const { fields, body } = await client.request('f.walk', args, { onPart, signal });
      onPart(body);
      return { entries, truncated: fields[0] === '1' };
    });
  }

  async realpath(path: string): Promise<string> {
    return this.on({ path, verb: 'resolve' }, async (client) => {
      const { fields } = await client.request('f.real', [path]);
      return fields[0] ?? '';
    });
  }

  async makeDirectory(path: string): Promise<void> {
    await this.on({ path, verb: 'make' }, (client) => client.request('f.mkdir', [path]));
  }

  async remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    await this.on({ path, verb: 'remove' }, (client) =>
      client.request('f.remove', [path, flag(options.recursive ?? false)]),
    );
  }

  async hash(path: string): Promise<string> {
    return this.on({ path, verb: 'read' }, async (client) => {
      const { fields } = await client.request('f.hash', [path]);
      return fields[0] ?? '';
    });
  }

  private async on<T>(question: FileQuestion, work: (client: AgentClient) => Promise<T>): Promise<T> {
    mustBeAbsolute(question.path);
    // The kernel's own limit; beyond it a request would not fit a frame either.
    if (Buffer.byteLength(question.path) > maxPathBytes) {
      throw cannot('invalid_path', question.path, question.verb, 'the name is too long');
    }
    try {
      return await overLink(this.link, work);
    } catch (error) {
      throw asRefusedFile(error, question);
    }
  }
}

function flag(value: boolean): string {
  return value ? '1' : '0';
}

/** Permissions, in octal. */
function fileMode(field: string): number {
  return Number.parseInt(/^[0-7]{1,6}$/.test(field) ? field : '', 8) || 0;
}

/** No name leads anywhere but into the directory it is in. */
function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !text.includes('/');
}

function fileKind(word: string): FileKind {
  return word === 'file' || word === 'directory' || word === 'symlink' ? word : 'other';
}

/** Lines of fields, as many answers carry them. */
function table(body: Uint8Array): string[][] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map(unescapeField));
}
