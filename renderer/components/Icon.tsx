import type { ReactNode } from 'react';

/** Drawn on a 16 px grid with 1.5 px lines. */
const shapes = {
  search: <path d="M7 2.75a4.25 4.25 0 1 1 0 8.5 4.25 4.25 0 0 1 0-8.5Zm3.2 7.45 3.3 3.3" />,
  list: <path d="M2.5 4.5h11M2.5 8h7M2.5 11.5h4" />,
  minus: <path d="M4 8h8" />,
  square: <rect x="4" y="4" width="8" height="8" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  up: <path d="m4.5 9.5 3.5-3.5 3.5 3.5" />,
  right: <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />,
  left: <path d="m9.5 4.5-3.5 3.5 3.5 3.5" />,
  inbox: <path d="M2.25 9 4 3.25h8L13.75 9v3.75H2.25V9Zm0 0h3.5l1 1.75h2.5l1-1.75h3.5" />,
  moon: <path d="M13 9.6A5.4 5.4 0 0 1 6.4 3a5.25 5.25 0 1 0 6.6 6.6Z" />,
  check: <path d="m3 8.5 3.25 3.25L13 4.75" />,
  warning: <path d="M8 2.5 14.25 13H1.75L8 2.5ZM8 6.5v3M8 11.4v.1" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  play: <path d="M5 3.5v9l7-4.5-7-4.5Z" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />,
  question: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.4 6.4a1.65 1.65 0 1 1 2.3 1.6c-.5.22-.7.5-.7 1M8 11v.05" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.75" r="1.5" />
      <circle cx="4.5" cy="12.25" r="1.5" />
      <circle cx="11.5" cy="6" r="1.5" />
      <path d="M4.5 5.25v5.5M11.5 7.5c0 2.25-3 2.25-6 3.25" />
    </>
  ),
  summary: <path d="M2.5 3.5h11M2.5 6.5h11M5 9.5h6M6.5 12.5h3" />,
  chip: (
    <>
      <rect x="3.5" y="3.5" width="9" height="9" rx="1" />
      <path d="M6 1.5v2M10 1.5v2M6 12.5v2M10 12.5v2M1.5 6h2M1.5 10h2M12.5 6h2M12.5 10h2" />
    </>
  ),
  repeat: <path d="M3 7a5 5 0 0 1 8.9-2.2L13 6M13 3v3h-3M13 9a5 5 0 0 1-8.9 2.2L3 10M3 13v-3h3" />,
  working: <path d="M8 2.25A5.75 5.75 0 1 1 2.25 8" />,
  done: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m5.5 8.25 1.75 1.75L10.75 6.5" />
    </>
  ),
  plus: <path d="M8 3.25v9.5M3.25 8h9.5" />,
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  tail: <path d="M8 2.5v8M4.5 7.25 8 10.75l3.5-3.5M3.5 13.5h9" />,
  eye: (
    <>
      <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8Z" />
      <circle cx="8" cy="8" r="1.75" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  flag: <path d="M3.75 14V2.75h8.5L10.5 6l1.75 3.25h-8.5" />,
  comment: <path d="M2.5 3.25h11v8H7.25L4.5 13.5v-2.25h-2v-8Z" />,
  hint: <path d="M2.5 3.25h11v8H7.25L4.5 13.5v-2.25h-2v-8Z" fill="currentColor" />,
  columns: (
    <path d="M3.25 2.75h9.5a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1h-9.5a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1ZM8 2.75v10.5" />
  ),
  book: (
    <path d="M8 4c-1.5-1-3.5-1.25-5.75-1v9.5C4.5 12.25 6.5 12.5 8 13.5c1.5-1 3.5-1.25 5.75-1V3C11.5 2.75 9.5 3 8 4Zm0 0v9.5" />
  ),
  disk: (
    <>
      <ellipse cx="8" cy="4" rx="5.25" ry="1.75" />
      <path d="M2.75 4v8c0 .97 2.35 1.75 5.25 1.75s5.25-.78 5.25-1.75V4M2.75 8c0 .97 2.35 1.75 5.25 1.75S13.25 8.97 13.25 8" />
    </>
  ),
  lock: (
    <path d="M4.25 7h7.5a1 1 0 0 1 1 1v4.25a1 1 0 0 1-1 1h-7.5a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1Zm1 0V5a2.75 2.75 0 0 1 5.5 0v2" />
  ),
  unlinked: <path d="M6.5 9.5 5 11a2.1 2.1 0 0 1-3-3l2-2M9.5 6.5 11 5a2.1 2.1 0 0 1 3 3l-2 2M3 3l10 10" />,
  copy: (
    <path d="M6.25 5.25h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM10.75 5V2.75h-8v8H5" />
  ),
  key: (
    <>
      <circle cx="5" cy="8" r="2.75" />
      <path d="M7.75 8h6M11.5 8v2.5" />
    </>
  ),
  terminal: (
    <path d="M2.75 2.75h10.5a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1ZM4.5 6l2 2-2 2M8.5 10.25h3" />
  ),
  settings: (
    <>
      <path d="M2.5 5h5M11.5 5h2M2.5 11h2M8.5 11h5" />
      <circle cx="9.5" cy="5" r="1.75" />
      <circle cx="6.5" cy="11" r="1.75" />
    </>
  ),
  score: <path d="M2.5 13.25h11M3.5 10.5l3-3.25 2.5 2 3.75-5" />,
  folder: <path d="M1.75 12.25v-8.5h4l1.5 1.75h7v6.75H1.75Z" />,
  file: <path d="M4 1.75h5.25L12.5 5v9.25H4V1.75Zm5 0V5.25h3.5" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.25 8h11.5M8 2.25c2 1.75 2.5 3.75 2.5 5.75s-.5 4-2.5 5.75C6 12 5.5 10 5.5 8S6 4 8 2.25Z" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

export interface IconProps {
  name: IconName;
  small?: boolean;
  className?: string;
}

/** A picture beside a word: hidden from screen readers, so the word must be there. */
export function Icon({ name, small = false, className = '' }: IconProps) {
  return (
    <svg className={`icon ${small ? 'icon-small' : ''} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
