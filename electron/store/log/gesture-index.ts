import { standingIds } from '@shared/labels/annotation-undo';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Statements } from '../file/rows';

/** What of an entry its row says. */
type Gestured = Pick<AnnotationEntry, 'gesture' | 'target' | 'author'>;

/** Index from gestures to their entries. An entry without one is a gesture of its own and has no row. */
export class GestureIndex {
  constructor(private readonly statements: Statements) {}

  add(annotation: number, run: number, { gesture, target, author }: Gestured): void {
    if (gesture === undefined) {
      return;
    }
    this.statements.run(
      'INSERT OR IGNORE INTO gesture (run, annotation, id, asked, author) VALUES (?, ?, ?, ?, ?)',
      run,
      annotation,
      gesture.id,
      gesture.run === target.run ? null : gesture.run,
      author.uuid,
    );
  }

  /** Entries of the same gesture and author that stand, in the order they were stored; none when this one does not. */
  standing(entry: AnnotationEntry): AnnotationEntry[] {
    if (!this.isStanding(entry)) {
      return [];
    }
    if (entry.gesture === undefined) {
      return [entry];
    }
    return this.bodies(
      `SELECT a.body FROM gesture g JOIN annotation a ON a.id = g.annotation
       WHERE g.id = ? AND g.author = ? AND a.purged = 0 ORDER BY a.id`,
      entry.gesture.id,
      entry.author.uuid,
    ).filter((each) => this.isStanding(each));
  }

  private isStanding(entry: AnnotationEntry): boolean {
    const chain = [entry];
    for (const { ulid } of chain) {
      chain.push(
        ...this.bodies(
          "SELECT body FROM annotation INDEXED BY annotation_undo WHERE op = 'undo' AND undoes = ? AND purged = 0",
          ulid,
        ),
      );
    }
    return standingIds(chain).has(entry.ulid);
  }

  private bodies(sql: string, ...parameters: string[]): AnnotationEntry[] {
    return this.statements
      .all<{ body: string }>(sql, ...parameters)
      .map(({ body }) => JSON.parse(body) as AnnotationEntry);
  }
}
