import { noRuleSettings, type RuleId, type RuleSettings } from '@shared/contract/rules/rule-settings';
import type { RuleChange, RuleExample, RulePreview, RuleProgress } from '@shared/contract/rules/rule-views';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { RuleVerdict } from '@shared/labels/labels';
import { stepOpinion } from '@shared/labels/step-marks';
import { rowId, seqOf } from '../file/rows';
import { unreadableRun } from '../log/unreadable-run';
import { LabelProjection } from '../projections/label-projection';
import { readRuleSettings } from '../projections/rule-settings';
import type { StepProjector } from '../projections/step-projector';
import { findRun, type ReadContext, type RunRecord, readEvents } from './read-context';

/** Events per turn of the thread. */
const PAGE_EVENTS = 200;
/** Steps compared per turn. */
const PAGE_STEPS = 500;
const EXAMPLES = 8;
const KNOWN = 5000;
/** Waiting runs that are named. */
const NAMED = 100;

type Verdicts = Map<number, Map<string, RuleVerdict>>;

interface HeadLabel {
  label: number;
  source: string | null;
}

const VALUES = [null, 'train', 'mask'] as const;

/** What other settings would change, worked out from stored events a page at a time: others are answered in between. */
export class RulePreviewer {
  private newest = 0;
  private readonly labels: LabelProjection;
  /** What of a run's specification rules are chosen by: pinned, so it is read once. */
  private readonly specs = new Map<string, Record<string, unknown>>();

  constructor(
    private readonly context: ReadContext,
    private readonly projector: StepProjector,
  ) {
    this.labels = new LabelProjection(context.statements);
  }

  /** A newer preview ends this one. @throws WaymarkError not_found */
  async preview(runs: readonly string[], settings: RuleSettings): Promise<RulePreview> {
    this.newest += 1;
    const mine = this.newest;
    const goOn = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return mine === this.newest;
    };
    const changes = new Map<string, RuleChange>();
    const labels = { toTrain: 0, toMask: 0, toUndecided: 0, total: 0 };
    let events = 0;
    const answer = (superseded: boolean): RulePreview => ({
      runs: [...runs],
      rules: [...changes.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1)),
      labels,
      events,
      superseded,
    });
    for (const ulid of runs) {
      const run = findRun(this.context, ulid);
      const folded = await this.fold(run, settings, goOn);
      if (folded === null) return answer(true);
      events += run.seq;
      for (let from = 1; from <= run.state.steps; from += PAGE_STEPS) {
        const to = Math.min(run.state.steps, from + PAGE_STEPS - 1);
        this.compare(run, { from, to }, folded, changes, labels);
        if (!(await goOn())) return answer(true);
      }
    }
    return answer(false);
  }

  /** How many runs of a task wait for their verdicts. */
  async progress(task: string): Promise<RuleProgress> {
    const rows = this.context.statements.all<{
      id: number;
      ulid: string;
      seq: number;
      version: string | null;
      done: number;
    }>(
      `SELECT r.id, r.ulid, h.seq, h.rule_version AS version, h.rule_seq AS done FROM run r JOIN run_head h ON h.run = r.id
       WHERE json_extract(h.facts, '$.task.id') = ? AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.run = r.id)`,
      task,
    );
    const settings = readRuleSettings(this.context.statements, task)?.settings ?? noRuleSettings;
    const waiting: string[] = [];
    const progress = { task, runs: rows.length, behind: 0, waiting, events: { done: 0, total: 0 } };
    for (const { id, ulid, seq, version, done } of rows) {
      const current = version !== null && version === this.versionOf({ id, ulid, seq }, settings);
      const reached = current ? Math.min(done, seq) : 0;
      progress.events.done += reached;
      progress.events.total += seq;
      if (reached === seq) continue;
      progress.behind += 1;
      if (waiting.length < NAMED) waiting.push(ulid);
    }
    return progress;
  }

  /** Null for a run that cannot be read: it waits until it can. */
  private versionOf(run: Pick<RunRecord, 'id' | 'ulid' | 'seq'>, settings: RuleSettings): string | null {
    try {
      return this.projector.inForce(this.specOf(run), settings).version;
    } catch (thrown) {
      if (unreadableRun(run.ulid, thrown) === null) throw thrown;
      return null;
    }
  }

  private async fold(
    run: RunRecord,
    settings: RuleSettings,
    goOn: () => Promise<boolean>,
  ): Promise<{ verdicts: Verdicts; settings: RuleSettings } | null> {
    const verdicts: Verdicts = new Map();
    let fold: ReturnType<StepProjector['start']> | null = null;
    for (let next = 1; next <= run.seq; ) {
      const page = readEvents(this.context, run, next, run.seq, PAGE_EVENTS, false);
      for (const event of page) {
        if (event.kind === 'run.created') fold = this.projector.start(event, settings);
        for (const { step, verdict } of fold?.apply(event) ?? []) {
          const known = verdicts.get(step) ?? new Map<string, RuleVerdict>();
          verdicts.set(step, known.set(verdict.rule, verdict));
        }
      }
      if (page.length === 0) break;
      next += page.length;
      if (!(await goOn())) return null;
    }
    return { verdicts, settings };
  }

  private compare(
    run: RunRecord,
    range: { from: number; to: number },
    { verdicts, settings }: { verdicts: Verdicts; settings: RuleSettings },
    changes: Map<string, RuleChange>,
    labels: RulePreview['labels'],
  ): void {
    const { from, to } = range;
    const stored = this.labels.verdicts(run.id, from, to);
    const heads = this.heads(run.id, from, to);
    const people = foldAnnotations(this.labels.ranges.overlapping(run.id, [range]), [range]);
    const before = this.labels.precedenceOf(run.id);
    const after = this.projector.inForce(this.specOf(run), settings).precedence;
    for (let step = from; step <= to; step += 1) {
      const head = heads.get(step);
      if (head === undefined) continue;
      const now = new Map((stored.get(step) ?? []).map((verdict) => [verdict.rule, verdict]));
      const then = verdicts.get(step) ?? new Map<string, RuleVerdict>();
      const place = { run: run.ulid, step, head };
      for (const verdict of then.values())
        add(changeOf(changes, verdict), verdict, !now.has(verdict.rule), place);
      for (const verdict of now.values()) {
        if (!then.has(verdict.rule)) drop(changeOf(changes, verdict), verdict, place);
      }
      const same = now.size === then.size && [...then.keys()].every((rule) => now.has(rule));
      if (same && (before === after || then.size === 0)) continue;
      const rules = [...then.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
      const { value } = stepOpinion(people.at(step), rules, after).effective;
      if (value === VALUES[head.label]) continue;
      labels.total += 1;
      if (value === null) labels.toUndecided += 1;
      else if (value === 'train') labels.toTrain += 1;
      else labels.toMask += 1;
    }
  }

  private heads(run: number, from: number, to: number): Map<number, HeadLabel> {
    const rows = this.context.statements.all<HeadLabel & { id: number }>(
      'SELECT id, label, label_source AS source FROM step_head WHERE id BETWEEN ? AND ?',
      rowId(run, from),
      rowId(run, to),
    );
    return new Map(rows.map(({ id, label, source }) => [seqOf(id), { label, source }]));
  }

  private specOf(run: Pick<RunRecord, 'id' | 'ulid' | 'seq'>): Record<string, unknown> {
    const known = this.specs.get(run.ulid);
    if (known !== undefined) return known;
    const [created] = readEvents(this.context, run, 1, 1, 1, false);
    const spec = created?.kind === 'run.created' ? this.projector.wordsOf(created.body.spec) : {};
    if (this.specs.size >= KNOWN) this.specs.clear();
    this.specs.set(run.ulid, spec);
    return spec;
  }
}

interface Place {
  run: string;
  step: number;
  head: HeadLabel;
}

function changeOf(changes: Map<string, RuleChange>, { rule, effect }: RuleVerdict): RuleChange {
  const known = changes.get(rule);
  if (known !== undefined) return known;
  const now = { train: 0, mask: 0, undecided: 0 };
  const change: RuleChange = {
    // Verdicts are stored by the projector, whose rules are all named there.
    rule: rule as RuleId,
    effect,
    total: 0,
    newly: 0,
    noLonger: 0,
    now,
    conflicts: 0,
    examples: [],
    gone: [],
  };
  changes.set(rule, change);
  return change;
}

function add(change: RuleChange, verdict: RuleVerdict, isNew: boolean, place: Place): void {
  change.total += 1;
  if (!isNew) return;
  const example = exampleOf(verdict, place);
  change.newly += 1;
  change.now[example.now ?? 'undecided'] += 1;
  change.conflicts += example.conflict ? 1 : 0;
  if (change.examples.length < EXAMPLES) change.examples.push(example);
}

function drop(change: RuleChange, verdict: RuleVerdict, place: Place): void {
  change.noLonger += 1;
  if (change.gone.length < EXAMPLES) change.gone.push(exampleOf(verdict, place));
}

function exampleOf({ effect, why, steps }: RuleVerdict, { run, step, head }: Place): RuleExample {
  const now = VALUES[head.label] ?? null;
  const decided = head.source === 'human' || head.source === 'adjudication';
  const wanted = effect === 'keep' ? 'train' : 'mask';
  return { run, step, why, steps, now, conflict: decided && now !== wanted };
}
