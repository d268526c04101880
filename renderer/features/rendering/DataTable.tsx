import { useState } from 'react';
import { Button } from '../../components/Button';
import { useText } from '../../text/language';
import { legible } from './legible';
import type { TableRows } from './table-rows';

const PAGE = 50;
const LONG_CELL = 400;

/** Rows and columns; the first rows, and more when asked for. */
export function DataTable({ table: { head, rows } }: { table: TableRows }) {
  const words = useText();
  const [shown, setShown] = useState(PAGE);
  return (
    <>
      <section
        className="table-box"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by keyboard
        tabIndex={0}
        aria-label={words.rendering.tableOf(rows.length, head.length)}
      >
        <table className="data-table">
          <thead>
            <tr>
              {head.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns of one text never move
                <th key={at} scope="col">
                  {legible(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do its rows
              <tr key={at}>
                {row.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: nor do its cells
                  <td key={column} className={isNumber(cell) ? 'data-number' : ''}>
                    {legible(cell.length > LONG_CELL ? `${cell.slice(0, LONG_CELL)}…` : cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown && (
        <Button look="ghost" small onClick={() => setShown(shown + PAGE * 4)}>
          {words.rendering.moreRows(words.common.format.count(rows.length - shown))}
        </Button>
      )}
    </>
  );
}

function isNumber(cell: string): boolean {
  return /^\s*[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*%?\s*$/i.test(cell);
}
