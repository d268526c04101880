import { expect, test } from 'vitest';
import type { TokenMessage, TokenView } from '../contract/export-views';
import { tokenDifference } from './token-difference';

const message = (index: number, from: number, to: number, more: Partial<TokenMessage>): TokenMessage => ({
  index,
  role: 'assistant',
  step: index,
  from,
  to,
  loss: 'trained',
  trainedTokens: 2,
  tokens: 2,
  lost: [],
  ...more,
});

function view(more: Partial<TokenView>): TokenView {
  return {
    row: {
      run: 'r',
      segment: 1,
      kind: 'react',
      index: 0,
      title: '',
      tokens: 4,
      trained: 1,
      masked: 0,
      split: 'train',
      firstStep: 1,
      lastStep: 2,
    },
    of: 1,
    rule: 'turn',
    argumentsForm: 'string',
    text: 'aabb',
    starts: [0, 1, 2, 3],
    ids: [1, 1, 2, 2],
    losses: 'tttt',
    messages: [message(0, 0, 2, {}), message(1, 2, 4, {})],
    trainedTokens: 4,
    maskedTokens: 0,
    warnings: [],
    ...more,
  };
}

test('of a view and itself there is none', () => {
  expect(tokenDifference(view({}), view({}))).toEqual({
    sameTokens: true,
    changed: [],
    messages: [],
    trained: { a: 4, b: 4 },
  });
});

test('of two variants is in the masks: runs of tokens, and the messages with their reasons', () => {
  const masked = message(1, 2, 4, { loss: 'masked', source: 'rule', reason: 'no_effect', trainedTokens: 0 });
  const other = view({ losses: 'ttmm', messages: [message(0, 0, 2, {}), masked], trainedTokens: 2 });
  expect(tokenDifference(view({}), other)).toEqual({
    sameTokens: true,
    changed: [{ from: 2, to: 4, a: 't', b: 'm' }],
    messages: [
      {
        index: 1,
        step: 1,
        sameText: true,
        a: { loss: 'trained', trainedTokens: 2, tokens: 2 },
        b: { loss: 'masked', source: 'rule', reason: 'no_effect', trainedTokens: 0, tokens: 2 },
      },
    ],
    trained: { a: 4, b: 2 },
  });
});

test('of two targets with other texts is told by message', () => {
  const other = view({
    text: 'aab',
    starts: [0, 1, 2],
    ids: [1, 1, 2],
    losses: 'ttt',
    trainedTokens: 3,
    messages: [message(0, 0, 2, {}), message(1, 2, 3, { trainedTokens: 1, tokens: 1 })],
  });
  const { sameTokens, changed, messages } = tokenDifference(view({}), other);
  expect([sameTokens, changed]).toEqual([false, []]);
  expect(messages).toMatchObject([{ index: 1, sameText: false, b: { trainedTokens: 1 } }]);
});
