import { createHash } from 'node:crypto';
import { errorCodes } from '@shared/contract/errors';
import { attentionKinds } from '@shared/runs/attention/attention';
import { expect, test } from 'vitest';
import { protocolVersion } from './protocol';

test('words that the other side would not know raise the protocol', () => {
  const words = createHash('sha256')
    .update([...errorCodes, ...attentionKinds].join())
    .digest('hex')
    .slice(0, 12);
  expect({ protocolVersion, words }, 'raise the version together with the words').toEqual({
    protocolVersion: 6,
    words: 'b991fc6ab353',
  });
});
