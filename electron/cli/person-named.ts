import { WaymarkError } from '@shared/contract/errors';
import { authorName } from '@shared/labels/author-name';
import type { Author } from '@shared/log/annotations';

/**
 * Somebody who is known by name alone: the identity is derived from the name, so that repeated calls agree.
 * @throws WaymarkError bad_input for what is no name
 */
export function personNamed(given: string): Author {
  const { data: name, error } = authorName.safeParse(given);
  if (name === undefined) {
    throw new WaymarkError(
      'bad_input',
      `${JSON.stringify(given.slice(0, 40))} cannot be the name of a person: it ${error?.issues[0]?.message}. Nothing was stored.`,
    );
  }
  return { uuid: `name:${name}`, name };
}
