import type { RehearsedAction } from '@shared/contract/views';
import type { ModelCall } from '@shared/log/event-parts';

/** A piece of a text; `differs`: not in the other text. */
export interface DifferencePiece {
  text: string;
  differs: boolean;
}

/** One line of two answers side by side: the text, a call's name, or one of its arguments. */
export interface DifferenceRow {
  /** `text`, or `0.name`, `0.path`: number of the call and what of it. */
  id: string;
  /** What the row is: null for the text before the calls. */
  call: number | null;
  /** Name of the argument on either side; null for text and names, and where that side has none. */
  keys: { without: string | null; with: string | null };
  /** Null where that side has nothing. */
  without: DifferencePiece[] | null;
  with: DifferencePiece[] | null;
}

const noKeys = { without: null, with: null };

/**
 * Two answers side by side, what differs marked: texts word by word, calls by their place, arguments of the same action
 * by name. Arguments that are no JSON object stand as the model wrote them.
 */
export function differenceRows(without: RehearsedAction, other: RehearsedAction): DifferenceRow[] {
  const rows: DifferenceRow[] = [];
  if (without.text.trim() !== '' || other.text.trim() !== '')
    rows.push({ id: 'text', call: null, keys: noKeys, ...sides(without.text.trim(), other.text.trim()) });
  for (let at = 0; at < Math.max(without.calls.length, other.calls.length); at++) {
    const left = without.calls[at];
    const right = other.calls[at];
    rows.push({ id: `${at}.name`, call: at, keys: noKeys, ...sides(left?.name, right?.name) });
    rows.push(...argumentRows(at, left, right));
  }
  return rows;
}

/** Arguments of one action meet by name; those of two different ones only stand beside each other. */
function argumentRows(
  at: number,
  left: ModelCall | undefined,
  right: ModelCall | undefined,
): DifferenceRow[] {
  const before = argumentsOf(left);
  const after = argumentsOf(right);
  if (left?.name === right?.name)
    return [...new Set([...before.keys(), ...after.keys()])].map((key) => ({
      id: `${at}.${key}`,
      call: at,
      keys: { without: before.has(key) ? key : null, with: after.has(key) ? key : null },
      ...sides(before.get(key), after.get(key)),
    }));
  const pairs = Math.max(before.size, after.size);
  const lefts = [...before];
  const rights = [...after];
  return Array.from({ length: pairs }, (_, index) => {
    const one = lefts[index];
    const two = rights[index];
    return {
      id: `${at}.${index}`,
      call: at,
      keys: { without: one?.[0] ?? null, with: two?.[0] ?? null },
      without: one === undefined ? null : whole(one[1]),
      with: two === undefined ? null : whole(two[1]),
    };
  });
}

/** Whether the model would have done something else. */
export function actsDifferently(without: RehearsedAction, other: RehearsedAction): boolean {
  return differenceRows(without, other).some(
    (row) =>
      row.call !== null &&
      [row.without, row.with].some((side) => side === null || side.some((piece) => piece.differs)),
  );
}

function argumentsOf(call: ModelCall | undefined): Map<string, string> {
  if (call === undefined) return new Map();
  const parsed = parsedObject(call.arguments);
  if (parsed === null) return new Map([['', call.arguments]]);
  return new Map(
    Object.entries(parsed).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function parsedObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // The model wrote no JSON: the caller shows its text.
    return null;
  }
}

function sides(
  without: string | undefined,
  other: string | undefined,
): Pick<DifferenceRow, 'without' | 'with'> {
  if (without === undefined) return { without: null, with: whole(other ?? '') };
  if (other === undefined) return { without: whole(without), with: null };
  return compared(without, other);
}

function whole(text: string): DifferencePiece[] {
  return [{ text, differs: true }];
}

/** Words and the white space between them; beyond so many a comparison costs more than it shows. */
const comparedTokens = 2_000;

function compared(a: string, b: string): { without: DifferencePiece[]; with: DifferencePiece[] } {
  if (a === b) return { without: [{ text: a, differs: false }], with: [{ text: b, differs: false }] };
  const left = tokens(a);
  const right = tokens(b);
  if (left.length > comparedTokens || right.length > comparedTokens)
    return { without: whole(a), with: whole(b) };
  const common = commonLengths(left, right);
  const without: DifferencePiece[] = [];
  const other: DifferencePiece[] = [];
  const width = right.length + 1;
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const one = left[i];
    const two = right[j];
    if (one !== undefined && one === two) {
      push(without, one, false);
      push(other, one, false);
      i++;
      j++;
    } else if (
      two === undefined ||
      (one !== undefined && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      push(without, one ?? '', true);
      i++;
    } else {
      push(other, two, true);
      j++;
    }
  }
  return { without: joined(without), with: joined(other) };
}

/** Length of the longest common subsequence of the tokens from `i` and `j` on, row by row. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        left[i] === right[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  return lengths;
}

function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function push(pieces: DifferencePiece[], text: string, differs: boolean): void {
  const last = pieces.at(-1);
  if (last !== undefined && last.differs === differs) last.text += text;
  else pieces.push({ text, differs });
}

/** White space between two marked pieces is marked with them: a run of words reads as one. */
function joined(pieces: readonly DifferencePiece[]): DifferencePiece[] {
  const result: DifferencePiece[] = [];
  pieces.forEach(({ text, differs }, at) => {
    const between =
      text.trim() === '' && pieces[at - 1]?.differs === true && pieces[at + 1]?.differs === true;
    push(result, text, differs || between);
  });
  return result;
}
