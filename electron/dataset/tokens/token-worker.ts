import { parentPort } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import { TokenDesk } from './token-desk';
import type { TokenQuestion, TokenWord } from './token-thread';

/**
 * Entry of the thread that renders rows and counts their tokens. It has no SQL and writes nothing, so that it can be ended in the
 * middle: a chat template may take for ever.
 */
const port = parentPort;
if (port === null) {
  throw new WaymarkError('bug', 'This file is the entry of a worker thread and was loaded elsewhere.');
}
const say = (word: TokenWord) => port.postMessage(word);
const desk = new TokenDesk();

port.on('message', (question: TokenQuestion) => {
  desk
    .answer(question, () => say({ is: 'begun' }))
    .then(say, (thrown: unknown) => say({ is: 'failure', failure: toFailure(thrown) }));
});
