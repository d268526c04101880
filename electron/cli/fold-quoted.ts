/** Stands before every row of words that are not ours, so that none of them passes for a line of ours. */
export const gutter = '  | ';

/** Where a terminal does not say how wide it is, columns. */
export const usualColumns = 80;

const tabStop = 8;

/**
 * A line that begins with the gutter, as rows that each do and that a terminal of so many columns does not wrap; nothing is left
 * out. Other lines stay as they are. Tabs become the blanks that they stand for.
 */
export function foldQuoted(line: string, columns: number): string {
  if (!line.startsWith(gutter)) return line;
  const rows: string[] = [];
  let row = gutter;
  let used = gutter.length;
  for (const character of line.slice(gutter.length)) {
    if (used + cellsOf(character, used) > columns && used > gutter.length) {
      rows.push(row);
      row = gutter;
      used = gutter.length;
    }
    const cells = cellsOf(character, used);
    row += character === '\t' ? ' '.repeat(cells) : character;
    used += cells;
  }
  return [...rows, row].join('\n');
}

/** Terminals differ about characters beyond ASCII, and none gives one more than two cells: a row never takes more than is counted. */
function cellsOf(character: string, used: number): number {
  if (character === '\t') return tabStop - (used % tabStop);
  return character >= ' ' && character <= '~' ? 1 : 2;
}
