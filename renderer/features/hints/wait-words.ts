import type { RunHints } from '@shared/views';
import type { Text } from '../../text/en';

/** Why the queue waits, with a time where there is one. '' when nothing waits. */
export function waitWords(hints: RunHints | null, text: Text, now: number): string {
  const waits = hints?.waitsFor ?? null;
  if (waits === null) return '';
  const words = text.hints;
  const { format } = text.common;
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
      return words.waitsHost;
    case 'human':
      return words.waitsHuman;
  }
}
