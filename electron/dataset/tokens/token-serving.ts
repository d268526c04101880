import { parentPort } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import { TokenDesk } from './token-desk';
import type { TokenQuestion, TokenWord } from './token-thread';

/**
 * Renders rows and counts their tokens in this thread. It has no SQL and writes nothing, so that it can be ended in the middle: a
 * chat template may take for ever.
 */
export function serveTokens(): void {
  const port = parentPort;
  if (port === null) throw new WaymarkError('bug', 'Tokens are counted in a worker thread.');
  const say = (word: TokenWord) => port.postMessage(word);
  const desk = new TokenDesk();
  port.on('message', (question: TokenQuestion) => {
    desk
      .answer(question, () => say({ is: 'begun' }))
      .then(say, (thrown: unknown) => say({ is: 'failure', failure: toFailure(thrown) }));
  });
}
