import { create } from 'zustand';
import type { ContentKind } from './content-kind';

const key = 'waymark.raw';

/** Kinds of content that the person reads as they are; kept in the window's own storage. */
export const useRaw = create<ReadonlySet<string>>()(() => stored());

function stored(): ReadonlySet<string> {
  const text = typeof localStorage === 'undefined' ? null : localStorage.getItem(key);
  return new Set((text ?? '').split(',').filter((each) => each !== ''));
}

/** Remembers how one kind of content is read from now on. */
export function chooseRaw(kind: ContentKind, raw: boolean): void {
  const next = new Set(useRaw.getState());
  if (raw) next.add(kind);
  else next.delete(kind);
  useRaw.setState(next, true);
  localStorage.setItem(key, [...next].join(','));
}
