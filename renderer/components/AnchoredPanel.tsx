import type { KeyboardEvent, ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { type AnchoredPanelOptions, useAnchoredPanel } from './useAnchoredPanel';

export interface AnchoredPanelProps extends AnchoredPanelOptions {
  label: string;
  /** Class of this panel, and its name for tests. */
  name: string;
  /** A key other than Escape; true: it was one of the panel's. */
  onKey?: (event: KeyboardEvent, box: HTMLDivElement | null) => boolean;
  children: (leave: () => void) => ReactNode;
}

/** A panel over the page, below the button that opens it. Escape closes it and gives the focus back. */
export function AnchoredPanel({ label, name, onKey, children, ...options }: AnchoredPanelProps) {
  const { box, leave } = useAnchoredPanel(options);
  return createPortal(
    <div
      ref={box}
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={`anchored-panel ${name}`}
      data-testid={name}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leave();
        else if (onKey?.(event, box.current) !== true) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {children(leave)}
    </div>,
    document.body,
  );
}
