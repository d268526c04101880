import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { WaymarkError } from '@shared/contract/errors';
import type { RedactionSettings } from './settings';
import { findingName, TextFinder } from './text-finder';

/** Lines of text of one file, unpacked: records as JSON, or whatever else stands in it. */
export type LinesOf = (path: string) => AsyncIterable<string>;

export interface FileFinding {
  /** Relative to the folder. */
  file: string;
  /** From 1; of a Parquet file the row. */
  line: number;
  rule: string;
  /** By which a person may let it stand. */
  name: string;
  excerpt: string;
}

/** More are counted and not listed. */
const MOST_LISTED = 100;
/** Other files than data are looked at whole: a key may go over lines. */
const WHOLE = 8 * 1024 * 1024;

/**
 * Looks once more for what redaction takes out, in finished files: unpacked, JSON as the texts it holds. `readers` open what is
 * neither text nor gzip, by the end of the name (`.zst`, `.parquet`), line by line.
 * @throws WaymarkError `bug` for a kind of file that nothing reads: what cannot be looked at must not pass; `cancelled`
 */
export async function rescan(
  folder: string,
  settings: RedactionSettings,
  {
    readers = {},
    signal,
  }: { readers?: Readonly<Record<string, LinesOf>>; signal?: AbortSignal | undefined } = {},
): Promise<{ findings: FileFinding[]; count: number }> {
  const findings: FileFinding[] = [];
  let count = 0;
  if (settings.level === 'off') return { findings, count };
  const finder = new TextFinder(settings);
  const files = await filesIn(folder);
  for (const path of files.sort()) {
    const file = path.slice(folder.length + 1);
    let line = 0;
    for await (const text of await linesOf(path, readers)) {
      line += 1;
      if (signal?.aborted)
        throw new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
      for (const part of textsIn(text)) {
        for (const hit of finder.find(part)) {
          count += 1;
          if (findings.length < MOST_LISTED)
            findings.push({ file, line, rule: hit.rule, name: findingName(hit), excerpt: hit.excerpt });
        }
      }
    }
  }
  return { findings, count };
}

/**
 * The last gate of an export. @throws WaymarkError `refused`, which names the first finding and how it may be let stand, when
 * anything was found
 */
export function refuseFound({ findings, count }: { findings: readonly FileFinding[]; count: number }): void {
  const [first] = findings;
  if (first === undefined) return;
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  throw new WaymarkError(
    'refused',
    `The finished files still hold something that redaction takes out: ${first.file}, line ${first.line} (${first.rule})${more}. Nothing was written; leave its run out, or allow it with --allow ${first.name}.`,
    findings
      .map(({ file, line, rule, name, excerpt }) => `${file}:${line}: ${rule}, ${excerpt}, ${name}`)
      .join('\n'),
  );
}

async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      else files.push(path);
    }
  }
  return files;
}

async function linesOf(
  path: string,
  readers: Readonly<Record<string, LinesOf>>,
): Promise<AsyncIterable<string>> {
  const end = extname(path);
  const reader = readers[end];
  if (reader !== undefined) return reader(path);
  if (end === '.gz') return lines(createReadStream(path).pipe(createGunzip()));
  if (BINARY.has(end))
    throw new WaymarkError('bug', `Nothing reads ${path}, so it cannot be looked at for secrets`);
  const { size } = await stat(path);
  return end === '.jsonl' || size > WHOLE ? lines(createReadStream(path)) : wholeText(path);
}

const BINARY = new Set(['.zst', '.parquet', '.arrow', '.zip', '.xz', '.br']);

async function* wholeText(path: string): AsyncGenerator<string> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path)) pieces.push(piece as Buffer);
  yield Buffer.concat(pieces).toString('utf8');
}

const lines = (stream: Readable): AsyncGenerator<string> => linesOfPieces(stream as AsyncIterable<Buffer>);

/** Lines of UTF-8 text that comes in pieces, without their ends. */
export async function* linesOfPieces(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest: string[] = [];
  for await (const piece of stream) {
    const [first = '', ...others] = decoder.write(piece).split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('');
      rest = [line];
    }
  }
  const last = rest.join('') + decoder.end();
  if (last !== '') yield last;
}

/** The texts of a JSON value, or the text itself. An array that goes over lines has a comma or a bracket around each. */
function* textsIn(text: string): Generator<string> {
  const line = text.trim().replace(/^,|,$/g, '');
  if (/^[[{"]/.test(line)) {
    const value = parsed(line);
    if (value !== undefined) {
      yield* stringsOf(value);
      return;
    }
  }
  yield text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Then it is looked at as the text it is.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function* stringsOf(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') yield next;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [field, item] of Object.entries(next)) open.push(field, item);
  }
}
