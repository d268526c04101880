import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

export interface AnchoredPanelOptions {
  /** Holds the button that opens the panel. */
  anchor: HTMLElement | null;
  /** CSS px that it is high at the most, where the window has room. */
  most: number;
  onClose: () => void;
  /** What in the panel gets the focus first; absent or missing: the panel. */
  first?: string;
}

/**
 * A panel over the page, below the button that opens it, wherever banners have moved that: a press elsewhere closes it. `leave`
 * closes it and gives the focus back to the button.
 */
export function useAnchoredPanel({ anchor, most, onClose, first }: AnchoredPanelOptions): {
  box: RefObject<HTMLDivElement | null>;
  leave: () => void;
} {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const panel = box.current;
    if (panel === null) return;
    const top = (anchor?.getBoundingClientRect().bottom ?? 0) + 6;
    panel.style.top = `${top}px`;
    panel.style.maxHeight = `min(${most}px, ${window.innerHeight - top - 32}px)`;
    ((first === undefined ? null : panel.querySelector<HTMLElement>(first)) ?? panel).focus();
  }, [anchor, most, first]);

  useEffect(() => {
    function onPointer({ target }: PointerEvent): void {
      if (!(target instanceof Node) || box.current?.contains(target) || anchor?.contains(target)) return;
      close.current();
    }
    window.addEventListener('pointerdown', onPointer, true);
    return () => window.removeEventListener('pointerdown', onPointer, true);
  }, [anchor]);

  return {
    box,
    leave: () => {
      onClose();
      anchor?.querySelector('button')?.focus();
    },
  };
}
