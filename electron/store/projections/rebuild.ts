import { noRuleSettings } from '@shared/contract/rules/rule-settings';
import { partsOf } from '@shared/contract/step-range';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { EventOf, RunEvent } from '@shared/log/events';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { GestureIndex } from '../log/gesture-index';
import { outboxEntry } from '../log/outbox-log';
import { type RunFacts, runFacts, type StoredRunState, startState } from '../log/run-state';
import { storedPrecedence } from './label-projection';
import { readRuleSettings } from './rule-settings';
import { RunProjection } from './run-projection';
import type { RulesInForce, RuleVerdictRow, RunRuleFold, StepProjector } from './step-projector';

export interface RebuildOptions {
  /** Where the logs are. */
  source: Statements;
  /** Where the projections go; the same connection when a run is derived again in place. */
  target: Statements;
  projector: StepProjector;
  run: number;
  ulid: string;
  /** Texts were purged: rules would judge empty texts, so their verdicts are taken over as stored. */
  purged: boolean;
}

/**
 * Derives one run's projections from its logs again, by the same code as the appending transaction. The caller
 * passes the events, in order, between `entries` and `finish`.
 */
export class Rebuild {
  readonly state: StoredRunState = startState();
  facts: RunFacts | null = null;
  createdAt = 0;
  private readonly projection: RunProjection;
  private readonly lastRow: number;
  /** What the labels rest on: the task's word and the workspace's. Null before the first event. */
  inForce: RulesInForce | null = null;
  private rules: RunRuleFold | null = null;

  constructor(readonly options: RebuildOptions) {
    // Verdicts of a purged run stay as they are, and so does how they met the judge.
    const stored = storedPrecedence(options.source, options.run);
    this.projection = new RunProjection(options.target, () =>
      options.purged ? stored : (this.inForce?.precedence ?? 'union'),
    );
    // A running step has a row only if somebody decided about it, which no event tells.
    const row = options.source.get<{ last: number | null }>(
      'SELECT max(id) AS last FROM step_head WHERE id BETWEEN ? AND ?',
      rowId(options.run, 0),
      rowId(options.run, LAST_SEQ),
    );
    this.lastRow = row?.last ?? 0;
  }

  /** What people said: hints as queued, the index of annotation entries. */
  entries(): void {
    const { source, run } = this.options;
    const outbox = source.all<{ id: number; body: string }>(
      "SELECT id, body FROM outbox WHERE run = ? AND body <> '' ORDER BY id",
      run,
    );
    for (const row of outbox) {
      this.projection.hints.post(run, outboxEntry(row));
    }
    const gestures = new GestureIndex(this.options.target);
    const annotations = source.all<{ id: number; body: string }>(
      'SELECT id, body FROM annotation WHERE run = ? AND purged = 0 ORDER BY id',
      run,
    );
    for (const { id, body } of annotations) {
      const entry = JSON.parse(body) as AnnotationEntry;
      this.projection.labels.ranges.add(id, run, partsOf(entry.target));
      gestures.add(id, run, entry);
    }
  }

  /** The next events; how they are cut into pages makes no difference. */
  apply(events: readonly RunEvent[]): void {
    const { purged, run } = this.options;
    const verdicts: RuleVerdictRow[] = [];
    for (const event of events) {
      if (event.kind === 'run.created') this.begin(event);
      if (!purged && this.rules !== null) verdicts.push(...this.rules.apply(event));
    }
    this.projection.apply(run, this.state, events, verdicts);
  }

  private begin(event: EventOf<'run.created'>): void {
    const { source, projector } = this.options;
    this.facts = runFacts(event.body);
    this.createdAt = event.at;
    const settings = readRuleSettings(source, event.body.task.id)?.settings ?? noRuleSettings;
    this.inForce = projector.inForce(event.body.spec, settings);
    this.rules = projector.start(event, settings);
  }

  /** The row of the running step, where it has one. */
  settle(): void {
    const { steps, head } = this.state;
    if (this.lastRow >= rowId(this.options.run, Math.max(1, steps))) {
      this.projection.settle(this.options.run, head);
    }
  }

  /** Labels of every step, once all is known. */
  finish(): void {
    const { run } = this.options;
    const { steps } = this.state;
    this.settle();
    if (steps > 0) {
      this.projection.labels.refreshRange(run, 1, steps);
      this.projection.refreshTileRange(run, 1, steps, steps);
    }
  }
}
