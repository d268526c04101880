import { visibleText } from '@shared/terminal/visible-text';

/** Stands before every row of words that are not ours, so that none of them passes for a line of ours. */
export const gutter = '  | ';

/** Where a terminal does not say how wide it is, columns. */
export const usualColumns = 80;

const tabStop = 8;

/** Text of others, set off: every line of it stands behind the gutter, and the terminal folds it there. */
export function setOff(text: string): string[] {
  return text.split(/\r?\n/).map((line) => `${gutter}${line}`);
}

/**
 * A line of ours, whatever values of others stand in it: a line break in one is written out, and where the terminal would wrap, the
 * rest begins further in, so that it passes for no line of ours. `columns`: undefined where nothing wraps. What is set off stays so.
 */
export function ownLine(line: string, columns: number | undefined): string {
  const flat = visibleText(line).replaceAll('\n', '⟨LF⟩');
  return columns === undefined || flat.startsWith(gutter) ? flat : fold(flat, '', hanging, columns);
}

const hanging = '      ';

/**
 * A line that begins with the gutter, as rows that each do and that a terminal of so many columns does not wrap; nothing is left
 * out. Other lines stay as they are. Tabs become the blanks that they stand for.
 */
export function foldQuoted(line: string, columns: number): string {
  return line.startsWith(gutter) ? fold(line.slice(gutter.length), gutter, gutter, columns) : line;
}

/** `first` stands before the first row and `next` before each that follows. */
function fold(line: string, first: string, next: string, columns: number): string {
  const rows: string[] = [];
  let before = first;
  let row = before;
  let used = before.length;
  for (const character of line) {
    if (used + cellsOf(character, used) > columns && used > before.length) {
      rows.push(row);
      before = next;
      row = before;
      used = before.length;
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
