import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import '../../components/choice-list.css';
import { useText } from '../../text/language';
import type { RowPages } from './row-pages';
import { showRow, useTokens } from './token-state';

const ROW = 44;
const PAGE = 10;

export interface RowListProps {
  rows: RowPages;
}

/** The rows of the dataset: where each is from, how long it is, how many of its steps train. */
export function RowList({ rows }: RowListProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const box = useRef<HTMLDivElement>(null);
  const chosen = useTokens((state) => state.row);
  const lines = useVirtualizer({
    count: rows.of,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen row is brought into view when it changes
  useEffect(() => {
    lines.scrollToIndex(chosen);
  }, [chosen]);
  const shown = lines.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => rows.show(first, last), [rows, first, last]);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    j: 1,
    k: -1,
    PageDown: PAGE,
    PageUp: -PAGE,
    Home: -rows.of,
    End: rows.of,
  };
  return (
    <div className="row-side">
      <div
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label={text.rows}
        aria-activedescendant={`export-row-${chosen}`}
        className="choice-list"
        onKeyDown={(event) => {
          const by = moves[event.key];
          if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          showRow(Math.max(0, Math.min(rows.of - 1, chosen + by)));
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <div className="token-space" style={{ height: lines.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows.at(index);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
              // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
              <div
                key={index}
                id={`export-row-${index}`}
                role="option"
                aria-selected={index === chosen}
                aria-setsize={rows.of}
                aria-posinset={index + 1}
                className="choice-line row-line"
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => showRow(index)}
              >
                <span className="row-first">
                  <span className="mono-11 quiet tabular">{count(index + 1)}</span>
                  <b className="medium cut">{row?.title ?? words.common.loading}</b>
                </span>
                {row !== undefined && (
                  <span className="row-second text-11 quiet tabular">
                    <span className="cut">
                      {text.rowOrigin(row.segment, row.kind, row.firstStep, row.lastStep)}
                    </span>
                    {row.split === 'validation' && <span className="chip">{text.validation}</span>}
                    <span className="row-counts">
                      {text.rowCounts(row.trained, row.masked, words.common.format.compact(row.tokens))}
                    </span>
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
