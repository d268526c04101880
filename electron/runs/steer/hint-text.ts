import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';

/** Something that is seen. */
const visible = /[^\s\p{Cc}\p{Cf}\u2800\u3164]/u;

/** The text of a hint as it is stored. @throws WaymarkError bad_input when there is nothing to read in it */
export function hintText(text: string): string {
  if (visible.test(text)) return wellFormed(text);
  throw new WaymarkError('bad_input', 'The hint is empty. Write what the agent should read.');
}
