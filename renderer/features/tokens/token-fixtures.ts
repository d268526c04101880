import type { TokenLoss, TokenMessage, TokenView } from '@shared/contract/export-views';

export interface MessageFixture {
  role: TokenMessage['role'];
  step: number;
  loss: 't' | 'm' | 'c' | '.';
  tokens: string[];
  source?: string;
  reason?: string;
  lost?: TokenMessage['lost'];
}

const words: Readonly<Record<MessageFixture['loss'], TokenLoss>> = {
  t: 'trained',
  m: 'masked',
  c: 'carried',
  '.': 'context',
};

/** A rendered row whose messages hold these tokens; the row's own steps begin behind the carried ones. */
export function tokenRow(messages: readonly MessageFixture[]): TokenView {
  const starts: number[] = [];
  let text = '';
  let losses = '';
  const rendered = messages.map((message, index): TokenMessage => {
    const from = text.length;
    for (const token of message.tokens) {
      starts.push(text.length);
      text += token;
      losses += message.loss;
    }
    const { role, step, loss, tokens, lost = [] } = message;
    return {
      index,
      role,
      step,
      from,
      to: text.length,
      loss: words[loss],
      lost,
      tokens: tokens.length,
      ...(message.source === undefined ? {} : { source: message.source }),
      ...(message.reason === undefined ? {} : { reason: message.reason }),
      trainedTokens: loss === 't' ? tokens.length : 0,
    };
  });
  const count = (loss: string) => losses.split(loss).length - 1;
  const own = messages.filter(({ loss }) => loss === 't' || loss === 'm').map(({ step }) => step);
  const row = {
    run: 'r',
    segment: 1,
    kind: 'react' as const,
    index: 0,
    title: 'A run',
    tokens: starts.length,
    trained: 1,
    masked: 1,
    split: 'train' as const,
    firstStep: own[0] ?? 1,
    lastStep: own.at(-1) ?? 1,
  };
  return {
    row,
    of: 1,
    text,
    starts,
    losses,
    messages: rendered,
    rule: 'turn' as const,
    argumentsForm: 'string' as const,
    ids: starts.map((_, token) => 1_000 + token),
    trainedTokens: count('t'),
    maskedTokens: count('m'),
    warnings: [],
  };
}
