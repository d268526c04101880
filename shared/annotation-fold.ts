import { byId, standingIds } from './annotation-undo';
import type { AnnotationEntry, AnnotationTarget } from './annotations';
import type { HumanLabel } from './labels';
import type { HintVerdict } from './outbox';

/** What people have decided about one step and has not been replaced or taken back. */
export interface StepDecisions {
  /** Standing labels and adjudications, in the order of their ids. */
  humans: HumanLabel[];
  /** Somebody asked for a second opinion, and nobody who saw that took it away. */
  flagged: boolean;
  comments: { entry: string; author: { uuid: string; name: string }; text: string; at: number }[];
}

export interface AnnotationFold {
  /** Decisions of one step; the empty ones when nothing was ever said about it. */
  at(step: number): StepDecisions;
  /** Step ranges that the same entries speak about, ascending, without overlap; silent steps are absent. */
  ranges: { from: number; to: number; decisions: StepDecisions }[];
}

const NOTHING: StepDecisions = { humans: [], flagged: false, comments: [] };

/**
 * Folds the annotation entries of one run. Any order and any repetition of entries gives the same result, so the
 * union of two logs may be folded as it comes: what counts is who had seen what (`supersedes`), never a clock.
 *
 * A person's newer decision replaces the decisions of the same person it had seen; another person's decision
 * stays beside it, and the two differ until somebody adjudicates. An adjudication also replaces adjudications of
 * others it had seen, or two adjudicators could never come to an end. A flag is common property.
 */
export function foldAnnotations(entries: readonly AnnotationEntry[]): AnnotationFold {
  const standing = standingIds(entries);
  const sees = quickSight();
  const ranges: AnnotationFold['ranges'] = [];
  for (const { from, to, active } of sweep(aboutSteps(entries))) {
    const decisions = decide(active, standing, sees);
    if (decisions !== NOTHING) ranges.push({ from, to, decisions });
  }
  return { ranges, at: (step) => find(ranges, step) };
}

/**
 * The same fold for one step. `entries` are those whose target contains the step, together with the undo entries
 * that name one of them, directly or through other undo entries; all other entries may be left out. For many
 * steps under long ranges `foldAnnotations` is the cheaper one.
 */
export function decisionsFor(entries: readonly AnnotationEntry[], step: number): StepDecisions {
  const active = aboutSteps(entries).filter(({ target }) => target.from <= step && step <= target.to);
  return decide(active, standingIds(entries), (newer, older) => newer.supersedes.includes(older.ulid));
}

/**
 * What `supersedes` of a new entry on the target must name: all heads there, of every author, sorted.
 * `entries` as for `decisionsFor`, for every step of the target.
 */
export function headsOn(entries: readonly AnnotationEntry[], target: AnnotationTarget): string[] {
  const touching = saying(entries).filter(
    (entry) =>
      entry.target.run === target.run && entry.target.from <= target.to && entry.target.to >= target.from,
  );
  const standing = standingIds(entries);
  const sees = quickSight();
  const heads = new Set<string>();
  for (const { from, to, active } of sweep(touching)) {
    if (from > target.to || to < target.from) continue;
    for (const head of headsAmong(active, standing, sees)) {
      if (head.body.op !== 'comment') heads.add(head.ulid);
    }
  }
  return [...heads].sort();
}

/**
 * What people say became of each hint they speak of: the latest word of each counts (by `supersedes`), and null is what
 * stands when they differ or took it back. Order and repetition of `entries` do not matter, as in `foldAnnotations`.
 */
export function hintVerdicts(entries: readonly AnnotationEntry[]): Map<string, HintVerdict | null> {
  const standing = standingIds(entries);
  const sees = quickSight();
  const byHint = new Map<string, AnnotationEntry[]>();
  for (const entry of saying(entries)) {
    if (entry.body.op !== 'hint') continue;
    const { hint } = entry.body;
    byHint.set(hint, [...(byHint.get(hint) ?? []), entry]);
  }
  return new Map(
    [...byHint].map(([hint, said]) => {
      const words = headsAmong(said, standing, sees).flatMap(({ body }) =>
        body.op === 'hint' && body.verdict !== null ? [body.verdict] : [],
      );
      const [first = null] = words;
      return [hint, words.every((word) => word === first) ? first : null];
    }),
  );
}

/** Whether the author of `newer` names `older` as seen. */
type Sight = (newer: AnnotationEntry, older: AnnotationEntry) => boolean;

/** `supersedes` of a range entry can name thousands; one set per entry keeps the fold linear. */
function quickSight(): Sight {
  const seen = new Map<string, ReadonlySet<string>>();
  return (newer, older) => {
    let ids = seen.get(newer.ulid);
    if (!ids) {
      ids = new Set(newer.supersedes);
      seen.set(newer.ulid, ids);
    }
    return ids.has(older.ulid);
  };
}

/** Each entry that says something itself, once. */
function saying(entries: readonly AnnotationEntry[]): AnnotationEntry[] {
  return [...byId(entries).values()].filter((entry) => entry.body.op !== 'undo');
}

/** Without what is said about hints: it changes nothing about a step. */
function aboutSteps(entries: readonly AnnotationEntry[]): AnnotationEntry[] {
  return saying(entries).filter((entry) => entry.body.op !== 'hint');
}

/** Cuts the steps wherever an entry begins or ends: within one piece the same entries speak. */
function sweep(
  entries: readonly AnnotationEntry[],
): { from: number; to: number; active: AnnotationEntry[] }[] {
  const starts = [...entries].sort((a, b) => a.target.from - b.target.from);
  const borders = new Set(entries.flatMap(({ target }) => [target.from, target.to + 1]));
  const points = [...borders].sort((a, b) => a - b);
  const pieces: { from: number; to: number; active: AnnotationEntry[] }[] = [];
  let active: AnnotationEntry[] = [];
  let next = 0;
  for (const [index, from] of points.entries()) {
    active = active.filter((entry) => entry.target.to >= from);
    for (let entry = starts[next]; entry && entry.target.from <= from; entry = starts[next]) {
      active.push(entry);
      next += 1;
    }
    const end = points[index + 1];
    if (active.length > 0 && end !== undefined) pieces.push({ from, to: end - 1, active });
  }
  return pieces;
}

type Register = 'decision' | 'flag' | 'comment' | `hint ${string}`;

function registerOf(entry: AnnotationEntry): Register {
  if (entry.body.op === 'hint') return `hint ${entry.body.hint}`;
  if (entry.body.op === 'flag') return 'flag';
  return entry.body.op === 'comment' ? 'comment' : 'decision';
}

function replaces(newer: AnnotationEntry, older: AnnotationEntry): boolean {
  const register = registerOf(newer);
  if (register !== registerOf(older) || register === 'comment') return false;
  if (register === 'flag' || newer.author.uuid === older.author.uuid) return true;
  return newer.body.op === 'adjudicate' && older.body.op === 'adjudicate';
}

/**
 * The standing entries of one step that no other standing one replaces. Having seen an entry means having seen
 * what that one had seen, also when it was taken back since; so `active` holds the undone entries too.
 */
function headsAmong(
  active: readonly AnnotationEntry[],
  standing: ReadonlySet<string>,
  sees: Sight,
): AnnotationEntry[] {
  const live = active.filter((entry) => standing.has(entry.ulid));
  if (live.length < 2) return live;
  const replaced = new Set<string>();
  for (const newer of live) {
    const known = new Set<AnnotationEntry>([newer]);
    for (const seer of known) {
      for (const older of active) {
        if (known.has(older) || !sees(seer, older)) continue;
        known.add(older);
        if (replaces(newer, older)) replaced.add(older.ulid);
      }
    }
  }
  return live.filter((entry) => !replaced.has(entry.ulid));
}

function decide(
  active: readonly AnnotationEntry[],
  standing: ReadonlySet<string>,
  sees: Sight,
): StepDecisions {
  const heads = headsAmong(active, standing, sees).sort((a, b) => (a.ulid < b.ulid ? -1 : 1));
  if (heads.length === 0) return NOTHING;
  const decisions: StepDecisions = { humans: [], flagged: false, comments: [] };
  for (const { ulid, author, at, body } of heads) {
    if (body.op === 'flag') decisions.flagged ||= body.on;
    if (body.op === 'comment') decisions.comments.push({ entry: ulid, author, text: body.text, at });
    if ((body.op === 'label' || body.op === 'adjudicate') && body.value !== 'clear') {
      const adjudication = body.op === 'adjudicate';
      decisions.humans.push({
        entry: ulid,
        author,
        value: body.value,
        reason: body.reason,
        adjudication,
        at,
      });
    }
  }
  return decisions;
}

function find(ranges: AnnotationFold['ranges'], step: number): StepDecisions {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range) break;
    if (step < range.from) high = middle - 1;
    else if (step > range.to) low = middle + 1;
    else return range.decisions;
  }
  return NOTHING;
}
