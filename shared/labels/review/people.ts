import type { StepRange } from '../../contract/step-range';
import type { LabelValue } from '../../log/annotations';
import { PairTable } from '../agreement';
import type { AssignedRange } from './assigned-ranges';
import { agreementOf, kappaOfAll, meanKappa, type Ratings } from './people-agreement';
import type { PairRow, Person, PersonRow } from './queue-views';
import { common, stepsIn, without } from './step-ranges';
import { isFor } from './withhold';

/** Steps that the same people decided the same way. */
export interface DecidedRange extends StepRange {
  humans: readonly { author: Person; value: LabelValue; adjudication: boolean }[];
}

/** What one person did in a run besides deciding. */
export interface PersonDeeds {
  person: Person;
  workMs: number;
  flags: number;
  times: PersonRow['times'];
}

export interface RunWork {
  run: string;
  title: string;
  /** What stands. Ascending, disjoint, like all ranges here. */
  decided: readonly DecidedRange[];
  /** What would stand if nobody had adjudicated: people's own opinions. */
  own: readonly DecidedRange[];
  assigned: readonly AssignedRange[];
  /** What the machines say together, where they say anything. */
  machine: readonly (StepRange & { value: LabelValue })[];
  deeds: readonly PersonDeeds[];
  /** Steps whose opinions who asks may not know. */
  withheld: readonly StepRange[];
}

interface Tally {
  person: Person;
  assigned: StepRange[];
  decided: StepRange[];
  others: PairTable;
  machines: PairTable;
  disagreements: number;
}

export interface RunPeople {
  rows: PersonRow[];
  pairs: PairRow[];
  fleiss: number | null;
  meanKappa: number | null;
}

/** Who did what in one run, and how far people agree with each other and with the machines. */
export function peopleOfRun(work: RunWork): RunPeople {
  const tallies = new Map<string, Tally>();
  const tally = (person: Person): Tally => {
    const known = tallies.get(person.uuid) ?? {
      person,
      assigned: [],
      decided: [],
      others: new PairTable(),
      machines: new PairTable(),
      disagreements: 0,
    };
    tallies.set(person.uuid, known);
    return known;
  };
  for (const { person } of work.deeds) tally(person);
  for (const { from, to, humans } of work.decided) {
    const open = differ(humans) ? stepsIn(without([{ from, to }], work.withheld)) : 0;
    for (const { author } of humans) {
      const own = tally(author);
      if (own.decided.at(-1)?.to === to) continue;
      own.decided.push({ from, to });
      own.disagreements += open;
    }
  }
  for (const { from, to, assigned } of work.assigned) {
    for (const person of new Set(assigned.map(({ to: whom }) => personOf(whom, tallies)))) {
      tally(person).assigned.push({ from, to });
    }
  }
  const { pairs, ratings } = compare(work, tally);
  const rows = [...tallies.values()].map((each) => rowOf(work, each));
  return {
    rows: rows.sort((a, b) => (a.person.name < b.person.name ? -1 : 1)),
    pairs,
    fleiss: kappaOfAll(ratings),
    meanKappa: meanKappa(pairs.map(({ agreement }) => agreement)),
  };
}

/** Who was assigned by name is the one of that name who has said something. */
function personOf(to: Person, tallies: ReadonlyMap<string, Tally>): Person {
  const known = tallies.get(to.uuid) ?? [...tallies.values()].find(({ person }) => isFor(to, person));
  return known?.person ?? to;
}

function differ(humans: DecidedRange['humans']): boolean {
  const adjudicated = humans.filter(({ adjudication }) => adjudication);
  const speaking = adjudicated.length > 0 ? adjudicated : humans;
  return speaking.some(({ value }) => value !== speaking[0]?.value);
}

function compare(work: RunWork, tally: (person: Person) => Tally): { pairs: PairRow[]; ratings: Ratings[] } {
  const tables = new Map<string, { first: Person; second: Person; table: PairTable }>();
  const ratings: Ratings[] = [];
  for (const { from, to, humans } of work.own) {
    const said = [...opinions(humans)].sort((a, b) => (a.author.uuid < b.author.uuid ? -1 : 1));
    const seen = without([{ from, to }], work.withheld);
    const steps = stepsIn(seen);
    if (steps === 0) continue;
    const train = said.filter(({ value }) => value === 'train').length;
    ratings.push({ train, mask: said.length - train, steps });
    for (const [index, a] of said.entries()) {
      withMachines(work.machine, seen, (value, n) => tally(a.author).machines.add(a.value, value, n));
      for (const b of said.slice(index + 1)) {
        tally(a.author).others.add(a.value, b.value, steps);
        tally(b.author).others.add(b.value, a.value, steps);
        const key = `${a.author.uuid} ${b.author.uuid}`;
        const pair = tables.get(key) ?? { first: a.author, second: b.author, table: new PairTable() };
        tables.set(key, pair);
        pair.table.add(a.value, b.value, steps);
      }
    }
  }
  const pairs = [...tables.values()].map(({ first, second, table }) => ({
    run: work.run,
    first,
    second,
    agreement: agreementOf(table),
  }));
  return { pairs, ratings };
}

/** One opinion of each person; who has said two things without sight of each other has said nothing to compare. */
function opinions(humans: DecidedRange['humans']): DecidedRange['humans'] {
  return humans.filter(
    ({ author }, index) =>
      humans.findIndex((other) => other.author.uuid === author.uuid) === index &&
      humans.filter((other) => other.author.uuid === author.uuid).length === 1,
  );
}

function withMachines(
  machine: RunWork['machine'],
  steps: readonly StepRange[],
  take: (value: LabelValue, n: number) => void,
): void {
  for (const range of steps) {
    let low = 0;
    let high = machine.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((machine[middle]?.to ?? 0) < range.from) low = middle + 1;
      else high = middle;
    }
    for (let at = low; (machine[at]?.from ?? Number.POSITIVE_INFINITY) <= range.to; at += 1) {
      const piece = machine[at];
      if (piece !== undefined) {
        take(piece.value, Math.min(piece.to, range.to) - Math.max(piece.from, range.from) + 1);
      }
    }
  }
}

function rowOf(
  work: RunWork,
  { person, assigned, decided, others, machines, disagreements }: Tally,
): PersonRow {
  const deeds = work.deeds.find((each) => each.person.uuid === person.uuid);
  const anybody = work.assigned.length > 0;
  return {
    person,
    run: work.run,
    title: work.title,
    disagreements,
    assigned: anybody ? stepsIn(assigned) : null,
    decided: stepsIn(decided),
    left: anybody ? stepsIn(assigned) - stepsIn(common(assigned, decided)) : 0,
    agreement: agreementOf(others),
    machines: agreementOf(machines),
    workMs: deeds?.workMs ?? 0,
    flags: deeds?.flags ?? 0,
    times: deeds?.times ?? null,
  };
}

/** What the machines say about one step; null when nothing. */
export function machineAt(machine: RunWork['machine'], step: number): LabelValue | null {
  let found: LabelValue | null = null;
  withMachines(machine, [{ from: step, to: step }], (value) => {
    found = value;
  });
  return found;
}
