import type { StepRange } from '@shared/contract/step-range';
import { holds } from '@shared/labels/review/step-ranges';
import type { HiddenLabels } from '@shared/labels/review/withhold';
import type { Author } from '@shared/log/annotations';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { ownersOf } from '../log/run-owners';
import { LabelFlag } from '../projections/fold-rows';
import { MINE } from './queue/queue-sql';
import type { AssignmentReader } from './queue/read-queue-assignments';
import { bounded, findRun, type ReadContext } from './read-context';

/** Steps of a run whose opinions a person may not be sent yet. */
export interface Withheld {
  steps: StepRange[];
  /** What holds for them, for taking it out of counts. */
  hidden: HiddenLabels[];
  /** How many of them each rule speaks about. */
  rules: { value: string; count: number }[];
}

export interface WithheldRun {
  run: string;
  hidden: HiddenLabels[];
}

interface Row {
  id: number;
  label: number;
  label_flags: number;
}

/** Blind assignments against what their people have decided. */
export class WithheldReader {
  constructor(
    private readonly context: ReadContext,
    private readonly assignments: AssignmentReader,
  ) {}

  /** Of steps `from..to`, those before a branch point by the assignments of the run they were made in; null when none is. */
  of(ulid: string, person: Author, from: number, to: number): Withheld | null {
    const run = findRun(this.context, ulid);
    const first = bounded(from, 1, LAST_SEQ, 'The first step');
    const last = bounded(to, 0, LAST_SEQ, 'The last step');
    const found: Withheld = { steps: [], hidden: [], rules: [] };
    const rules = new Map<string, number>();
    for (const owned of ownersOf(this.context, run, first, last)) {
      if (owned.run === null) continue;
      const { blind } = this.assignments.partOf(owned.run.id, person);
      for (const range of blind) {
        const low = Math.max(range.from, owned.from);
        const high = Math.min(range.to, owned.to);
        if (low > high) continue;
        this.collect(owned.run.id, person, low, high, found);
      }
      this.rulesOn(owned.run.id, owned.from, owned.to, found.steps, rules);
    }
    if (found.steps.length === 0) return null;
    return { ...found, rules: [...rules].map(([value, count]) => ({ value, count })) };
  }

  /** Runs with withheld steps, own steps only, as summaries count. */
  runs(person: Author): WithheldRun[] {
    return this.assignments.runs().flatMap(({ id, ulid }) => {
      const found: Withheld = { steps: [], hidden: [], rules: [] };
      for (const { from, to } of this.assignments.partOf(id, person).blind) {
        this.collect(id, person, from, to, found);
      }
      return found.steps.length === 0 ? [] : [{ run: ulid, hidden: found.hidden }];
    });
  }

  private collect(run: number, person: Author, from: number, to: number, found: Withheld): void {
    const rows = this.context.statements
      .prepare(
        `SELECT id, label, label_flags FROM step_head INDEXED BY step_filter
         WHERE id BETWEEN :low AND :high AND NOT ${MINE} ORDER BY id`,
      )
      .iterate({ low: rowId(run, from), high: rowId(run, to), me: person.uuid });
    for (const each of rows) {
      const row = each as Row;
      const step = seqOf(row.id);
      const value = row.label === 0 ? null : row.label === 1 ? ('train' as const) : ('mask' as const);
      const disagreement = (row.label_flags & LabelFlag.disagreement) !== 0;
      const decided = (row.label_flags & LabelFlag.decided) !== 0;
      const range = found.steps.at(-1);
      if (range !== undefined && range.to === step - 1) range.to = step;
      else found.steps.push({ from: step, to: step });
      const piece = found.hidden.at(-1);
      if (
        piece !== undefined &&
        piece.to === step - 1 &&
        piece.value === value &&
        piece.disagreement === disagreement &&
        piece.decided === decided
      ) {
        piece.to = step;
      } else found.hidden.push({ from: step, to: step, value, disagreement, decided });
    }
  }

  private rulesOn(
    run: number,
    from: number,
    to: number,
    steps: readonly StepRange[],
    counts: Map<string, number>,
  ): void {
    const low = Math.max(from, steps[0]?.from ?? LAST_SEQ);
    const high = Math.min(to, steps.at(-1)?.to ?? 0);
    if (low > high) return;
    const rows = this.context.statements.all<{ step: number; rule: string }>(
      'SELECT step, rule FROM rule_mark WHERE step BETWEEN ? AND ? ORDER BY step',
      rowId(run, low),
      rowId(run, high),
    );
    for (const { step, rule } of rows) {
      if (holds(steps, seqOf(step))) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    }
  }
}
