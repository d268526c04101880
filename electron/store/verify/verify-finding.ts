import type { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';

/** The next step of an error met elsewhere: here it would send people round in a circle. */
const ADVICE = / Run "verify"[^.]*\.(?= |$)/;

/** What an error says of the damage, for a report of `verify`. */
export function findingOf({ message, detail }: WaymarkError): Pick<VerifyProblem, 'message' | 'detail'> {
  return { message: message.replace(ADVICE, ''), ...(detail === undefined ? {} : { detail }) };
}
