import type { Text } from '../../text/en';
import type { Shown } from './sessions-shown';

/** Output that came within this time counts as coming now, ms. */
const nowMs = 3_000;

/** What a terminal does, in a word: "busy", "exit 1", "waits for input". */
export function stateWord(shown: Shown, text: Text): string {
  const words = text.terminals;
  if (shown.kind === 'own') return words.ownStates[shown.terminal.state];
  const { exitCode, state } = shown.session;
  if (shown.past !== undefined && state === 'unknown') return shown.past.here === true ? words.openThen : '';
  return exitCode === null ? words.states[state] : words.exited(exitCode);
}

export interface Activity {
  /** Output comes now. */
  lively: boolean;
  /** "output now", "output 12 s ago", "output Nov 20"; null before the first. */
  words: string | null;
}

/** When a terminal last printed something. `now`: our clock, ms since 1970. */
export function activityOf(lastByteAt: number | null, text: Text, now: number): Activity {
  const words = text.terminals;
  const { format } = text.common;
  if (lastByteAt === null) return { lively: false, words: null };
  const age = Math.max(0, now - lastByteAt);
  if (age < nowMs) return { lively: true, words: words.outputNow };
  const dayMs = 24 * 60 * 60 * 1000;
  const ago =
    age < dayMs ? words.ago(format.duration(Math.floor(age / 1000) * 1000)) : format.when(lastByteAt, now);
  return { lively: false, words: words.output(ago) };
}
