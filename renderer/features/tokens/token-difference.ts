import type { TokenMessage, TokenView } from '@shared/contract/export-views';
import { firstFrom, type TextLine, wrapLines } from './token-lines';

/** A message of two renderings of one row; null where one of them has no such message. */
export interface MessagePair {
  a: number | null;
  b: number | null;
  /** Same text, and the same loss on every token. */
  same: boolean;
}

/** A line of two renderings side by side. */
export type PairLine =
  | { kind: 'pair'; pair: number; a: number | null; b: number | null; difference: number }
  | { kind: 'both'; pair: number; a: TextLine | null; b: TextLine | null }
  | { kind: 'same'; pair: number; messages: number; tokens: number };

/** Pairs the messages of two renderings: by role and step, in order. */
export function pairMessages(a: TokenView, b: TokenView): MessagePair[] {
  const left = a.messages.map(nameOf);
  const right = b.messages.map(nameOf);
  const lastOf = new Map(left.map((name, index) => [name, index]));
  const pairs: MessagePair[] = [];
  let at = 0;
  for (const [index, name] of left.entries()) {
    const found = right.indexOf(name, at);
    // One that the other has only further on, behind what this one has as well, is missing there.
    const skips = found > at && right.slice(at, found).some((other) => (lastOf.get(other) ?? -1) >= index);
    if (found < 0 || skips) {
      pairs.push({ a: index, b: null, same: false });
      continue;
    }
    for (; at < found; at += 1) pairs.push({ a: null, b: at, same: false });
    pairs.push({ a: index, b: found, same: sameMessage(a, index, b, found) });
    at = found + 1;
  }
  for (; at < right.length; at += 1) pairs.push({ a: null, b: at, same: false });
  return pairs;
}

const nameOf = ({ role, step }: TokenMessage) => `${role} ${step}`;

function sameMessage(a: TokenView, at: number, b: TokenView, beside: number): boolean {
  const [one, other] = [a.messages[at], b.messages[beside]];
  if (one === undefined || other === undefined) return false;
  if (a.text.slice(one.from, one.to) !== b.text.slice(other.from, other.to)) return false;
  return lossesOf(a, one) === lossesOf(b, other);
}

/** Losses of a message's tokens. Carried, masked and context tokens differ by name, and all of them get no loss. */
function lossesOf({ starts, losses }: TokenView, { from, to }: TokenMessage): string {
  return losses.slice(firstFrom(starts, from), firstFrom(starts, to));
}

/** Two renderings side by side, in `columns` each: what differs line by line, what is the same as one line. */
export function differenceLines(
  a: TokenView,
  b: TokenView,
  columns: number,
): { lines: PairLine[]; differences: number } {
  const pairs = pairMessages(a, b);
  const lines: PairLine[] = [];
  let differences = 0;
  let same: Extract<PairLine, { kind: 'same' }> | null = null;
  for (const [index, pair] of pairs.entries()) {
    const message = pair.a === null ? undefined : a.messages[pair.a];
    if (pair.same) {
      if (same === null) {
        same = { kind: 'same', pair: index, messages: 0, tokens: 0 };
        lines.push(same);
      }
      same.messages += 1;
      same.tokens += message?.tokens ?? 0;
      continue;
    }
    same = null;
    lines.push({ kind: 'pair', pair: index, a: pair.a, b: pair.b, difference: differences });
    differences += 1;
    const left = sideLines(a, pair.a, columns);
    const right = sideLines(b, pair.b, columns);
    for (let row = 0; row < Math.max(left.length, right.length); row += 1) {
      lines.push({ kind: 'both', pair: index, a: left[row] ?? null, b: right[row] ?? null });
    }
  }
  return { lines, differences };
}

function sideLines(view: TokenView, at: number | null, columns: number): TextLine[] {
  const message = at === null ? undefined : view.messages[at];
  if (at === null || message === undefined) return [];
  return wrapLines(view, message.from, message.to, columns).map((line) => ({
    kind: 'text',
    message: at,
    ...line,
  }));
}
