import type { RowView } from '@shared/contract/export-views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useText } from '../../text/language';
import { showRow, useTokens } from './token-state';

const ROW = 44;
const PAGE = 10;

export interface RowListProps {
  /** Rows of the plan in order; there may be more than are listed. */
  rows: readonly RowView[];
  of: number;
}

/** The rows of the dataset: where each is from, how long it is, how many of its steps train. */
export function RowList({ rows, of }: RowListProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const box = useRef<HTMLDivElement>(null);
  const chosen = useTokens((state) => state.row);
  const at = rows.findIndex(({ index }) => index === chosen);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen row is brought into view when it changes
  useEffect(() => {
    if (at >= 0) lines.scrollToIndex(at);
  }, [at]);
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: PAGE, PageUp: -PAGE },
    ...{ Home: -rows.length, End: rows.length },
  };
  return (
    <div className="row-side">
      <div
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label={text.rows}
        aria-activedescendant={at >= 0 ? `export-row-${chosen}` : undefined}
        className="row-list"
        onKeyDown={(event) => {
          const by = moves[event.key];
          if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          const next = rows[Math.max(0, Math.min(rows.length - 1, Math.max(0, at) + by))];
          if (next !== undefined) showRow(next.index);
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <div className="token-space" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
              // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
              <div
                key={row.index}
                id={`export-row-${row.index}`}
                role="option"
                aria-selected={row.index === chosen}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                className="row-line"
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => showRow(row.index)}
              >
                <span className="row-first">
                  <span className="mono-11 quiet tabular">{count(row.index + 1)}</span>
                  <b className="medium cut">{row.title}</b>
                </span>
                <span className="row-second text-11 quiet tabular">
                  <span className="cut">{text.rowOrigin(row.segment, row.kind, row.firstStep, row.lastStep)}</span>
                  {row.split === 'validation' && <span className="chip">{text.validation}</span>}
                  <span className="row-counts">
                    {text.rowCounts(row.trained, row.masked, words.common.format.compact(row.tokens))}
                  </span>
                </span>
              </div>
            );
          })}
        </div>
      </div>
      {of > rows.length && <p className="row-more text-11 quiet">{text.rowsListed(count(rows.length), count(of))}</p>}
    </div>
  );
}
