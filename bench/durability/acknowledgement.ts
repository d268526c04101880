import { writeSync } from 'node:fs';

/** What a watched process was told is durable. One line each on its stdout, written with one system call. */
export type Acknowledgement =
  | { kind: 'events'; run: string; seq: number }
  | { kind: 'outbox'; ulid: string }
  | { kind: 'hint'; run: string; hint: string }
  | { kind: 'annotation'; ulid: string }
  | { kind: 'bytes'; run: string; uid: string; end: number };

const MARK = 'ack ';

/** Synchronous: what was printed before a kill is in the pipe. */
export function acknowledge(done: Acknowledgement): void {
  writeSync(1, `${MARK}${JSON.stringify(done)}\n`);
}

/** The acknowledgements in what a process printed; a line cut short was not said. */
export function parseAcknowledgements(out: string): Acknowledgement[] {
  return out
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith(MARK))
    .map((line) => JSON.parse(line.slice(MARK.length)) as Acknowledgement);
}
