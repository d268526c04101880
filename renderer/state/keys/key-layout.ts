import { create } from 'zustand';
import type { KeyLayout } from './chords';

/** What Chromium adds to `navigator`; TypeScript's library does not list it. */
interface LayoutReader {
  keyboard?: { getLayoutMap(): Promise<KeyLayout> };
}

/** What the keys of this keyboard print, as the system says; null until it answered. */
export const useKeyLayout = create<{ layout: KeyLayout | null }>()(() => ({ layout: null }));

/** Follows the system's layout; nothing reports a change, so each return to the window asks again. */
export function startKeyLayout(): () => void {
  const read = () => {
    const { keyboard } = navigator as LayoutReader;
    keyboard?.getLayoutMap().then(
      (layout) => useKeyLayout.setState({ layout: new Map(layout) }),
      // The system may refuse while another window is in front; chords work without, and caps are those of a US keyboard.
      () => undefined,
    );
  };
  read();
  window.addEventListener('focus', read);
  return () => window.removeEventListener('focus', read);
}
