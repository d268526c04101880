import { parentPort, workerData } from 'node:worker_threads';
import { WaymarkError } from '@shared/contract/errors';
import type { RegexTask } from '../search/regex-thread';

/**
 * Entry of the thread that tries a pattern on texts. It holds no file and no connection, so that it can be ended in the middle:
 * a pattern may take for ever. Answers each list of texts with [index, start, end] of the first match in each that has one.
 */
const port = parentPort;
if (port === null) {
  throw new WaymarkError('bug', 'This file is the entry of a worker thread and was loaded elsewhere.');
}
const { source, flags, at } = workerData as RegexTask;
const pattern = new RegExp(source, `${flags}g`);
const clock = new Int32Array(at);

port.on('message', (texts: readonly string[]) => {
  const found: number[] = [];
  for (const [index, text] of texts.entries()) {
    // Who waits sees by this that one text ends and the next begins.
    Atomics.add(clock, 0, 1);
    const match = firstMatch(text);
    if (match !== null) found.push(index, match.index, match.index + match[0].length);
  }
  port.postMessage(found);
});

/** The first match that is not empty: an empty one is everywhere and shows nothing. */
function firstMatch(text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] !== '') return match;
    const wide = pattern.unicode && (text.codePointAt(match.index) ?? 0) > 0xffff;
    pattern.lastIndex = match.index + (wide ? 2 : 1);
  }
  return null;
}
