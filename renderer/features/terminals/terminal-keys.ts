import { chordsOf, type KeyPress, useKeyLayout } from '../../state/keys/chords';
import { isMac } from '../../state/keys/commands';

export type TerminalKey = 'find' | 'copy' | 'paste' | 'leave';

/**
 * Keys the pane keeps for itself. Where a program is typed into they are those that no program gets from a terminal; a
 * plain Ctrl+F or Ctrl+C belongs to it.
 */
export function terminalKey(
  event: KeyPress,
  { typedInto, mac = isMac }: { typedInto: boolean; mac?: boolean },
): TerminalKey | null {
  const mod = mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!mod || event.altKey) return null;
  const chords = chordsOf(event, { mac, layout: useKeyLayout.getState().layout });
  const pressed = (sign: string) => chords.some((chord) => chord.endsWith(`+${sign}`));
  if (pressed('`')) return 'leave';
  // On macOS the command key is no program's.
  if (typedInto && !mac && !event.shiftKey) return null;
  if (pressed('f')) return 'find';
  if (pressed('c')) return 'copy';
  if (pressed('v')) return 'paste';
  return null;
}
