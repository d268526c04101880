import type { EventBody } from './events';

export type ValidCall = EventBody<'model.answered'>['calls'][number] & { index: number };

/** The calls of an answer that could be understood, with their places among all of its calls. */
export function validCalls({
  calls,
  invalid,
}: Pick<EventBody<'model.answered'>, 'calls' | 'invalid'>): ValidCall[] {
  return calls.flatMap((call, index) => ((invalid[index] ?? null) === null ? [{ ...call, index }] : []));
}
