import type { ReactNode } from 'react';

/** Names of a table's columns. `children`: cells before them. */
export function ColumnHeads({ heads, children }: { heads: readonly string[]; children?: ReactNode }) {
  return (
    <thead>
      <tr>
        {children}
        {heads.map((head, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns never move, and two may have one name
          <th key={column} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
