import { type RefObject, useEffect } from 'react';

/** Takes the focus when the page comes up and what had it is gone: a dialog without focus hears no keys. */
export function useFocusWhenLost(target: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body)
      target.current?.focus({ preventScroll: true });
  }, [target]);
}
