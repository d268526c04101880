import type { RunHints } from '@shared/contract/views';
import type { HintView } from '@shared/log/outbox';
import type { Text } from '../../text/en';
import { waitsForItsCondition } from './hints';

/**
 * Why the due hints of a queue wait, with a time where there is one; '' when nothing waits. `away`: names of the
 * computers a waiting run waits for.
 */
export function waitWords(
  hints: RunHints | null,
  text: Text,
  now: number,
  away: readonly string[] = [],
): string {
  const waits = hints?.waitsFor ?? null;
  if (waits === null) return '';
  const words = text.hints;
  const { format, list } = text.common;
  switch (waits.reason) {
    case 'model':
      return words.waitsModel;
    case 'action':
      return words.waitsAction;
    case 'sleep':
      return waits.until === null
        ? words.waitsSleepOpen
        : words.waitsSleep(format.clock(waits.until), format.duration(Math.max(0, waits.until - now)));
    case 'paused':
      return words.waitsPaused;
    case 'undriven':
      return words.waitsUndriven;
    case 'ended':
      return words.waitsEnded;
    case 'condition':
      return words.waitsCondition;
    case 'host':
      return words.waitsHost(list(away));
    case 'model_away':
      return words.waitsModelAway;
    case 'human':
      return words.waitsHuman;
  }
}

/** Why one queued hint waits: its own condition first, then what the queue waits for. */
export function hintWaitWords(
  hint: HintView,
  hints: RunHints | null,
  text: Text,
  now: number,
  away: readonly string[] = [],
): string {
  const words = text.hints;
  const ended = hints?.waitsFor?.reason === 'ended';
  if (!ended && waitsForItsCondition(hint)) return words.waitsUntil(words.until(hint.deliver));
  const wait = waitWords(hints, text, now, away);
  if (hint.due !== null) return words.dueBecause(hint.due, wait);
  return hint.deliver.when === 'wake' && hints?.waitsFor?.reason === 'sleep'
    ? `${wait}, ${words.wakesIt}`
    : wait;
}
