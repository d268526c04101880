import { bodyLimit, cutLine } from '@shared/base/bounded-text';

/** Lines shown at once, as in the reference. */
export const windowSize = 100;

/** A part of a file: 1-based, inclusive; an empty file has `startLine` 1 and `endLine` 0. */
export interface LineWindow {
  startLine: number;
  endLine: number;
}

/** The window of up to `size` lines around `line`, moved rather than shortened at both ends of the file. */
export function windowAround(line: number, size: number, total: number): LineWindow {
  const start = Math.max(1, Math.min(line - Math.floor(size / 2), total - size + 1));
  return { startLine: start, endLine: Math.min(total, start + size - 1) };
}

/** The window after or before another without overlap, shorter at the file's ends; null: there is nothing beyond. */
export function windowBeside(
  from: LineWindow,
  size: number,
  total: number,
  down: boolean,
): LineWindow | null {
  if (down) {
    const startLine = from.endLine + 1;
    return startLine > total ? null : { startLine, endLine: Math.min(total, startLine + size - 1) };
  }
  const endLine = Math.min(total, from.startLine - 1);
  return endLine < 1 ? null : { startLine: Math.max(1, endLine - size + 1), endLine };
}

/** As much of the window, in whole lines around `line`, as one observation has room for; at least that line. */
export function fittingWindow(lines: readonly string[], window: LineWindow, line: number): LineWindow {
  let [startLine, endLine] = [line, line];
  let left = bodyLimit - units(lines, line);
  for (let grew = true; grew; ) {
    grew = false;
    for (const next of [endLine + 1, startLine - 1]) {
      const inside = next >= window.startLine && next <= window.endLine;
      const needed = inside ? units(lines, next) : 0;
      if (!inside || needed > left) continue;
      left -= needed;
      if (next > endLine) endLine = next;
      else startLine = next;
      grew = true;
    }
  }
  return { startLine, endLine };
}

const units = (lines: readonly string[], line: number) => numbered(lines, line, line).length + 1;

/** `number|line` for each line of `from`..`to`. */
export function numbered(lines: readonly string[], from: number, to: number): string {
  const rows: string[] = [];
  for (let i = from; i <= to; i += 1) rows.push(`${i}|${cutLine(lines[i - 1] ?? '')}`);
  return rows.join('\n');
}

/** The lines of a window between what lies above and what lies below. */
export function renderWindow(lines: readonly string[], window: LineWindow): string {
  const total = lines.length;
  if (total === 0) return '(the file is empty)';
  const above = window.startLine - 1;
  const below = total - window.endLine;
  return [
    above === 0 ? '(start of file)' : `(${above} lines above)`,
    numbered(lines, window.startLine, window.endLine),
    below === 0 ? '(end of file)' : `(${below} lines below; file_scroll_down shows more)`,
  ].join('\n');
}
