import { useRef } from 'react';
import type { Row, RowModel } from '../../state/rows/row-model';
import { RowLayout } from './row-layout';

/** What the reader looks at: the row at the top edge and how far it is scrolled. */
export interface Held {
  row: Row | undefined;
  index: number;
  offset: number;
}

/**
 * The heights of the rows. They are kept while a model only grows at its end; another one begins anew, and the row the
 * reader held is found in it.
 */
export function useLayout(model: RowModel, held: React.RefObject<Held>): RowLayout {
  const kept = useRef<{ model: RowModel; layout: RowLayout } | null>(null);
  if (kept.current === null || kept.current.model !== model) {
    const same = kept.current !== null && model.continues(kept.current.model);
    const layout = same && kept.current !== null ? kept.current.layout : new RowLayout(0);
    if (!same && held.current.row !== undefined) {
      const index = model.find(held.current.row);
      held.current = { ...held.current, row: model.at(index), index };
    }
    layout.count = model.count;
    kept.current = { model, layout };
  }
  return kept.current.layout;
}
