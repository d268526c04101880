import { textDigest } from '../../base/text-digest';
import { WaymarkError } from '../../contract/errors';
import { joined, MAX_PARTS, type StepRange, targetOf } from '../../contract/step-range';
import type { AnnotationTarget } from '../../log/annotations';
import type { Person } from './queue-views';

/** What is handed out as a whole: a run, or one segment of it. */
export interface AssignUnit extends StepRange {
  run: string;
}

/** Who reads without knowing what others say: nobody, the second readers, or both readers of what two read. */
export const blindness = ['none', 'second', 'both'] as const;
export type Blindness = (typeof blindness)[number];

export interface AssignWish {
  /** Any order; each step in one unit. */
  units: readonly AssignUnit[];
  people: readonly Person[];
  /** Share of the steps that get a second reader, 0 to 1. */
  overlap: number;
  blind: Blindness;
}

/** One person's part of one run. */
export interface AssignShare {
  to: Person;
  run: string;
  blind: boolean;
  second: boolean;
  ranges: StepRange[];
}

export interface AssignPlan {
  shares: AssignShare[];
  people: { person: Person; first: number; second: number; blind: number }[];
  /** Steps handed out. */
  steps: number;
  units: number;
  /** Steps with a second reader, and their share: as near to the wish as whole units allow. */
  overlapSteps: number;
  overlap: number;
  /** The same for the same wish; changes when it would hand out anything else. */
  digest: string;
}

/**
 * Hands out units so that everybody has about as many steps: the longest first, each to whoever has least. Second readers are
 * other people than the first; which units get one follows from their names alone, not from their length or place, so that they
 * speak for the whole. The same wish gives the same plan. @throws WaymarkError bad_input
 */
export function planAssignments({ units, people, overlap, blind }: AssignWish): AssignPlan {
  if (people.length === 0) throw new WaymarkError('bad_input', 'Name at least one person to assign to.');
  if (new Set(people.map(({ uuid }) => uuid)).size < people.length) {
    throw new WaymarkError('bad_input', 'A person is named twice.');
  }
  if (!(overlap >= 0 && overlap <= 1)) {
    throw new WaymarkError('bad_input', 'The overlap is a share between 0 and 1, such as 0.2.');
  }
  if (overlap > 0 && people.length < 2) {
    throw new WaymarkError('bad_input', 'A second reader is another person: name two people, or no overlap.');
  }
  const loads = people.map((person) => ({ person, first: 0, second: 0, blind: 0 }));
  const least = (except: Person | null) => {
    const free = loads.filter(({ person }) => person !== except);
    return free.reduce((low, load) => (load.first + load.second < low.first + low.second ? load : low));
  };
  const ordered = units
    .filter(({ from, to }) => to >= from)
    .sort((a, b) => sizeOf(b) - sizeOf(a) || compare(a, b));
  const steps = ordered.reduce((sum, unit) => sum + sizeOf(unit), 0);
  const twice = new Set(secondRead(ordered, overlap * steps));
  const pieces: Piece[] = [];
  for (const unit of ordered) {
    const load = least(null);
    const unseeing = blind === 'both' && twice.has(unit);
    load.first += sizeOf(unit);
    if (unseeing) load.blind += sizeOf(unit);
    pieces.push({ unit, person: load.person, blind: unseeing, second: false });
  }
  for (const { unit, person } of [...pieces]) {
    if (!twice.has(unit)) continue;
    const load = least(person);
    load.second += sizeOf(unit);
    if (blind !== 'none') load.blind += sizeOf(unit);
    pieces.push({ unit, person: load.person, blind: blind !== 'none', second: true });
  }
  const shares = sharesOf(pieces, people);
  const overlapSteps = [...twice].reduce((sum, unit) => sum + sizeOf(unit), 0);
  return {
    shares,
    people: loads,
    steps,
    units: ordered.length,
    overlapSteps,
    overlap: steps === 0 ? 0 : overlapSteps / steps,
    digest: textDigest(JSON.stringify(shares)).toString(36),
  };
}

interface Piece {
  unit: AssignUnit;
  person: Person;
  blind: boolean;
  second: boolean;
}

/** What a share is written as: one target per 5,000 pieces. */
export function targetsOf({ run, ranges }: AssignShare): AnnotationTarget[] {
  const targets: AnnotationTarget[] = [];
  for (let at = 0; at < ranges.length; at += MAX_PARTS) {
    const target = targetOf(run, ranges.slice(at, at + MAX_PARTS));
    if (target !== null) targets.push(target);
  }
  return targets;
}

function sizeOf({ from, to }: StepRange): number {
  return to - from + 1;
}

function compare(a: AssignUnit, b: AssignUnit): number {
  if (a.run !== b.run) return a.run < b.run ? -1 : 1;
  return a.from - b.from;
}

/** Units in an order that looks random and is always the same, as many as come nearest to `wanted` steps; at least one. */
function secondRead(units: readonly AssignUnit[], wanted: number): AssignUnit[] {
  if (wanted <= 0) return [];
  const shuffled = units
    .map((unit) => ({ unit, key: textDigest(`${unit.run} ${unit.from}`) }))
    .sort((a, b) => a.key - b.key || compare(a.unit, b.unit));
  const chosen: AssignUnit[] = [];
  let have = 0;
  for (const { unit } of shuffled) {
    const better = Math.abs(have + sizeOf(unit) - wanted) < Math.abs(have - wanted);
    if (!better && chosen.length > 0) continue;
    chosen.push(unit);
    have += sizeOf(unit);
  }
  return chosen;
}

function sharesOf(pieces: readonly Piece[], people: readonly Person[]): AssignShare[] {
  const shares = new Map<string, AssignShare>();
  const sorted = [...pieces].sort(
    (a, b) => people.indexOf(a.person) - people.indexOf(b.person) || compare(a.unit, b.unit),
  );
  for (const { unit, person, blind, second } of sorted) {
    const key = `${people.indexOf(person)} ${unit.run} ${blind} ${second}`;
    const share = shares.get(key) ?? { to: person, run: unit.run, blind, second, ranges: [] };
    shares.set(key, { ...share, ranges: joined([...share.ranges, { from: unit.from, to: unit.to }]) });
  }
  return [...shares.values()];
}
