import { isMac } from '../../state/commands';

export type TerminalKey = 'find' | 'copy' | 'paste' | 'leave';

/**
 * Keys the pane keeps for itself. Where a program is typed into they are those that no program gets from a terminal; a
 * plain Ctrl+F or Ctrl+C belongs to it.
 */
export function terminalKey(
  event: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  { typedInto, mac = isMac }: { typedInto: boolean; mac?: boolean },
): TerminalKey | null {
  const mod = mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!mod || event.altKey) return null;
  if (event.code === 'Backquote') return 'leave';
  // On macOS the command key is no program's.
  if (typedInto && !mac && !event.shiftKey) return null;
  if (event.code === 'KeyF') return 'find';
  if (event.code === 'KeyC') return 'copy';
  if (event.code === 'KeyV') return 'paste';
  return null;
}
