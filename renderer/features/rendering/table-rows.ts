export interface TableRows {
  head: string[];
  rows: string[][];
}

/** Longer texts are not taken apart. */
const MAX_TEXT = 512 * 1024;
const MIN_ROWS = 3;
const MAX_COLUMNS = 64;

/** A text that is a table as a whole: tabs, commas, semicolons or pipes between columns. Null for anything else. */
export function tableRows(text: string): TableRows | null {
  if (text.length > MAX_TEXT) return null;
  const trimmed = text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  const newline = trimmed.indexOf('\n');
  if (newline < 0) return null;
  const first = trimmed.slice(0, newline);
  if (first.trimStart().startsWith('|')) return pipeTable(trimmed);
  for (const mark of ['\t', ',', ';']) {
    if (!first.includes(mark)) continue;
    const rows = separated(trimmed, mark);
    if (rows !== null && isTable(rows)) return headed(rows);
  }
  return null;
}

function isTable(rows: readonly string[][]): boolean {
  const columns = rows[0]?.length ?? 0;
  return (
    rows.length >= MIN_ROWS &&
    columns >= 2 &&
    columns <= MAX_COLUMNS &&
    rows.every((row) => row.length === columns) &&
    // Prose with as many commas in each line as in the next has long parts.
    (rows[0]?.every((cell) => cell.length <= 80) ?? false)
  );
}

function headed([head = [], ...rows]: string[][]): TableRows {
  return { head, rows };
}

/** Rows by RFC 4180: quoted cells may hold the mark and line breaks. Null where quotes do not add up. */
function separated(text: string, mark: string): string[][] | null {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    let cell: string;
    if (text[at] === '"') {
      const end = closingQuote(text, at);
      if (end < 0) return null;
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && text[end] !== mark && text[end] !== '\n') end += 1;
      cell = text.slice(at, end).replace(/\r$/, '');
      at = end;
    }
    row.push(cell);
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    if (at < text.length && text[at] !== mark && text[at] !== '\n') return null;
    if (at >= text.length || text[at] === '\n') {
      rows.push(row);
      row = [];
      if (at >= text.length) break;
    }
    at += 1;
  }
  return rows;
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** `| a | b |` lines, the second of which rules the head off. */
function pipeTable(text: string): TableRows | null {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.some((line) => !line.startsWith('|')) || !/^[|\s:+-]+$/.test(lines[1] ?? '')) return null;
  const cells = (line: string) =>
    line
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  const rows = lines.filter((_, at) => at !== 1).map(cells);
  const columns = rows[0]?.length ?? 0;
  if (rows.length < 2 || columns < 2 || columns > MAX_COLUMNS) return null;
  return headed(rows);
}
