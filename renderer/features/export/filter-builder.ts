import type { ExportFilter } from '@shared/contract/export-request';

/** What a person has typed and ticked about the runs and rows to take; a line each. */
export interface FilterDraft {
  tasks?: string[] | undefined;
  domains?: string[] | undefined;
  experiments?: string[] | undefined;
  arms?: string[] | undefined;
  annotators?: string[] | undefined;
  judges?: string[] | undefined;
  sources?: NonNullable<ExportFilter['sources']> | undefined;
  kinds?: NonNullable<ExportFilter['kinds']> | undefined;
  /** As typed. */
  minScore?: string | undefined;
  successful?: true | undefined;
  length?: { min: string; max: string } | undefined;
  /** `YYYY-MM-DD` on the person's calendar, both days included; empty = open. */
  dates?: { from: string; to: string } | undefined;
}

export const filterFields = [
  'tasks',
  'domains',
  'experiments',
  'arms',
  'minScore',
  'successful',
  'annotators',
  'judges',
  'sources',
  'kinds',
  'length',
  'dates',
] as const satisfies readonly (keyof FilterDraft)[];
export type FilterField = (typeof filterFields)[number];

/** Fields whose value is a list of names. */
export const nameFields = ['tasks', 'domains', 'experiments', 'arms', 'annotators', 'judges'] as const;
export type NameField = (typeof nameFields)[number];

export function isNameField(field: FilterField): field is NameField {
  return (nameFields as readonly string[]).includes(field);
}

/** What is wrong with a line, as the text catalogue names it. */
export type FilterProblem = 'empty' | 'number' | 'order' | 'date';

/** A new line, with nothing chosen in it yet. */
export function emptyLine(field: FilterField): FilterDraft {
  if (isNameField(field)) return { [field]: [] };
  if (field === 'sources') return { sources: [] };
  if (field === 'kinds') return { kinds: [] };
  if (field === 'minScore') return { minScore: '' };
  if (field === 'successful') return { successful: true };
  return field === 'length' ? { length: { min: '', max: '' } } : { dates: { from: '', to: '' } };
}

export function withoutLine(draft: FilterDraft, field: FilterField): FilterDraft {
  const { [field]: _left, ...rest } = draft;
  return rest;
}

/** Lines of a draft, in the order in which the fields are offered. */
export function linesOf(draft: FilterDraft): FilterField[] {
  return filterFields.filter((field) => draft[field] !== undefined);
}

/**
 * The filter that a draft means. A line that is not finished or not right filters nothing and is named; what is named keeps the export
 * from being written, so that nothing is taken in silence that a person meant to leave out.
 */
export function filterOf(draft: FilterDraft): {
  filter: ExportFilter;
  problems: Partial<Record<FilterField, FilterProblem>>;
} {
  const filter: ExportFilter = {};
  const problems: Partial<Record<FilterField, FilterProblem>> = {};
  for (const field of nameFields) {
    const names = draft[field];
    if (names === undefined) continue;
    if (names.length === 0) problems[field] = 'empty';
    else filter[field] = [...names];
  }
  for (const field of ['sources', 'kinds'] as const) {
    const chosen = draft[field];
    if (chosen === undefined) continue;
    if (chosen.length === 0) problems[field] = 'empty';
    else Object.assign(filter, { [field]: [...chosen] });
  }
  if (draft.minScore !== undefined) {
    const score = numberOf(draft.minScore);
    if (draft.minScore.trim() === '') problems.minScore = 'empty';
    else if (score === null) problems.minScore = 'number';
    else filter.minScore = score;
  }
  if (draft.successful) filter.successful = true;
  if (draft.length !== undefined) readLength(draft.length, filter, problems);
  if (draft.dates !== undefined) readDates(draft.dates, filter, problems);
  return { filter, problems };
}

type Problems = Partial<Record<FilterField, FilterProblem>>;

function readLength(
  { min, max }: NonNullable<FilterDraft['length']>,
  filter: ExportFilter,
  problems: Problems,
) {
  if (min.trim() === '' && max.trim() === '') {
    problems.length = 'empty';
    return;
  }
  const [least, most] = [wholeOf(min), wholeOf(max)];
  if (least === undefined || most === undefined || most === 0) problems.length = 'number';
  else if (least !== null && most !== null && least > most) problems.length = 'order';
  else {
    if (least !== null) filter.minTokens = least;
    if (most !== null) filter.maxTokens = most;
  }
}

function readDates(
  { from, to }: NonNullable<FilterDraft['dates']>,
  filter: ExportFilter,
  problems: Problems,
) {
  if (from === '' && to === '') {
    problems.dates = 'empty';
    return;
  }
  const [first, last] = [dayOf(from, 0), dayOf(to, 1)];
  if (first === undefined || last === undefined) problems.dates = 'date';
  else if (first !== null && last !== null && first >= last) problems.dates = 'order';
  else {
    if (first !== null) filter.after = first;
    if (last !== null) filter.before = last;
  }
}

function numberOf(typed: string): number | null {
  const text = typed.trim().replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** As `numberOf` reads it: never with an exponent. */
function plainNumber(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

/** A count as typed, with separators; null = left open, undefined = no count. */
function wholeOf(typed: string): number | null | undefined {
  if (typed.trim() === '') return null;
  const text = typed.replace(/[\s,_]/g, '');
  const thousand = /^(\d+)k$/i.exec(text);
  const value =
    thousand === null ? Number(/^\d+$/.test(text) ? text : Number.NaN) : Number(thousand[1]) * 1000;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Midnight at which a day begins, `later` days on; null = left open, undefined = no day. */
function dayOf(typed: string, later: number): number | null | undefined {
  if (typed === '') return null;
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day) + later);
  const shown = new Date(Number(year), Number(month) - 1, Number(day));
  if (shown.getMonth() !== Number(month) - 1 || shown.getDate() !== Number(day)) return undefined;
  return date.getTime();
}

/** The draft that a filter reads back as; what one makes of it is the filter again. */
export function draftOf(filter: ExportFilter): FilterDraft {
  const { minScore, successful, minTokens, maxTokens, after, before, ...lists } = filter;
  const length = minTokens === undefined && maxTokens === undefined;
  const dates = after === undefined && before === undefined;
  return {
    ...lists,
    ...(minScore === undefined ? {} : { minScore: plainNumber(minScore) }),
    ...(successful ? { successful: true as const } : {}),
    ...(length ? {} : { length: { min: String(minTokens ?? ''), max: String(maxTokens ?? '') } }),
    ...(dates ? {} : { dates: { from: dayText(after, 0), to: dayText(before, 1) } }),
  };
}

function dayText(at: number | undefined, later: number): string {
  if (at === undefined) return '';
  const date = new Date(at);
  date.setDate(date.getDate() - later);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Adds a name to a line: trimmed, once, and not longer than a filter takes. */
export function withName(names: readonly string[], typed: string): string[] {
  const name = typed.trim().slice(0, 200);
  return name === '' || names.includes(name) ? [...names] : [...names, name];
}
