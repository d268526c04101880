import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { ResultRow } from './ResultRow';
import { needHits, useSearch } from './search';
import type { SearchRow, SearchRows } from './search-rows';

const ROW = 28;
/** The list is as high as its rows, and at most this, px; with its padding above and below. */
const MOST = 480;
const EDGES = 8;

export interface ResultListProps {
  id: string;
  rows: SearchRows;
  /** The row that Enter opens, or -1. */
  active: number;
  onOpen: (row: SearchRow) => void;
}

/** All results, only those in view drawn. The search box keeps the focus and moves `active`. */
export function ResultList({ id, rows, active, onOpen }: ResultListProps) {
  const text = useText().search;
  const box = useRef<HTMLDivElement>(null);
  const cursor = useTimeline((state) => state.cursor);
  const query = useSearch((state) => state.query);
  const lines = useVirtualizer({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const shown = lines.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query has other pages
  useEffect(() => needHits(first, last), [first, last, query, rows.count]);
  useEffect(() => {
    if (active >= 0) lines.scrollToIndex(active);
  }, [active, lines]);
  return (
    <div
      ref={box}
      id={id}
      role="listbox"
      aria-label={text.results}
      className="results"
      style={{ height: Math.min(MOST, lines.getTotalSize() + EDGES) }}
    >
      <div className="results-space" style={{ height: lines.getTotalSize() }}>
        {shown.map(({ index, start, key }) => {
          const row = rows.at(index);
          if (row === undefined) return null;
          const here = row.kind === 'step' && row.run === null && row.hit?.step === cursor;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the search box holds the focus
            <div
              key={key}
              ref={lines.measureElement}
              data-index={index}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              aria-current={here ? 'true' : undefined}
              aria-setsize={rows.count}
              aria-posinset={index + 1}
              className="results-row"
              style={{ transform: `translateY(${start}px)` }}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onOpen(row)}
            >
              <ResultRow row={row} before={rows.at(index - 1)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
