import { TextDecoder } from 'node:util';

export type TextEncoding = 'utf8' | 'utf16le' | 'utf16be';

/** A text file taken apart so that it can be put together again byte for byte. */
export interface TextFile {
  encoding: TextEncoding;
  bom: boolean;
  /** Bytes that are no valid text were replaced by U+FFFD: it can be shown but not written back. */
  damaged: boolean;
  lines: string[];
  /** Line ending of each line: `\n`, `\r\n`, or '' for a last line without one. */
  endings: string[];
}

export type DecodedFile = { kind: 'text'; file: TextFile } | { kind: 'binary'; why: string };

/** Lines as editors count them: the text after a final line break is no line. A lone `\r` is part of its line. */
export function splitLines(text: string): { lines: string[]; endings: string[] } {
  const lines: string[] = [];
  const endings: string[] = [];
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf('\n', from);
    if (newline < 0) {
      lines.push(text.slice(from));
      endings.push('');
      break;
    }
    const carriage = newline > from && text[newline - 1] === '\r';
    lines.push(text.slice(from, carriage ? newline - 1 : newline));
    endings.push(carriage ? '\r\n' : '\n');
    from = newline + 1;
  }
  return { lines, endings };
}

/** Takes bytes apart: UTF-8 with or without a byte order mark, UTF-16 with one; everything with NULs is binary. */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const [a, b, c] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    const encoding = a === 0xff ? 'utf16le' : 'utf16be';
    const even = bytes.subarray(2, bytes.length - (bytes.length % 2));
    const little = encoding === 'utf16le' ? even : Buffer.from(even).swap16();
    const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(little);
    // A UTF-16 mark in front of arbitrary bytes still decodes; NULs give such a file away.
    if (text.includes('\0')) return { kind: 'binary', why: 'it contains NUL characters' };
    const damaged = bytes.length % 2 === 1 || text.includes('\uFFFD');
    return { kind: 'text', file: { encoding, bom: true, damaged, ...splitLines(text) } };
  }
  if (bytes.includes(0)) return { kind: 'binary', why: 'it contains NUL bytes' };
  const bom = a === 0xef && b === 0xbb && c === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { kind: 'text', file: { encoding: 'utf8', bom, damaged: false, ...splitLines(text) } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
    const odd = text.split('\uFFFD').length - 1;
    if (odd > Math.max(16, text.length / 10)) return { kind: 'binary', why: 'most of it is not text' };
    return { kind: 'text', file: { encoding: 'utf8', bom, damaged: true, ...splitLines(text) } };
  }
}

/** The text without its byte order mark. */
export function textOf(file: TextFile): string {
  return file.lines.map((line, i) => line + (file.endings[i] ?? '')).join('');
}

/** The bytes of a file that is not damaged; `encodeFile(decode(bytes))` equals `bytes`. */
export function encodeFile(file: TextFile): Uint8Array {
  const text = (file.bom ? '\uFEFF' : '') + textOf(file);
  if (file.encoding === 'utf8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return file.encoding === 'utf16be' ? bytes.swap16() : bytes;
}

/** The line ending most lines have; `\n` when there is none. */
export function mainEnding(file: TextFile): string {
  const windows = file.endings.filter((ending) => ending === '\r\n').length;
  const unix = file.endings.filter((ending) => ending === '\n').length;
  return windows > unix ? '\r\n' : '\n';
}

/**
 * Lines `start`..`end` (1-based, inclusive) replaced by `content`; `start` = number of lines + 1 appends. One
 * line break at the end of `content` ends its last line rather than starting an empty one, and '' removes the lines.
 * New lines get the file's main line ending; a file without a final line break keeps having none unless `content`
 * ends with one.
 */
export function replaceLines(
  file: TextFile,
  start: number,
  end: number,
  content: string,
): { file: TextFile; added: number } {
  const ending = mainEnding(file);
  const fresh = splitLines(content.replaceAll('\r\n', '\n'));
  const total = file.lines.length;
  const last = Math.min(end, total);
  const openEnd = total > 0 && file.endings[total - 1] === '';
  const before = file.endings.slice(0, start - 1);
  // A line that used to be last and had no ending is last no more.
  if (fresh.lines.length > 0 && before.at(-1) === '') before[before.length - 1] = ending;
  const added = fresh.lines.map(() => ending);
  const after = file.endings.slice(last);
  const keepOpen = openEnd && after.length === 0 && !content.endsWith('\n');
  if (added.length > 0 && keepOpen) added[added.length - 1] = '';
  // An empty last line exists only through its line break.
  if (added.length === 0 && keepOpen && file.lines[start - 2]) before[before.length - 1] = '';
  return {
    file: {
      ...file,
      lines: [...file.lines.slice(0, start - 1), ...fresh.lines, ...file.lines.slice(last)],
      endings: [...before, ...added, ...after],
    },
    added: fresh.lines.length,
  };
}
