import type { TokenMessage, TokenView } from '@shared/contract/export-views';

/**
 * A rendered row as lines of a fixed height. Only lines are drawn, and only those in view, so a row of 100,000 tokens costs as much as
 * one of 1,000. All offsets count UTF-16 units of `view.text`; ranges are `[from, to)`.
 */
export type TokenLine =
  | HeadLine
  | { kind: 'text'; message: number; from: number; to: number }
  | {
      kind: 'fold';
      id: string;
      message: number;
      from: number;
      to: number;
      tokens: number;
      messages: number;
      carried: boolean;
      open: boolean;
    };

export type HeadLine = { kind: 'message'; message: number; from: number; to: number };
export type TextLine = Extract<TokenLine, { kind: 'text' }>;
export type FoldLine = Extract<TokenLine, { kind: 'fold' }>;

export interface TokenLayout {
  lines: TokenLine[];
  /** Every fold of the row, open or not. */
  folds: string[];
}

export interface LayoutOptions {
  /** Characters of one column that fit into a line. */
  columns: number;
  /** Folds that are open. */
  open: ReadonlySet<string>;
}

/** Lines of context that are shown before it is folded, at its beginning and its end. */
const FIRST = 3;
const LAST = 1;
/** Lines that are shown of everything carried. */
const OPENING = 2;
/** Context is folded when that hides at least this many lines. */
const WORTH = 3;
/** The fold over everything that earlier segments carried in. */
const CARRIED = 'carried';

/** Puts a row into lines: a head for each message, its text wrapped between tokens, long context folded. */
export function tokenLayout(view: TokenView, { columns, open }: LayoutOptions): TokenLayout {
  const lines: TokenLine[] = [];
  const folds: string[] = [];
  const width = Math.max(8, columns);
  const carried = carriedMessages(view);
  let at = 0;
  for (let index = 0; index < view.messages.length; index += 1) {
    const message = view.messages[index];
    if (message === undefined) continue;
    if (message.from > at) pushPart(index - 1, at, message.from);
    at = Math.max(at, message.from);
    if (carried !== null && index === carried.first) {
      const last = view.messages[carried.last];
      const to = last?.to ?? message.to;
      const isOpen = open.has(CARRIED);
      folds.push(CARRIED);
      lines.push({ kind: 'message', message: index, from: at, to: at });
      const opening = isOpen ? [] : wrapLines(view, at, message.to, width, OPENING);
      for (const line of opening) lines.push({ kind: 'text', message: index, ...line });
      const from = opening.at(-1)?.to ?? at;
      lines.push({
        kind: 'fold',
        id: CARRIED,
        message: index,
        from,
        to,
        tokens: tokensIn(view, from, to),
        messages: carried.last - carried.first + 1,
        carried: true,
        open: isOpen,
      });
      if (!isOpen) {
        index = carried.last;
        at = to;
        continue;
      }
    } else lines.push({ kind: 'message', message: index, from: at, to: at });
    pushPart(index, at, message.to);
    at = Math.max(at, message.to);
  }
  if (at < view.text.length) pushPart(view.messages.length - 1, at, view.text.length);
  return { lines, folds };

  function pushPart(message: number, from: number, to: number): void {
    const wrapped = wrapLines(view, from, to, width).map((line) => ({
      kind: 'text' as const,
      message,
      ...line,
    }));
    const hidden = wrapped.slice(FIRST, -LAST);
    const first = hidden[0];
    const last = hidden.at(-1);
    if (hidden.length < WORTH || first === undefined || last === undefined || decides(view, from, to)) {
      lines.push(...wrapped);
      return;
    }
    const id = `${message} ${from}`;
    folds.push(id);
    const fold: FoldLine = {
      kind: 'fold',
      id,
      message,
      from: first.from,
      to: last.to,
      tokens: tokensIn(view, first.from, last.to),
      messages: 1,
      carried: view.messages[message]?.loss === 'carried',
      open: open.has(id),
    };
    lines.push(...wrapped.slice(0, FIRST), fold);
    if (fold.open) lines.push(...hidden);
    lines.push(...wrapped.slice(-LAST));
  }
}

/** Messages of earlier segments that stand in front of the row's own, where none of them trains. */
function carriedMessages({
  messages,
  row,
  losses,
  starts,
  text,
}: TokenView): { first: number; last: number } | null {
  const isCarried = ({ step }: TokenMessage) => step > 0 && step < row.firstStep;
  const first = messages.findIndex(isCarried);
  if (first < 0) return null;
  let last = first;
  while (isCarried(messages[last + 1] ?? ({ step: 0 } as TokenMessage))) last += 1;
  const [from, to] = [messages[first]?.from ?? 0, messages[last]?.to ?? text.length];
  return last === first || decides({ losses, starts } as TokenView, from, to) ? null : { first, last };
}

/** Whether a person decided something here: it holds trained or masked tokens, which are never folded. */
function decides(
  { starts, losses }: Pick<TokenView, 'starts' | 'losses'>,
  from: number,
  to: number,
): boolean {
  for (let token = firstFrom(starts, from); token < starts.length; token += 1) {
    if ((starts[token] ?? 0) >= to) return false;
    const loss = losses[token];
    if (loss === 't' || loss === 'm') return true;
  }
  return false;
}

/**
 * Lines of `[from, to)`: a line ends after a line feed, or before the token that no longer fits. A token that is longer than a line is
 * broken where the line is full.
 */
export function wrapLines(
  { text, starts }: TokenView,
  from: number,
  to: number,
  columns: number,
  limit = Number.POSITIVE_INFINITY,
): { from: number; to: number }[] {
  const lines: { from: number; to: number }[] = [];
  let begin = from;
  let column = 0;
  let next = firstFrom(starts, from + 1);
  /** Where the token at hand began, and how many columns stood before it. */
  let token = from;
  let before = 0;
  for (let at = from; at < to && lines.length < limit; ) {
    if (at === starts[next]) {
      token = at;
      before = column;
      while (starts[next] === at) next += 1;
    }
    const code = text.codePointAt(at) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    if (code === 10) {
      lines.push({ from: begin, to: at + 1 });
      begin = at + 1;
      column = 0;
      token = begin;
      before = 0;
      at += 1;
      continue;
    }
    const wide = columnsOf(code);
    if (column + wide > columns && at > begin) {
      const breakAt = before > 0 && token > begin ? token : at;
      lines.push({ from: begin, to: breakAt });
      column -= breakAt === at ? column : before;
      begin = breakAt;
      token = breakAt;
      before = 0;
    }
    column += wide;
    at += units;
  }
  if (begin < to && lines.length < limit) lines.push({ from: begin, to });
  return lines;
}

/** Columns of a character in a font of one width: two for East Asian wide characters and emoji, none for combining marks. */
export function columnsOf(code: number): number {
  if (code < 0x300) return code === 9 ? TAB : turns(code) ? 8 : 1;
  if (
    (code >= 0x300 && code <= 0x36f) ||
    code === 0x200b ||
    code === 0x200d ||
    (code >= 0xfe00 && code <= 0xfe0f)
  )
    return 0;
  if (turns(code)) return 8;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

const TAB = 4;

/** Marks that turn the reading direction; they are written out, as `⟨U+202E⟩`. */
function turns(code: number): boolean {
  return (
    code === 0x61c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

/** The first token that begins at `offset` or behind it. */
export function firstFrom(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The token that holds the character at `offset`; -1 before the first. Of several that begin there, the last, which has its text. */
export function tokenAt(starts: readonly number[], offset: number): number {
  return firstFrom(starts, offset + 1) - 1;
}

/** Tokens that begin in `[from, to)`. */
export function tokensIn({ starts }: Pick<TokenView, 'starts'>, from: number, to: number): number {
  return firstFrom(starts, to) - firstFrom(starts, from);
}

/** Text of a token, as `[from, to)`. Empty for all but the last of the tokens that one character was cut into. */
export function tokenRange(
  { starts, text }: Pick<TokenView, 'starts' | 'text'>,
  token: number,
): [number, number] {
  const from = starts[token] ?? text.length;
  return [from, starts[token + 1] ?? text.length];
}

/** The line on which a token begins, or the fold that hides it. */
export function lineOf({ lines }: TokenLayout, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.from ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  // An open fold's own line begins where the first line it would hide begins.
  for (let at = low - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line?.kind === 'text' || (line?.kind === 'fold' && !line.open)) return at;
  }
  return 0;
}

/**
 * First token of the next or previous stretch of tokens with this loss, around the end if need be; the stretch that `from` lies in is
 * not meant. Null when there is none.
 */
export function nextStretch(
  losses: string,
  from: number,
  loss: 't' | 'm',
  direction: 1 | -1,
): { token: number; around: boolean } | null {
  const begins = (token: number) => losses[token] === loss && losses[token - 1] !== loss;
  if (direction === 1) {
    for (let token = from + 1; token < losses.length; token += 1)
      if (begins(token)) return { token, around: false };
    for (let token = 0; token <= from; token += 1) if (begins(token)) return { token, around: true };
    return null;
  }
  let at = from;
  // Out of the stretch at hand first.
  if (losses[at] === loss) while (at > 0 && losses[at - 1] === loss) at -= 1;
  for (let token = at - 1; token >= 0; token -= 1) if (begins(token)) return { token, around: false };
  for (let token = losses.length - 1; token >= at; token -= 1)
    if (begins(token)) return { token, around: true };
  return null;
}

/** Tokens of a stretch of one loss around a token, `[from, to)`. */
export function stretchAt(losses: string, token: number): [number, number] {
  const loss = losses[token];
  let from = token;
  let to = token + 1;
  while (from > 0 && losses[from - 1] === loss) from -= 1;
  while (to < losses.length && losses[to] === loss) to += 1;
  return [from, to];
}

/** Part of a token on one line. */
export interface TokenPiece {
  token: number;
  loss: string;
  from: number;
  to: number;
  /** The line feed that ends the line belongs to it. */
  feed: boolean;
}

/** What a line shows, token by token. */
export function piecesOf(view: TokenView, line: { from: number; to: number }): TokenPiece[] {
  const { starts, losses, text } = view;
  const pieces: TokenPiece[] = [];
  let at = line.from;
  let token = tokenAt(starts, at);
  while (at < line.to) {
    const end = Math.min(line.to, starts[token + 1] ?? text.length);
    if (end > at) {
      const feed = text.charCodeAt(end - 1) === 10;
      pieces.push({ token, loss: losses[token] ?? '.', from: at, to: feed ? end - 1 : end, feed });
      at = end;
    }
    token += 1;
    if (token > starts.length) break;
  }
  return pieces;
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a piece as it is drawn: tabs as four columns, control characters as their pictures, direction marks written out. */
export function shownText(text: string): string {
  return text.replaceAll('\t', '⇥   ').replace(controls, (mark) => {
    const code = mark.charCodeAt(0);
    if (code === 127) return '␡';
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/**
 * The token above or below: where the same column would be on the next line of text that way. Stays at the first and last line.
 * @param offset First character of the token at hand.
 */
export function tokenBeside(view: TokenView, layout: TokenLayout, offset: number, by: number): number {
  const at = lineOf(layout, offset);
  const column = offset - (layout.lines[at]?.from ?? 0);
  let found = at;
  let left = Math.abs(by);
  for (
    let index = at + Math.sign(by);
    left > 0 && index >= 0 && index < layout.lines.length;
    index += Math.sign(by)
  ) {
    if (layout.lines[index]?.kind !== 'text') continue;
    found = index;
    left -= 1;
  }
  const line = layout.lines[found];
  if (line === undefined || found === at) return tokenAt(view.starts, offset);
  return Math.max(0, tokenAt(view.starts, Math.min(line.from + column, Math.max(line.from, line.to - 1))));
}
