import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import type { MachinePrecedence } from '@shared/labels/labels';
import { type DatedEvent, EVENT_VERSION, type RunEvent } from '@shared/log/events';
import type { BlobStore, PreparedBlob } from '../file/blob-store';
import { MAX_RUN, rowId, type Statements } from '../file/rows';
import {
  decodeEvent,
  type EncodedBody,
  EVENT_COLUMNS,
  type EventRow,
  encodeBody,
  eventHash,
} from './event-codec';
import { EventOrder } from './event-order';
import { CHAIN_START } from './hashing';
import { type RunFacts, runFacts, type StoredRunState, startState } from './run-state';

/** A run as the writer holds it between two appends; valid while `seq` equals the stored head. */
export interface OpenRun {
  id: number;
  ulid: string;
  seq: number;
  hash: Buffer;
  epoch: number;
  facts: RunFacts;
  state: StoredRunState;
  /** Which rules' verdicts are stored, and up to which event. */
  rules: { version: string | null; seq: number; precedence: MachinePrecedence };
  /** Stamp of a run that is not stored yet: its first event carries the same. */
  createdAt?: number;
}

interface HeadRecord {
  run: number;
  seq: number;
  hash: Buffer;
  epoch: number;
  rule_version: string | null;
  rule_seq: number;
  precedence: string;
  facts: string;
  state: string;
}

/** An event after parsing, with its large texts compressed: all that can be done before the transaction. */
export interface PreparedEvent {
  kind: DatedEvent['kind'];
  body: EncodedBody;
  at: number | undefined;
  texts: Map<string, { blob: PreparedBlob; content: string | Uint8Array }>;
}

const INSERT_EVENT =
  'INSERT INTO event (id, version, kind, at, epoch, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)';
const INSERT_HEAD = `INSERT INTO run_head (run, seq, hash, epoch, changed_at, rule_version, rule_seq, precedence, facts, state)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_HEAD = `UPDATE run_head SET seq = ?, hash = ?, epoch = ?, changed_at = ?, rule_version = ?, rule_seq = ?, precedence = ?, state = ?
  WHERE run = ?`;

/** Rows of the run log: prepared, chained and inserted. Folding them is `RunProjection`'s part. */
export class RunLog {
  constructor(
    private readonly statements: Statements,
    private readonly blobs: BlobStore,
    private readonly now: () => number,
  ) {}

  /** Parses and compresses; throws `bad_input`. Call outside the transaction. */
  prepare(events: readonly DatedEvent[]): PreparedEvent[] {
    return events.map((event) => {
      const texts: PreparedEvent['texts'] = new Map();
      const body = encodeBody(event, (content) => {
        const blob = this.blobs.prepare(content);
        texts.set(blob.hex, { blob, content });
        return blob.hex;
      });
      return { kind: event.kind, body, texts, at: event.at };
    });
  }

  /** The run as stored. Throws `not_found`, also for a removed run. */
  load(ulid: string): OpenRun {
    const row = this.statements.get<HeadRecord>(
      `SELECT h.run, h.seq, h.hash, h.epoch, h.rule_version, h.rule_seq, h.precedence, h.facts, h.state FROM run r JOIN run_head h ON h.run = r.id WHERE r.ulid = ?`,
      ulid,
    );
    if (row === undefined) {
      throw noRun(ulid);
    }
    return {
      id: row.run,
      ulid,
      seq: row.seq,
      hash: row.hash,
      epoch: row.epoch,
      facts: JSON.parse(row.facts) as RunFacts,
      state: JSON.parse(row.state) as StoredRunState,
      rules: {
        version: row.rule_version,
        seq: row.rule_seq,
        precedence: row.precedence === 'judge_over_rule' ? 'judge_over_rule' : 'union',
      },
    };
  }

  /** Whether the head in memory is still the stored one: another process may have driven the run, or derived its rules. */
  isCurrent({ id, seq, rules }: OpenRun): boolean {
    const row = this.statements.get<{
      seq: number;
      version: string | null;
      rules: number;
      precedence: string;
    }>('SELECT seq, rule_version AS version, rule_seq AS rules, precedence FROM run_head WHERE run = ?', id);
    return (
      row?.seq === seq &&
      row.version === rules.version &&
      row.rules === rules.seq &&
      row.precedence === rules.precedence
    );
  }

  /** The same for what is folded from the log: another process may have derived it again and found it different. */
  isWhole({ id, facts, state }: OpenRun): boolean {
    const row = this.statements.get<{ same: number }>(
      'SELECT state = ? AND facts = ? AS same FROM run_head WHERE run = ?',
      JSON.stringify(state),
      JSON.stringify(facts),
      id,
    );
    return row?.same === 1;
  }

  /** A new run, not yet stored: its first event decides title, task and budgets. */
  create(ulid: string, first: DatedEvent | undefined): OpenRun {
    if (first?.kind !== 'run.created' || first.body.run !== ulid) {
      throw noRun(ulid);
    }
    if (this.statements.get('SELECT 1 FROM run WHERE ulid = ?', ulid) !== undefined) {
      throw new WaymarkError('already_exists', `Run ${ulid} existed and was removed.`);
    }
    const { id } = this.statements.get<{ id: number }>('SELECT coalesce(max(id), 0) + 1 AS id FROM run') ?? {
      id: 1,
    };
    if (id > MAX_RUN) {
      throw new WaymarkError('unsupported', 'This workspace holds as many runs as it can. Start a new one.');
    }
    const createdAt = first.at ?? this.stamp();
    this.statements.run('INSERT INTO run (id, ulid, created_at) VALUES (?, ?, ?)', id, ulid, createdAt);
    const facts = runFacts(first.body);
    return {
      id,
      ulid,
      seq: 0,
      hash: CHAIN_START,
      epoch: 0,
      facts,
      state: startState(),
      rules: { version: null, seq: 0, precedence: 'union' },
      createdAt,
    };
  }

  /** @throws WaymarkError conflict, when a run was begun after this one; null: when any was */
  refuseBegunSince(newest: string | null): void {
    const since = this.statements.all<{ ulid: string }>(
      `SELECT r.ulid FROM run r JOIN run_head h ON h.run = r.id
       WHERE r.id > (SELECT coalesce(max(id), 0) FROM run WHERE ulid = ?)`,
      newest,
    );
    const begun = since.find(({ ulid }) => isId(ulid));
    if (begun !== undefined) {
      throw new WaymarkError('conflict', `Run ${begun.ulid} was started in the meantime.`);
    }
  }

  /** Inserts prepared events, advances `run.seq` and its hash, and returns the events as they would be read back. */
  insert(run: OpenRun, epoch: number, events: readonly PreparedEvent[]): RunEvent[] {
    if (epoch < run.epoch) {
      throw new WaymarkError(
        'run_driven_elsewhere',
        `Run ${run.ulid} is driven by another process since (epoch ${run.epoch}, this driver has ${epoch}).`,
      );
    }
    run.epoch = epoch;
    const now = run.seq === 0 ? (run.createdAt ?? this.stamp()) : this.stamp();
    return events.map((event) => {
      for (const { blob, content } of event.texts.values()) {
        this.blobs.put(run.id, blob, content);
      }
      const seq = run.seq + 1;
      const at = event.at ?? now;
      const row = {
        id: rowId(run.id, seq),
        version: EVENT_VERSION,
        kind: event.kind,
        at,
        epoch,
        body: event.body.text,
      };
      const hash = eventHash(run.hash, row);
      this.statements.run(INSERT_EVENT, row.id, row.version, row.kind, at, epoch, row.body, hash);
      run.seq = seq;
      run.hash = hash;
      const { value } = event.body;
      if (value !== undefined) {
        // Kind and body belong together: the body was parsed by this kind's schema before it was stored.
        return { run: run.ulid, seq, at, epoch, kind: event.kind, body: value } as RunEvent;
      }
      const load = (reference: string) => {
        const content = event.texts.get(reference)?.content;
        return typeof content === 'string' ? content : this.blobs.read(reference);
      };
      return decodeEvent(row, run.ulid, load, false);
    });
  }

  writeHead(run: OpenRun): void {
    const { id, seq, hash, epoch, rules } = run;
    const state = JSON.stringify(run.state);
    const { lastAt } = run.state;
    const updated = this.statements.run(
      UPDATE_HEAD,
      seq,
      hash,
      epoch,
      lastAt,
      rules.version,
      rules.seq,
      rules.precedence,
      state,
      id,
    );
    if (updated.changes === 0) {
      const facts = JSON.stringify(run.facts);
      const { version, seq: ruleSeq, precedence } = rules;
      this.statements.run(
        INSERT_HEAD,
        ...[id, seq, hash, epoch, lastAt, version, ruleSeq, precedence, facts, state],
      );
    }
  }

  /** Events `[fromSeq, toSeq]`, at most `limit`, from a trusted chain. */
  read(run: Pick<OpenRun, 'id' | 'ulid' | 'seq'>, fromSeq: number, toSeq: number, limit: number): RunEvent[] {
    const order = new EventOrder(this.statements, run, fromSeq);
    const rows = this.statements.all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`,
      rowId(run.id, fromSeq),
      rowId(run.id, toSeq),
      limit,
    );
    const events = rows.map((row) => {
      order.take(row);
      return decodeEvent(row, run.ulid, (sha) => this.blobs.read(sha));
    });
    order.end(Math.min(toSeq, run.seq, fromSeq + limit - 1));
    return events;
  }

  private stamp(): number {
    return Math.round(this.now());
  }
}

export function noRun(ulid: string): WaymarkError {
  return new WaymarkError('not_found', `There is no run ${ulid} in this workspace.`);
}
