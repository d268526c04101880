import { type PlainText, PlainTextBuilder, rewritten, through, whole, withoutEscapes } from './plain-text';

/*
 * What a text means once a layer of writing is taken off. Each is one pass; null where there is nothing of that kind. They are
 * for looking only: where a layer may be read in two ways, the one that shows more is taken.
 */

/** An address inside an address inside an address. */
const PERCENT_LAYERS = 3;

/** A text in each way in which it may be read. */
export interface Readings {
  /** As it stands. */
  raw: PlainText;
  /** Without escape sequences and with escapes as what they mean; `raw` where it has none. */
  plain: PlainText;
  /** `plain` without one, two and three layers of percent-encoding, as far as it has them. */
  decoded: readonly PlainText[];
}

export function readings(raw: PlainText): Readings {
  const meant = through(raw, unescaped(raw.text));
  const plain = through(meant, withoutEscapes(meant.text));
  const decoded: PlainText[] = [];
  for (let layer = 0; layer < PERCENT_LAYERS; layer += 1) {
    const last = decoded.at(-1) ?? plain;
    const next = percentDecoded(last.text);
    if (next === null) break;
    decoded.push(through(last, next));
  }
  return { raw, plain, decoded };
}

const ESCAPE = /\\{1,16}(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|033|e(?=\[)|[nrtbf"'/])?/g;
const MEANING: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '/': '/',
  '033': '\u001b',
  e: '\u001b',
};

/** Escapes of JSON and of source text as what they mean, however many layers of JSON lie around them. */
export function unescaped(text: string): PlainText | null {
  if (!text.includes('\\')) return null;
  return rewritten(text, ESCAPE, (builder, found, at) => {
    const slashes = found.lastIndexOf('\\') + 1;
    const tail = found.slice(slashes);
    const meaning =
      MEANING[tail] ?? (tail === '' ? '\\' : String.fromCharCode(Number.parseInt(tail.slice(1), 16)));
    builder.write(meaning, at, at + found.length);
    return at + found.length;
  });
}

const PERCENT = /(?:%[0-9A-Fa-f]{2})+/g;

/** Percent-encoding as what it means, one layer of it. */
export function percentDecoded(text: string): PlainText | null {
  if (!text.includes('%')) return null;
  return rewritten(text, PERCENT, (builder, found, at) => {
    const bytes = Buffer.from(found.replaceAll('%', ''), 'hex');
    const end = at + found.length;
    if (bytes.some((byte) => byte > 0x7f)) builder.write(bytes.toString('utf8'), at, end);
    else {
      for (const [index, byte] of bytes.entries())
        builder.write(String.fromCharCode(byte), at + 3 * index, at + 3 * index + 3);
    }
    return end;
  });
}

/** Columns at which programs and people fold. */
const WIDTHS = new Set([60, 64, 70, 72, 75, 76, 78, 79, 80, 90, 99, 100, 118, 119, 120, 132, 160, 200]);
const NARROWEST = 40;
const KEY_CHARACTER = /[A-Za-z0-9_+/=.~:@-]/;
/** A line that begins with another sign is a rule or a list. */
const KEY_GOES_ON = /[A-Za-z0-9_+/=.]/;

/**
 * Lines that were folded hard, put together again: only where a full line ends, and the next begins, with what keys are made of.
 * Of a difference the marks go as well.
 */
export function unfolded(text: string): PlainText | null {
  let builder: PlainTextBuilder | null = null;
  let kept = 0;
  let start = 0;
  let width = -1;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    const next = end + 1;
    const close = text[end - 1] === '\r' ? end - 1 : end;
    const mark = '+-> '.includes(text[start] ?? '\n') && text[next] === text[start] ? 1 : 0;
    const length = close - start;
    const full = length >= NARROWEST && (WIDTHS.has(length) || WIDTHS.has(length - mark) || length === width);
    if (full && KEY_CHARACTER.test(text[close - 1] ?? '') && KEY_GOES_ON.test(text[next + mark] ?? '')) {
      builder ??= new PlainTextBuilder();
      builder.keep(text, kept, close);
      kept = next + mark;
    }
    width = length;
    start = next;
  }
  if (builder === null) return null;
  builder.keep(text, kept, text.length);
  return builder.end();
}

/** Shorter ones hold no key. */
const SHORTEST = 24;
/** Of base64 that was folded, the shortest line but the last. */
const SHORTEST_LINE = 40;
const IN_BASE64 = new Uint8Array(128);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  IN_BASE64[letter.charCodeAt(0)] = 1;
const VALUE = new Uint8Array(128);
for (const [value, letters] of [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  '-_',
].entries())
  for (const [index, letter] of [...letters].entries())
    VALUE[letter.charCodeAt(0)] = value === 0 ? index : 62 + index;

/**
 * Texts that stand in base64 or hex in this one, whatever stands before and after, also folded into lines: each as a view of this
 * text, one character a byte. A place is that of the group of characters it was decoded from.
 */
export function decodedBlobs(text: string): PlainText[] {
  const views: PlainText[] = [];
  for (const lines of blobs(text)) {
    const joined = lines.length === 1 ? null : new PlainTextBuilder();
    for (const { from, to } of lines) joined?.keep(text, from, to);
    const [{ from, to } = { from: 0, to: 0 }] = lines;
    const cut = joined?.end() ?? null;
    const view = cut ?? {
      ...whole(text.slice(from, to)),
      origin: (at: number) => from + at,
      after: (at: number) => from + at,
    };
    const decoded = decodedText(view);
    if (decoded !== null) views.push(decoded);
  }
  return views;
}

interface Piece {
  from: number;
  to: number;
}

/** Runs of base64's letters, each a list of its lines. */
function* blobs(text: string): Generator<Piece[]> {
  for (let from = 0; from + SHORTEST <= text.length; ) {
    // From its last letter back: where one does not belong, none of the runs over it is long enough.
    let last = from + SHORTEST - 1;
    while (last >= from && inBase64(text, last)) last -= 1;
    if (last >= from) {
      from = last + 1;
      continue;
    }
    const lines: Piece[] = [];
    let to = from + SHORTEST;
    for (let start = from; ; ) {
      while (inBase64(text, to)) to += 1;
      lines.push({ from: start, to });
      const next = text.charCodeAt(to) === 13 ? to + 2 : to + 1;
      if (to - start < SHORTEST_LINE || text.charCodeAt(next - 1) !== 10 || !inBase64(text, next)) break;
      start = next;
      to = next;
    }
    yield unmarked(text, lines);
    from = to + 1;
  }
}

function inBase64(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && IN_BASE64[code] === 1;
}

/** Without the mark that a difference puts before each line. */
function unmarked(text: string, lines: Piece[]): Piece[] {
  const mark = text[lines.at(-1)?.from ?? 0];
  if (lines.length < 2 || (mark !== '+' && mark !== '-')) return lines;
  if (!lines.slice(1).every(({ from }) => text[from] === mark)) return lines;
  return lines.map(({ from, to }, index) => ({
    from: index > 0 || text[from] === mark ? from + 1 : from,
    to,
  }));
}

const HEX = /^[0-9a-fA-F]*$/;

function decodedText(view: PlainText): PlainText | null {
  const { text } = view;
  if (text.length >= 2 * SHORTEST && HEX.test(text.slice(0, 24)) && HEX.test(text)) {
    for (const skip of [0, 1]) {
      const head = Buffer.from(text.slice(skip, skip + 16), 'hex');
      if (head.every(readable)) return grouped(view, { skip, width: 2, bytes: 1, encoding: 'hex' });
    }
  }
  for (const skip of [0, 1, 2, 3]) {
    if (readableAt(text, skip) || readableAt(text, skip + 4 * Math.floor(text.length / 8)))
      return grouped(view, { skip, width: 4, bytes: 3, encoding: 'base64' });
  }
  return null;
}

const readable = (byte: number): boolean =>
  (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13;

/** Whether the twelve letters from there on are nine bytes of a text. */
function readableAt(text: string, at: number): boolean {
  if (at + 12 > text.length) return false;
  for (let group = at; group < at + 12; group += 4) {
    let bits = 0;
    for (let letter = group; letter < group + 4; letter += 1)
      bits = (bits << 6) | (VALUE[text.charCodeAt(letter)] ?? 0);
    if (!(readable(bits >> 16) && readable((bits >> 8) & 0xff) && readable(bits & 0xff))) return false;
  }
  return true;
}

function grouped(
  { text, origin, after }: PlainText,
  {
    skip,
    width,
    bytes,
    encoding,
  }: { skip: number; width: number; bytes: number; encoding: 'hex' | 'base64' },
): PlainText {
  const letters = text.slice(skip, encoding === 'hex' ? skip + ((text.length - skip) & ~1) : text.length);
  return {
    text: Buffer.from(letters, encoding).toString('latin1'),
    origin: (at) => origin(skip + Math.floor(at / bytes) * width),
    after: (at) => after(Math.min(text.length, skip + Math.ceil(at / bytes) * width)),
  };
}
