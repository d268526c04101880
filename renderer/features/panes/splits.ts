import { useCallback } from 'react';
import { create } from 'zustand';

/** Sizes of panes, px, by `scope.name`; only what the person has changed. */
const useSizes = create<Record<string, number | null>>()(() => ({}));

const stored = (key: string): string => `waymark.split.${key}`;

/**
 * A size in px that the person set by dragging, kept per scope (a task) in the window's own storage.
 * @returns the size, and the setter (null = back to the default).
 */
export function useSplit(
  scope: string,
  name: string,
  fallback: number,
): readonly [number, (size: number | null) => void] {
  const key = `${scope}.${name}`;
  const size = useSizes((state) => state[key]);
  const change = useCallback(
    (next: number | null) => {
      useSizes.setState({ [key]: next });
      if (next === null) localStorage.removeItem(stored(key));
      else localStorage.setItem(stored(key), String(Math.round(next)));
    },
    [key],
  );
  return [(size === undefined ? readSize(key) : size) ?? fallback, change] as const;
}

function readSize(key: string): number | null {
  const size = Number(localStorage.getItem(stored(key)));
  return Number.isFinite(size) && size > 0 ? size : null;
}
