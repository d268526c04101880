import type { TaskSpec } from '@shared/contract/task';
import { Unavailable } from './evaluator-result';
import type { ProcessOutcome } from './run-process';
import { sizeOf } from './written-limit';

/** Whether it ended by itself. `what`: for the message. @throws Unavailable */
export function throwUnlessWhole(ended: ProcessOutcome, what: string, timeout: string, most: number): void {
  if (ended.ended === 'too_much') {
    throw new Unavailable(
      `${what} was stopped because ${ended.why ?? `it wrote more than ${sizeOf(most)}`}, and what it wrote was removed. evaluation.max_written of the task lets an evaluation write ${sizeOf(most)}: write less, or have the task allow more.`,
    );
  }
  if (ended.ended === 'timeout')
    throw new Unavailable(`${what} was stopped after ${timeout}, the time limit of the evaluation.`);
  if (ended.ended === 'spawn_failed') throw new Unavailable(`${what} could not be started: ${ended.output}`);
  if (ended.ended === 'signal') throw new Unavailable(`${what} was ended by ${ended.signal ?? 'a signal'}.`);
}

/** The same for the evaluator, which has to say that it is content. */
export function throwUnlessSound(
  ended: ProcessOutcome,
  { timeout, max_written }: TaskSpec['evaluation'],
): void {
  throwUnlessWhole(ended, 'The evaluator', timeout, max_written);
  if (ended.exitCode === 0) return;
  const code = ended.exitCode ?? 0;
  const why =
    code === 127 ? ': a program it calls was not found' : code > 128 ? `: ended by signal ${code - 128}` : '';
  throw new Unavailable(`The evaluator ended with exit code ${code}${why}. Its log is kept with the run.`);
}
