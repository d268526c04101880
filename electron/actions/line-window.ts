import { boundText, cutLine, observationLimit } from './bounded-text';

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

/** The window after or before another without overlap, moved inwards at the file's ends. */
export function windowBeside(from: LineWindow, size: number, total: number, down: boolean): LineWindow {
  const wanted = down ? from.endLine + 1 : from.startLine - size;
  const start = Math.max(1, Math.min(wanted, total - size + 1));
  return { startLine: start, endLine: Math.min(total, start + size - 1) };
}

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
    boundText(numbered(lines, window.startLine, window.endLine), observationLimit - 200),
    below === 0 ? '(end of file)' : `(${below} lines below; file_scroll_down shows more)`,
  ].join('\n');
}
