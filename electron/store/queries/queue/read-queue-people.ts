import { joined, type StepRange } from '@shared/contract/step-range';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { combineLabels } from '@shared/labels/effective-label';
import { type DecidedRange, peopleOfRun, type RunWork } from '@shared/labels/review/people';
import type { PeopleReport, Person } from '@shared/labels/review/queue-views';
import { type AnnotationEntry, type Author, judgeAuthor } from '@shared/log/annotations';
import { LAST_SEQ } from '../../file/rows';
import { LabelProjection } from '../../projections/label-projection';
import {
  findRun,
  parseRun,
  type ReadContext,
  RUN_SELECT,
  type RunRecord,
  type RunRow,
} from '../read-context';
import type { WithheldReader } from '../read-withheld';
import type { AssignmentReader } from './read-queue-assignments';
import { readBatches } from './read-queue-batches';
import { deedsOf, readDeeds } from './read-queue-deeds';

/** Steps per turn of the thread: other readers wait no longer than for these. */
const CHUNK = 4_000;

/** What the lead sees: per person and run what is decided, left, agreed. Other readers are answered between. */
export class PeopleReader {
  constructor(
    private readonly context: ReadContext,
    private readonly assignments: AssignmentReader,
    private readonly withheld: WithheldReader,
  ) {}

  async report(viewer: Author, named: readonly string[]): Promise<PeopleReport> {
    const runs = named.length > 0 ? named.map((run) => findRun(this.context, run)) : this.worked();
    const deeds = await readDeeds(
      this.context,
      runs.map(({ id }) => id),
    );
    const report: PeopleReport = { rows: [], pairs: [], runs: [] };
    for (const run of runs) {
      const work = await this.workOn(run, viewer);
      const found = peopleOfRun({ ...work, deeds: deedsOf(deeds, run, work.machine) });
      report.rows.push(...found.rows);
      report.pairs.push(...found.pairs);
      if (found.rows.length > 0) {
        const { fleiss, meanKappa } = found;
        report.runs.push({ run: run.ulid, title: run.facts.title, fleiss, meanKappa });
      }
    }
    return report;
  }

  private worked(): RunRecord[] {
    return this.context.statements
      .all<RunRow>(
        `${RUN_SELECT} WHERE EXISTS (SELECT 1 FROM annotation a WHERE a.run = r.id AND a.purged = 0
           AND a.op IN ('label', 'adjudicate', 'assign')) ORDER BY r.id DESC`,
      )
      .map(parseRun);
  }

  private async workOn(run: RunRecord, viewer: Author): Promise<Omit<RunWork, 'deeds'>> {
    const labels = new LabelProjection(this.context.statements);
    const work = {
      decided: [] as DecidedRange[],
      own: [] as DecidedRange[],
      machine: [] as RunWork['machine'][number][],
    };
    for (let from = 1; from <= run.state.steps; from += CHUNK) {
      const within = [{ from, to: Math.min(run.state.steps, from + CHUNK - 1) }];
      const entries = labels.ranges.overlapping(run.id, within);
      if (entries.length === 0) continue;
      const { ranges } = foldAnnotations(entries, within);
      const decided = ranges.flatMap((range) => decidedRange(range.from, range.to, range.decisions.humans));
      work.decided.push(...decided);
      work.own.push(...withoutAdjudications(entries, within, decided));
      const judged = ranges.filter(({ decisions }) => decisions.humans.length > 0);
      work.machine.push(...this.machine(labels, run.id, judged));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return {
      run: run.ulid,
      title: run.facts.title,
      assigned: this.assignments.of(run.id),
      ...work,
      withheld: joined(this.withheld.of(run.ulid, viewer, 1, LAST_SEQ)?.steps ?? []),
    };
  }

  /** What rules and judges say together about the steps that people have decided. */
  private machine(
    labels: LabelProjection,
    run: number,
    ranges: readonly (StepRange & { decisions: ReturnType<LabelProjection['decisions']> })[],
  ): RunWork['machine'][number][] {
    const first = ranges[0]?.from ?? 1;
    const verdicts = labels.verdicts(run, first, ranges.at(-1)?.to ?? 0);
    const spoken = [...verdicts.keys()].sort((a, b) => a - b);
    const precedence = labels.precedenceOf(run);
    const pieces: RunWork['machine'][number][] = [];
    let next = 0;
    for (const { from, to, decisions } of ranges) {
      const { judges } = decisions;
      const say = (low: number, high: number, rules: NonNullable<ReturnType<typeof verdicts.get>>) => {
        const { value } = combineLabels({ humans: [], rules, judges, precedence }).effective;
        if (low <= high && value !== null) pieces.push({ from: low, to: high, value });
      };
      let start = from;
      while ((spoken[next] ?? LAST_SEQ) < from) next += 1;
      for (let step = spoken[next]; step !== undefined && step <= to; step = spoken[next]) {
        say(start, step - 1, []);
        say(step, step, verdicts.get(step) ?? []);
        start = step + 1;
        next += 1;
      }
      say(start, to, []);
    }
    return pieces;
  }
}

function decidedRange(from: number, to: number, humans: DecidedRange['humans']): DecidedRange[] {
  return humans.length === 0 ? [] : [{ from, to, humans }];
}

/** People's own opinions: an adjudication replaces what its author had said, which is still what they had said. */
function withoutAdjudications(
  entries: readonly AnnotationEntry[],
  within: readonly StepRange[],
  decided: DecidedRange[],
): DecidedRange[] {
  if (!entries.some(({ body }) => body.op === 'adjudicate')) return decided;
  const { ranges } = foldAnnotations(
    entries.filter(({ body }) => body.op !== 'adjudicate'),
    within,
  );
  return ranges.flatMap((range) => decidedRange(range.from, range.to, range.decisions.humans));
}

/** Who has said anything, and who was assigned, by name; judges are no people. */
export function readAnnotators({ statements }: ReadContext, assignments: AssignmentReader): Person[] {
  const people = new Map<string, Person>();
  const authors = statements.all<Person>(
    `SELECT author AS uuid, body ->> '$.author.name' AS name FROM annotation
     WHERE id IN (SELECT max(id) FROM annotation WHERE purged = 0 AND author NOT LIKE 'judge:%' GROUP BY author)`,
  );
  for (const person of authors) people.set(person.uuid, person);
  for (const { people: assigned } of readBatches(assignments)) {
    for (const { person } of assigned) if (!people.has(person.uuid)) people.set(person.uuid, person);
  }
  return [...people.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Those of the names that a person has who works in this workspace, or who asks, and under which no judge has voted. */
export function readPersonNames(
  context: ReadContext,
  assignments: AssignmentReader,
  { names, asking }: { names: readonly string[]; asking: string },
): string[] {
  const people = new Set(readAnnotators(context, assignments).map(({ name }) => name)).add(asking);
  const voted =
    'SELECT 1 FROM run r WHERE EXISTS (SELECT 1 FROM annotation WHERE run = r.id AND author = ?) LIMIT 1';
  return names.filter(
    (name) => people.has(name) && context.statements.get(voted, judgeAuthor(name).uuid) === undefined,
  );
}
