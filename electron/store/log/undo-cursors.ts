import { UndoHistory } from '@shared/labels/annotation-undo';
import type { Statements } from '../file/rows';
import type { OpenRun } from './run-log';

interface Cursor {
  history: UndoHistory;
  /** Last row that was read. */
  last: number;
}

/** People who label at the same time in one process, times runs; the least recently asked about is read again. */
const MOST = 16;

/** What undo and redo would take out, per run and author: each question reads only what came since the last one. */
export class UndoCursors {
  private readonly cursors = new Map<string, Cursor>();

  /** `devices`: identities under which this installation wrote into this workspace. */
  constructor(
    private readonly statements: Statements,
    private readonly devices: ReadonlySet<string>,
  ) {}

  /** Of what was done in the run: its own entries, and those about inherited steps. Handing out steps has an undo of its own. */
  history({ id: run, ulid: asked }: Pick<OpenRun, 'id' | 'ulid'>, author: string): UndoHistory {
    const key = `${run} ${author}`;
    const cursor = this.cursors.get(key) ?? { history: new UndoHistory(this.devices), last: 0 };
    this.cursors.delete(key);
    this.cursors.set(key, cursor);
    for (const oldest of this.cursors.keys()) {
      if (this.cursors.size <= MOST) {
        break;
      }
      this.cursors.delete(oldest);
    }
    const rows = this.statements
      .prepare(
        `SELECT id, ulid, undoes, device FROM annotation
         WHERE run = :run AND author = :author AND id > :last AND purged = 0 AND op <> 'assign'
         UNION ALL
         SELECT a.id, a.ulid, a.undoes, a.device FROM gesture g JOIN annotation a ON a.id = g.annotation
         WHERE g.asked = :asked AND g.author = :author AND g.annotation > :last AND a.purged = 0 AND a.op <> 'assign'
         ORDER BY 1`,
      )
      .iterate({ run, asked, author, last: cursor.last }) as IterableIterator<{
      id: number;
      ulid: string;
      undoes: string | null;
      device: string;
    }>;
    for (const { id, ulid, undoes, device } of rows) {
      cursor.history.add({ ulid, undoes, device });
      cursor.last = id;
    }
    return cursor.history;
  }

  /** Rows that were read in a transaction may be gone. */
  forget(): void {
    this.cursors.clear();
  }
}
