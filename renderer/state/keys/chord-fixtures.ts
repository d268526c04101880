import type { KeyPress } from './chords';

/** A key going down: what it writes, where it is, and what is held. */
export function press(
  key: string,
  code: string,
  held: Partial<Omit<KeyPress, 'key' | 'code' | 'getModifierState'>> & { altGraph?: boolean } = {},
): KeyPress {
  const { altGraph = false, ...modifiers } = held;
  return {
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    key,
    code,
    getModifierState: () => altGraph,
    ...modifiers,
  };
}
