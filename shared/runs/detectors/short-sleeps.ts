import type { EventBody } from '../../log/events';

/** A shorter sleep after training began is no waiting for it, ms. */
export const SHORT_SLEEP_MS = 120_000;
/** So many in a row are impatience. */
export const SLEEPS = 3;

/** Looking at a job between two sleeps is what one should do; it does not end the row. */
const LOOKS: ReadonlySet<string> = new Set([
  'think',
  'get_session_output',
  'get_session_recent_output',
  'get_session_status',
  'check_session_idle',
  'list_sessions',
]);

/** How many short sleeps came one after the other, up to this observation: `before`, one more, or none. */
export function shortSleeps(
  before: number,
  { name, data }: Pick<EventBody<'action.observed'>, 'name' | 'data'>,
): number {
  if (name !== 'sleep') return LOOKS.has(name) ? before : 0;
  const { askedMs, woken } = data;
  return typeof askedMs !== 'number' || askedMs >= SHORT_SLEEP_MS || woken === true ? 0 : before + 1;
}
