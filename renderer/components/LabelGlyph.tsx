import type { ReactNode } from 'react';

export type LabelState = 'train' | 'mask' | 'undecided' | 'none' | 'carried' | 'hint';

const shapes: Record<LabelState, ReactNode> = {
  train: <rect x="3" y="3" width="10" height="10" rx="1" fill="currentColor" stroke="none" />,
  mask: <path d="M4 3h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM3.6 12.4 12.4 3.6" />,
  undecided: (
    <>
      <path d="M5.3 5.6A2.75 2.75 0 1 1 8.9 8.2c-.65.3-.9.7-.9 1.5" strokeWidth="1.75" />
      <path d="M8 12.6v.05" strokeWidth="2.25" />
    </>
  ),
  none: <circle cx="8" cy="8" r="1.25" fill="currentColor" stroke="none" />,
  carried: <path d="M13 8H3.5M7 4 3 8l4 4" />,
  hint: <path d="M2.5 3.25h11v8H7.25L4.5 13.5v-2.25h-2v-8Z" fill="currentColor" />,
};

export interface LabelGlyphProps {
  state: LabelState;
  /** The word for screen readers; without it the glyph is decoration beside a visible word. */
  label?: string;
  /** Confirmed by a person. */
  ring?: boolean;
  /** On its way to the disk, not yet a decision. */
  pending?: boolean;
}

/** The glyph of a label state; the word, the pattern and the colour stand beside it. */
export function LabelGlyph({ state, label, ring = false, pending = false }: LabelGlyphProps) {
  const className = `icon glyph tone-${state} ${ring ? 'glyph-ring' : ''} ${pending ? 'glyph-pending' : ''}`;
  if (label === undefined) {
    return (
      <svg className={className} viewBox="0 0 16 16" aria-hidden="true">
        {shapes[state]}
      </svg>
    );
  }
  return (
    <svg className={className} viewBox="0 0 16 16" role="img" aria-label={label}>
      {shapes[state]}
    </svg>
  );
}
