import { assertNever } from '../contract/errors';
import { partsOf, type StepRange } from '../contract/step-range';
import type { StepAssignment, StepComment } from '../contract/views';
import type { AnnotationEntry, AnnotationTarget } from '../log/annotations';
import type { HintVerdict } from '../log/outbox';
import { AnnotationHeads } from './annotation-heads';
import { byId, standingIds } from './annotation-undo';
import type { HumanLabel, JudgeVerdict, RewardVote, StepCorrection } from './labels';

/** What people and judges have said about one step and has not been replaced or taken back, in the order of the entries' ids. */
export interface StepDecisions {
  /** Standing labels and adjudications. */
  humans: HumanLabel[];
  /** One vote of each judge; two of one judge when they were made without sight of each other. */
  judges: JudgeVerdict[];
  /** Votes of judges on whether the step is good, several of each: by judge, then by number. */
  rewards: RewardVote[];
  /** One of each person, beside the original. */
  corrections: StepCorrection[];
  /** Who is to review the step. */
  assigned: StepAssignment[];
  /** Somebody asked for a second opinion, and nobody who saw that took it away. */
  flagged: boolean;
  comments: StepComment[];
}

export interface AnnotationFold {
  /** Decisions of one step; the empty ones when nothing was ever said about it. */
  at(step: number): StepDecisions;
  /** Step ranges that the same entries speak about, ascending, without overlap; silent steps are absent. */
  ranges: { from: number; to: number; decisions: StepDecisions }[];
}

function freshDecisions(): StepDecisions {
  return {
    humans: [],
    judges: [],
    rewards: [],
    corrections: [],
    assigned: [],
    flagged: false,
    comments: [],
  };
}

/** Nobody said anything. */
export const noDecisions = freshDecisions();

/**
 * Folds the annotation entries of one run. Any order and any repetition of entries gives the same result, so the
 * union of two logs may be folded as it comes: what counts is who had seen what (`supersedes`), never a clock.
 *
 * A person's newer decision replaces the decisions of the same person it had seen; another person's decision
 * stays beside it, and the two differ until somebody adjudicates. An adjudication also replaces adjudications of
 * others it had seen, or two adjudicators could never come to an end. Flags and assignments are common property;
 * a judge's votes and a person's corrections replace only their own. Votes on whether a step is good stand side by side, as many as
 * their judge gave by one rubric.
 *
 * `within`: only these steps are asked for, ascending and disjoint.
 */
export function foldAnnotations(
  entries: readonly AnnotationEntry[],
  within?: readonly StepRange[],
): AnnotationFold {
  const unique = [...byId(entries).values()];
  const said = unique.filter(({ body }) => body.op !== 'undo' && body.op !== 'hint');
  const heads = new AnnotationHeads(said, standingIds(unique));
  const ranges: AnnotationFold['ranges'] = [];
  for (const { from, to, active } of sweep(said, within)) {
    const decisions = decide(heads.among(active));
    if (decisions !== noDecisions) ranges.push({ from, to, decisions });
  }
  return { ranges, at: (step) => find(ranges, step) };
}

/**
 * The same fold for one step. `entries` are those whose target contains the step, together with the undo entries
 * that name one of them, directly or through other undo entries; all other entries may be left out. For many
 * steps under long ranges `foldAnnotations` is the cheaper one.
 */
export function decisionsFor(entries: readonly AnnotationEntry[], step: number): StepDecisions {
  const active = aboutSteps(entries).filter(({ target }) => speaksOf(target, step));
  return decide(headsOf(active, standingIds(entries)));
}

/** Whether the target's pieces hold the step. */
function speaksOf(target: AnnotationTarget, step: number): boolean {
  const parts = partsOf(target);
  return (parts[firstEndingAt(parts, step)]?.from ?? Number.POSITIVE_INFINITY) <= step;
}

/** Index of the first piece that does not end before `step`; the length when all do. */
function firstEndingAt(parts: readonly StepRange[], step: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.to ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What `supersedes` of a new entry on the target must name: all heads there, of every author, sorted.
 * `entries` as for `decisionsFor`, for every step of the target.
 */
export function headsOn(entries: readonly AnnotationEntry[], target: AnnotationTarget): string[] {
  const touching = saying(entries).filter((entry) => entry.target.run === target.run);
  const heads = new AnnotationHeads(touching, standingIds(entries));
  const found = new Set<string>();
  for (const { active } of sweep(touching, partsOf(target))) {
    for (const head of heads.among(active)) {
      if (head.body.op !== 'comment') found.add(head.ulid);
    }
  }
  return [...found].sort();
}

/**
 * What people say became of each hint they speak of: the latest word of each counts (by `supersedes`), and null is what
 * stands when they differ or took it back. Order and repetition of `entries` do not matter, as in `foldAnnotations`.
 */
export function hintVerdicts(entries: readonly AnnotationEntry[]): Map<string, HintVerdict | null> {
  const standing = standingIds(entries);
  const byHint = new Map<string, AnnotationEntry[]>();
  for (const entry of saying(entries)) {
    if (entry.body.op !== 'hint') continue;
    const { hint } = entry.body;
    const known = byHint.get(hint);
    if (known === undefined) byHint.set(hint, [entry]);
    else known.push(entry);
  }
  return new Map(
    [...byHint].map(([hint, said]) => {
      const words = headsOf(said, standing).flatMap(({ body }) =>
        body.op === 'hint' && body.verdict !== null ? [body.verdict] : [],
      );
      const [first = null] = words;
      return [hint, words.every((word) => word === first) ? first : null];
    }),
  );
}

/** The heads when all of the entries speak of the same. */
function headsOf(entries: readonly AnnotationEntry[], standing: ReadonlySet<string>): AnnotationEntry[] {
  return new AnnotationHeads(entries, standing).among([...entries.keys()]);
}

/** Each entry that says something itself, once. */
function saying(entries: readonly AnnotationEntry[]): AnnotationEntry[] {
  return [...byId(entries).values()].filter((entry) => entry.body.op !== 'undo');
}

/** Without what is said about hints: it changes nothing about a step. */
function aboutSteps(entries: readonly AnnotationEntry[]): AnnotationEntry[] {
  return saying(entries).filter((entry) => entry.body.op !== 'hint');
}

interface Piece {
  from: number;
  to: number;
  /** The entry's place among those that were given. */
  entry: number;
}

/** Cuts the steps wherever an entry's piece begins or ends: within one cut the same entries speak. */
function* sweep(
  entries: readonly AnnotationEntry[],
  within?: readonly StepRange[],
): IterableIterator<{ from: number; to: number; active: number[] }> {
  const starts = entries
    .flatMap(({ target }, entry) => piecesOf(target, entry, within))
    .sort((a, b) => a.from - b.from);
  const borders = new Set<number>();
  for (const { from, to } of starts) borders.add(from).add(to + 1);
  const points = [...borders].sort((a, b) => a - b);
  let open: Piece[] = [];
  let next = 0;
  for (const [index, from] of points.entries()) {
    open = open.filter((piece) => piece.to >= from);
    for (let piece = starts[next]; piece && piece.from <= from; piece = starts[next]) {
      open.push(piece);
      next += 1;
    }
    const end = points[index + 1];
    if (open.length > 0 && end !== undefined) {
      yield { from, to: end - 1, active: open.map(({ entry }) => entry) };
    }
  }
}

/** The entry's pieces, cut to `within`. */
function piecesOf(
  target: AnnotationTarget,
  entry: number,
  within: readonly StepRange[] | undefined,
): Piece[] {
  const parts = partsOf(target);
  if (within === undefined) return parts.map(({ from, to }) => ({ from, to, entry }));
  const pieces: Piece[] = [];
  // The side with fewer pieces leads, the other one is searched: either may hold thousands.
  const [few, many] = parts.length <= within.length ? [parts, within] : [within, parts];
  for (const { from, to } of few) {
    for (let index = firstEndingAt(many, from); ; index += 1) {
      const other = many[index];
      if (other === undefined || other.from > to) break;
      pieces.push({ from: Math.max(from, other.from), to: Math.min(to, other.to), entry });
    }
  }
  return pieces;
}

/** `heads`: fresh, in any order. */
function decide(heads: AnnotationEntry[]): StepDecisions {
  if (heads.length === 0) return noDecisions;
  const decisions = freshDecisions();
  for (const head of heads.sort((a, b) => (a.ulid < b.ulid ? -1 : 1))) take(decisions, head);
  decisions.rewards.sort((a, b) => (a.judge === b.judge ? a.vote - b.vote : a.judge < b.judge ? -1 : 1));
  return decisions;
}

function take(decisions: StepDecisions, { ulid: entry, author, at, body }: AnnotationEntry): void {
  switch (body.op) {
    case 'label':
    case 'adjudicate': {
      const { op, value, reason } = body;
      if (value === 'clear') return;
      decisions.humans.push({ entry, author, value, reason, adjudication: op === 'adjudicate', at });
      return;
    }
    case 'judge': {
      const { value, confidence, reason, why, steps, rubric } = body;
      if (value === 'withdrawn') return;
      const said = { value, reason, judge: author.name, confidence, why, steps, rubric };
      decisions.judges.push({ ...said, entry, at });
      return;
    }
    case 'reward': {
      const { value, vote, text, reasoning = '', rubric, future } = body;
      decisions.rewards.push({ judge: author.name, value, vote, text, reasoning, rubric, future, entry, at });
      return;
    }
    case 'correct':
      if (body.correction !== null) {
        decisions.corrections.push({ entry, author, correction: body.correction, at });
      }
      return;
    case 'assign':
      if (body.on) decisions.assigned.push({ entry, batch: body.batch, to: body.to, blind: body.blind });
      return;
    case 'flag':
      decisions.flagged ||= body.on;
      return;
    case 'comment':
      decisions.comments.push({ entry, author, text: body.text, at });
      return;
    case 'hint':
    case 'undo':
      return;
    default:
      assertNever(body, 'annotation');
  }
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
  return noDecisions;
}
