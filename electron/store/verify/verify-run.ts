import { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';
import { eventBodies, type RunEvent } from '@shared/log/events';
import { runLockPath } from '../../files/workspace-paths';
import { LAST_SEQ, rowId, type Statements, seqOf } from '../file/rows';
import { textReferences } from '../file/stored-json';
import { decodeEvent, EVENT_COLUMNS, type EventRow, eventHash } from '../log/event-codec';
import { CHAIN_START } from '../log/hashing';
import { isLockHeld } from '../log/run-lock';
import { PrivateRebuild } from '../projections/private-rebuild';
import { SeenOutput } from '../projections/seen-output';
import { PromptCheck } from './prompt-check';
import { RowCheck } from './row-check';
import { findingOf, type VerifyContext } from './verify-context';
import { compareProjections } from './verify-projections';
import { checkSessions } from './verify-sessions';

const BATCH = 250;
const observedOffsets = eventBodies['action.observed'].pick({ step: true, offsets: true });
/** Problems of one kind that are worth naming. */
const ENOUGH = 20;

interface HeadRow {
  seq: number;
  hash: Buffer;
  epoch: number;
}

interface Grave {
  content: Buffer | null;
  done: number;
}

/** One run: its chain, its texts, its session bytes; its prompts and every projection against a rebuild when all is asked for. */
export async function checkRun(context: VerifyContext, id: number, ulid: string): Promise<VerifyProblem[]> {
  const { statements } = context;
  const where = `run ${ulid}`;
  // Before the snapshot: who imports lets go of the lock after the last event.
  const importing = isLockHeld(runLockPath(context.folder, ulid));
  statements.db.exec('BEGIN');
  try {
    const head = statements.get<HeadRow>('SELECT seq, hash, epoch FROM run_head WHERE run = ?', id);
    const grave = statements.get<Grave>(
      "SELECT content, done FROM tombstone WHERE run = ? AND mode = 'text'",
      id,
    );
    if (head === undefined || grave?.done === 0) {
      return [
        {
          what: 'unfinished',
          where,
          message: 'A removal was not finished. Open the workspace once to finish it.',
        },
      ];
    }
    const walk = new RunWalk(context, id, ulid, grave !== undefined);
    try {
      await walk.events();
      walk.endRows();
      const problems = [
        ...walk.problems,
        ...walk.checkEnd(head, grave),
        ...checkUses(statements, id, walk.texts),
        ...(walk.importUnfinished && !importing ? [brokenOff(where)] : []),
      ];
      if (walk.again !== null && walk.sound) {
        walk.again.rebuild.finish();
        problems.push(...compareProjections(context, walk.again, head.seq, where));
      }
      problems.push(...(grave === undefined ? await checkSessions(context, id, ulid, walk.seen) : []));
      return problems;
    } finally {
      walk.again?.close();
    }
  } finally {
    if (statements.db.inTransaction) {
      statements.db.exec('COMMIT');
    }
  }
}

function brokenOff(where: string): VerifyProblem {
  const message =
    'Its import was not finished, and no export takes it. Import the same files again to replace it, or remove it with "run remove".';
  return { what: 'import_unfinished', where, message };
}

/** Reads a run's events once, in order, and feeds everything that is checked along the way. */
class RunWalk {
  readonly problems: VerifyProblem[] = [];
  readonly texts = new Set<string>();
  readonly seen = new SeenOutput();
  /** Null when only the log is looked at. */
  readonly again: PrivateRebuild | null;
  /** False once an event could not be read: what is derived from it cannot be compared. */
  sound = true;
  private readonly prompts = new PromptCheck();
  private readonly rows = new RowCheck();
  /** Read and not yet folded. */
  private readonly page: RunEvent[] = [];
  private hash: Buffer = CHAIN_START;
  private content: Buffer = CHAIN_START;
  private seq = 0;
  private imported = false;
  private settled = false;
  private epoch = 0;

  constructor(
    private readonly context: VerifyContext,
    private readonly id: number,
    private readonly ulid: string,
    private readonly purged: boolean,
  ) {
    this.again =
      context.depth === 'all'
        ? new PrivateRebuild(context.statements, context.projector, id, ulid, purged)
        : null;
  }

  /** The last event of an import is the run's status. */
  get importUnfinished(): boolean {
    return this.imported && !this.settled;
  }

  async events(): Promise<void> {
    this.again?.rebuild.entries();
    const page = this.context.statements.prepare(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ${BATCH}`,
    );
    for (;;) {
      const rows = page.all(rowId(this.id, this.seq + 1), rowId(this.id, LAST_SEQ)) as EventRow[];
      for (const row of rows) {
        const seq = seqOf(row.id);
        if (seq <= this.seq) {
          // A damaged index can lead back to rows that were read already; going on would never end.
          this.problem(
            'order',
            seq,
            `This event was found after event ${this.seq}: the table's index is damaged.`,
          );
          this.sound = false;
          return;
        }
        this.event(row);
      }
      this.applyPage();
      if (rows.length === 0) {
        return;
      }
      await this.context.breathe();
    }
  }

  /** Rows of a log that was read whole. */
  endRows(): void {
    if (this.sound && this.again !== null && !this.purged) {
      this.name(this.rows.end(this.ulid));
    }
  }

  checkEnd(head: HeadRow, grave: Grave | undefined): VerifyProblem[] {
    const where = `run ${this.ulid}`;
    if (this.seq !== head.seq || !this.hash.equals(head.hash) || this.epoch !== head.epoch) {
      const message = `The log ends at event ${this.seq}; its head says ${head.seq}, or its hash or epoch differs.`;
      return [{ what: 'head', where, message }];
    }
    if (grave !== undefined && !(grave.content?.equals(this.content) ?? false)) {
      return [{ what: 'purged', where, message: 'What a purge left was changed afterwards.' }];
    }
    return [];
  }

  private event(row: EventRow): void {
    const seq = seqOf(row.id);
    if (seq !== this.seq + 1) {
      this.problem('gap', seq, `Events ${this.seq + 1} to ${seq - 1} are missing.`);
      this.sound = false;
    }
    this.seq = seq;
    this.epoch = Math.max(this.epoch, row.epoch);
    this.imported ||= seq === 2 && row.kind === 'run.imported';
    this.settled ||= row.kind === 'run.status';
    const changed = row.purged === 0 && !eventHash(this.hash, row).equals(row.hash);
    if (changed) {
      this.problem('chain', seq, 'This event or one before it was changed after it was stored.');
    }
    if (row.purged !== 0) {
      this.content = eventHash(this.content, row);
    }
    if (row.purged !== 0 && !this.purged) {
      this.problem('purged', seq, 'This event says it was purged, but no tombstone does.');
    }
    this.hash = row.hash;
    this.read(row, seq, changed);
  }

  /** `changed`: the chain does not hold it, so that what looks newer in it is damage. */
  private read(row: EventRow, seq: number, changed: boolean): void {
    try {
      const event =
        this.again === null ? null : decodeEvent(row, this.ulid, (sha) => this.context.blobs.read(sha));
      for (const sha of row.body.includes('"$text"') ? textReferences(parsed(row.body)) : []) {
        this.texts.add(sha);
      }
      this.see(row);
      if (this.again === null || event === null) {
        return;
      }
      if (!this.purged) {
        this.sent(event);
      }
      this.page.push(event);
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError)) {
        throw thrown;
      }
      this.sound = false;
      if (changed && thrown.code === 'workspace_newer') {
        return;
      }
      const { message, detail } = findingOf(thrown);
      this.problem(thrown.code, seq, message, detail);
    }
  }

  /** What was sent is proved by its hash, and what would be trained by what was sent. */
  private sent(event: RunEvent): void {
    const prompt = this.prompts.apply(event);
    if (prompt !== null) {
      this.problem('prompt', event.seq, prompt);
    }
    this.name(this.rows.apply(event, this.prompts.rebuilt));
  }

  private name(problems: readonly VerifyProblem[]): void {
    this.problems.push(...problems.slice(0, Math.max(0, ENOUGH - this.problems.length)));
  }

  private see(row: EventRow): void {
    if (row.kind === 'session.opened') {
      const { data } = eventBodies['session.opened'].safeParse(parsed(row.body));
      if (data !== undefined) this.seen.opened(data);
    } else if (row.kind === 'action.observed' && row.body.includes('"offsets":{"')) {
      const { data } = observedOffsets.safeParse(parsed(row.body));
      if (data !== undefined) this.seen.observed(data);
    }
  }

  private applyPage(): void {
    const events = this.page.splice(0);
    if (this.sound && events.length > 0) {
      this.again?.rebuild.apply(events);
    }
  }

  private problem(what: string, seq: number, message: string, detail?: string): void {
    if (this.problems.length < ENOUGH) {
      this.problems.push({ what, where: `run ${this.ulid} event ${seq}`, message, detail });
    }
  }
}

/** @throws WaymarkError workspace_corrupt */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new WaymarkError('workspace_corrupt', 'This event cannot be read.', why);
  }
}

/** Which texts a run uses decides what a removal may delete: exactly those that its events refer to. */
function checkUses(statements: Statements, run: number, used: ReadonlySet<string>): VerifyProblem[] {
  const listed = statements
    .all<{ sha: Buffer }>(
      `SELECT sha FROM blob WHERE run = ?
       UNION ALL SELECT b.sha FROM blob_share s JOIN blob b ON b.id = s.blob WHERE s.run = ?`,
      run,
      run,
    )
    .map(({ sha }) => sha.toString('hex'));
  const same = listed.length === used.size && listed.every((sha) => used.has(sha));
  return same
    ? []
    : [{ what: 'texts', where: `run ${run}`, message: 'The list of texts this run uses is wrong.' }];
}

/** A removed run keeps its tombstone and nothing else. */
export function checkRemoved(
  statements: Statements,
  id: number,
  ulid: string,
  createdAt: number,
): VerifyProblem[] {
  const where = `run ${ulid}`;
  const grave = statements.get<{ counts: string; done: number }>(
    "SELECT counts, done FROM tombstone WHERE run = ? AND mode = 'run'",
    id,
  );
  const left = statements.get(
    'SELECT 1 FROM event WHERE id BETWEEN ? AND ?',
    rowId(id, 0),
    rowId(id, LAST_SEQ),
  );
  if (grave === undefined || left !== undefined || grave.done === 0) {
    return [{ what: 'head', where, message: 'The run has no head and was not removed.' }];
  }
  const counts = JSON.parse(grave.counts) as { ulid: string; createdAt: number };
  return counts.ulid === ulid && counts.createdAt === createdAt
    ? []
    : [{ what: 'row', where, message: 'The run and its tombstone differ.' }];
}
