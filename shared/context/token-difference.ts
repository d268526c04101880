import type { TokenLoss, TokenMessage, TokenView } from '../contract/export-views';

/** What one view says of a message. */
export interface MessageLoss {
  loss: TokenLoss;
  source?: string;
  reason?: string;
  trainedTokens: number;
  tokens: number;
}

export interface TokenDifference {
  /** Both views have the same text and the same tokens. */
  sameTokens: boolean;
  /** Tokens `[from, to)` with another loss; empty where the tokens are not the same: see `messages` then. */
  changed: { from: number; to: number; a: string; b: string }[];
  /** Messages that differ in what is trained of them, why, or in their text. */
  messages: { index: number; step: number; sameText: boolean; a: MessageLoss; b: MessageLoss }[];
  /** Tokens. */
  trained: { a: number; b: number };
}

/**
 * What differs between two views of the same row: of two variants, whose masks differ, or of two targets, whose texts may.
 * Messages are those of the row, so that they can be compared one by one.
 */
export function tokenDifference(a: TokenView, b: TokenView): TokenDifference {
  const sameTokens =
    a.text === b.text && a.ids.length === b.ids.length && a.ids.every((id, index) => id === b.ids[index]);
  const messages = a.messages.flatMap((mine) => {
    const theirs = b.messages[mine.index];
    if (theirs === undefined) return [];
    const sameText = textOf(a, mine) === textOf(b, theirs);
    const [left, right] = [lossOf(mine), lossOf(theirs)];
    if (sameText && same(left, right)) return [];
    return [{ index: mine.index, step: mine.step, sameText, a: left, b: right }];
  });
  return {
    sameTokens,
    messages,
    changed: sameTokens ? changedTokens(a.losses, b.losses) : [],
    trained: { a: a.trainedTokens, b: b.trainedTokens },
  };
}

function changedTokens(a: string, b: string): TokenDifference['changed'] {
  const changed: TokenDifference['changed'] = [];
  for (let at = 0; at < a.length; at += 1) {
    const [mine = '', theirs = ''] = [a[at], b[at]];
    if (mine === theirs) continue;
    const last = changed.at(-1);
    if (last !== undefined && last.to === at && last.a === mine && last.b === theirs) last.to = at + 1;
    else changed.push({ from: at, to: at + 1, a: mine, b: theirs });
  }
  return changed;
}

function textOf({ text }: TokenView, { from, to }: TokenMessage): string {
  return text.slice(from, to);
}

function lossOf({ loss, source, reason, trainedTokens, tokens }: TokenMessage): MessageLoss {
  return {
    loss,
    trainedTokens,
    tokens,
    ...(source === undefined ? {} : { source }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function same(a: MessageLoss, b: MessageLoss): boolean {
  return (
    a.loss === b.loss &&
    a.source === b.source &&
    a.reason === b.reason &&
    a.trainedTokens === b.trainedTokens &&
    a.tokens === b.tokens
  );
}
