import { type AssignedRange, assignedRanges, type Part, partOf } from '@shared/labels/review/assigned-ranges';
import type { AnnotationEntry, Author } from '@shared/log/annotations';
import type { ReadContext } from '../read-context';

export interface RunKey {
  id: number;
  ulid: string;
}

/** Who is to review which steps. Kept until the annotation log grows: reading a page of rows asks for it. */
export class AssignmentReader {
  private readonly kept = new Map<number, AssignedRange[]>();
  private keptAt = 0;

  constructor(private readonly context: Pick<ReadContext, 'statements'>) {}

  /** Runs in which somebody was assigned, by id; not those that were removed. */
  runs(): RunKey[] {
    return this.context.statements.all<RunKey>(
      `SELECT r.id, r.ulid FROM run r JOIN run_head h ON h.run = r.id
       WHERE r.id IN (SELECT run FROM annotation INDEXED BY annotation_assign WHERE op = 'assign' AND purged = 0)
       ORDER BY r.ulid`,
    );
  }

  /** Assignments that stand in a run, by steps; none when nobody is assigned. */
  of(run: number): AssignedRange[] {
    const last =
      this.context.statements.get<{ id: number | null }>('SELECT max(id) AS id FROM annotation')?.id ?? 0;
    if (last !== this.keptAt) {
      this.kept.clear();
      this.keptAt = last;
    }
    const known = this.kept.get(run);
    if (known !== undefined) return known;
    const ranges = assignedRanges(this.entries(run));
    this.kept.set(run, ranges);
    return ranges;
  }

  partOf(run: number, person: Author): Part {
    return partOf(this.of(run), person);
  }

  /** The assignments of a run and what undid them, directly or through other undo entries. */
  entries(run: number): AnnotationEntry[] {
    const { statements } = this.context;
    const found = statements
      .all<{ body: string }>(
        `SELECT body FROM annotation INDEXED BY annotation_assign
         WHERE run = ? AND op = 'assign' AND purged = 0 ORDER BY id`,
        run,
      )
      .map(({ body }) => JSON.parse(body) as AnnotationEntry);
    for (const entry of found) {
      // What is pushed here is looked at in its turn: an undo may have been undone.
      found.push(
        ...statements
          .all<{ body: string }>(
            `SELECT body FROM annotation INDEXED BY annotation_undo
             WHERE op = 'undo' AND undoes = ? AND purged = 0 ORDER BY id`,
            entry.ulid,
          )
          .map(({ body }) => JSON.parse(body) as AnnotationEntry),
      );
    }
    return found;
  }
}
