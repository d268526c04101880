/** More line pairs than this are counted by content instead of by order, which stays linear. */
const MAX_CELLS = 1_000_000;

/** Lines added and removed between two texts; null counts as empty. Exact for files of ordinary size. */
export function countChangedLines(
  before: string | null,
  after: string | null,
): { added: number; removed: number } {
  const old = lines(before);
  const next = lines(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) {
    start += 1;
  }
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) {
    end += 1;
  }
  const left = old.slice(start, old.length - end);
  const right = next.slice(start, next.length - end);
  const common =
    left.length * right.length > MAX_CELLS ? commonAsSets(left, right) : longestCommon(left, right);
  return { added: right.length - common, removed: left.length - common };
}

function lines(text: string | null): string[] {
  if (text === null || text === '') {
    return [];
  }
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Length of the longest common subsequence, by two rows of numbered lines. */
function longestCommon(left: string[], right: string[]): number {
  const numbers = new Map<string, number>();
  const numbered = (line: string) => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const columns = Uint32Array.from(right, numbered);
  let row = new Uint32Array(columns.length + 1);
  let next = new Uint32Array(columns.length + 1);
  for (const line of Uint32Array.from(left, numbered)) {
    for (let index = 0; index < columns.length; index += 1) {
      next[index + 1] =
        columns[index] === line ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0);
    }
    [row, next] = [next, row];
  }
  return row[columns.length] ?? 0;
}

function commonAsSets(left: string[], right: string[]): number {
  const counts = new Map<string, number>();
  for (const line of left) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  let common = 0;
  for (const line of right) {
    const count = counts.get(line) ?? 0;
    if (count > 0) {
      counts.set(line, count - 1);
      common += 1;
    }
  }
  return common;
}
