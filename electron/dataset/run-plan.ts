import { estimateTokens } from '@shared/context/tokens';
import type { RowReasoning } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportVariant } from '@shared/contract/export-request';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { givenReason } from '@shared/labels/effective-label';
import type {
  EffectiveLabel,
  HumanLabel,
  JudgeVerdict,
  MachinePrecedence,
  RewardVote,
  RuleVerdict,
  StepCorrection,
} from '@shared/labels/labels';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { EventKind, EventOf, RunEvent } from '@shared/log/events';
import { addProtectedChanges, addScore, type ProtectedChanges, type Scores } from '@shared/runs/scores';
import { startRules } from '../label/rule-projector';
import type { RulePreset, RuleSet } from '../label/rule-set';
import type { RunRuleFold } from '../store/projections/step-projector';
import type { SomeEvent } from '../store/queries/some-events';
import { allAnnotations, type DatasetReader, eventPages, somePages } from './event-pages';
import { ImportedRows, type RowTools } from './imported-rows';
import { type KnownVerdicts, knownVerdicts, ruleSetOf } from './known-verdicts';
import {
  answer,
  type CarriedStep,
  type Model,
  type OpenSegment,
  type OpenStep,
  observe,
  openSegment,
  sumOf,
  turnOf,
} from './open-segment';
import { VariantLabeller, type VariantLabels } from './variant-labels';

export interface StepPlan {
  step: number;
  /** Globally unique id of the step. */
  id: string;
  kind: EventOf<'model.answered'>['body']['kind'];
  /** In force when it was sampled. */
  model: Model;
  /** What holds; of the variant `all` (`stepIn` gives a step another variant's). */
  label: EffectiveLabel;
  /** Labels by variant. */
  labels: VariantLabels;
  /** Names of the people whose word holds under `all`. */
  by: readonly string[];
  /** Estimated length of the answer as rows hold it, tokens. */
  tokens: number;
  /** What the people whose word holds wrote as their reason; null: nothing, or a machine decided. */
  given: string | null;
  /** Raw votes of judges, in the order of their entries' ids; a vote that was withdrawn is not among them. */
  judges: readonly JudgeVerdict[];
  /** Votes of judges on whether it is good, by judge and number. */
  rewards: readonly RewardVote[];
  /** What the step should have been, one of each person who wrote one. */
  corrections: readonly StepCorrection[];
}

/** The summary turn at the end of a segment. */
export interface SummaryPlan {
  step: StepPlan;
  purged: boolean;
  /** Estimated length of its row, tokens. */
  tokens: number;
}

export interface SegmentPlan {
  segment: number;
  fromSeq: number;
  toSeq: number;
  /** Sampled in this segment, summary turns left out. */
  steps: StepPlan[];
  carried: CarriedStep[];
  summary: SummaryPlan | null;
  /** Steps without all their observations; left out of the row. */
  unfinished: number[];
  /** Texts of the segment, or of what it carries on, were purged: nothing true can be exported from it. */
  purged: boolean;
  /** Estimated length of the row, tokens. */
  tokens: number;
}

/** What one pass over a run's events says about its rows; texts are read again when a row is written. */
export interface RunPlan {
  created: EventOf<'run.created'>['body'];
  /** When it was created, ms since 1970. */
  began: number;
  /** Names of the models in force, in order, each once. */
  models: string[];
  /** Last event that counts. */
  seq: number;
  /** Ids of the annotation entries that were folded, sorted. */
  entries: string[];
  /** The rules that its labels rest on, and how they meet the judge. */
  ruleSet: RuleSet;
  segments: SegmentPlan[];
  tools: RowTools;
  scores: Scores;
  /** No command of the agent could reach the evaluator in any evaluation that gave a score; without one, as the run was set up. */
  evaluatorIsolated: boolean;
  /** Absent: no evaluation found a protected file changed. */
  protectedChanged?: ProtectedChanges | undefined;
}

export interface PlanOptions {
  preset: RulePreset;
  /** Chosen by name; absent: as the run's task and the workspace say. */
  precedence?: MachinePrecedence | undefined;
  /** Where rows hold the model's reasoning. */
  reasoning: RowReasoning;
  /** Whose opinions make masks, besides everybody's. */
  variants?: readonly ExportVariant[] | undefined;
  /** Names of the judges that are heard; absent: all. */
  judges?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  onEvents?: ((count: number) => void) | undefined;
}

type PlanReader = Pick<
  DatasetReader,
  'events' | 'someEvents' | 'ruleMarks' | 'annotationPage' | 'ruleSettings'
>;

/**
 * One pass over the events of a run up to `seq`: segments, steps, their effective labels, scores. Where the workspace holds the
 * verdicts of these very rules on these very events, they are taken from there, and what only rules read is not read.
 */
export async function planRun(
  reader: PlanReader,
  run: string,
  seq: number,
  options: PlanOptions,
): Promise<RunPlan | null> {
  const pass = new PlanPass(
    options.reasoning,
    new ImportedRows(options.reasoning === 'keep'),
    new VariantLabeller(options.variants ?? []),
  );
  const span = { from: 1, to: seq, signal: options.signal };
  const known = await knownVerdicts(reader, run, seq, options);
  if (known === null) {
    for await (const page of eventPages(reader, run, span)) {
      const [first] = page;
      if (first?.kind === 'run.created') pass.begin(first, await ruleSetOf(reader, first.body, options));
      for (const event of page) pass.apply(event);
      options.onEvents?.(page.length);
    }
  } else {
    pass.know(known);
    for await (const page of somePages(reader, run, planKinds, span)) {
      for (const event of page) {
        const untold = 'passed' in event && event.kind === 'action.observed' && event.step === null;
        if (untold) pass.apply(await observationAt(reader, run, event.seq));
        else pass.applySome(event);
      }
      options.onEvents?.(page.length);
    }
    await pass.readUnread((at) => observationAt(reader, run, at));
  }
  const entries = await allAnnotations(reader, run);
  return pass.end(entries, seq, options.judges);
}

/** Kinds that say something of a plan besides rules: of an observation only its step, but for the last ones of a segment. */
const planKinds: readonly EventKind[] = [
  'run.created',
  'model.changed',
  'segment.started',
  'step.inherited',
  'summary.started',
  'model.requested',
  'model.answered',
  'text.purged',
  'evaluation.ended',
];

/** @throws WaymarkError `workspace_corrupt` */
async function observationAt(
  reader: Pick<DatasetReader, 'events'>,
  run: string,
  seq: number,
): Promise<EventOf<'action.observed'>> {
  const [event] = await reader.events(run, seq, 1);
  if (event?.kind === 'action.observed') return event;
  throw new WaymarkError(
    'workspace_corrupt',
    `Event ${seq} of run ${run} is missing. Run "verify" to see what is damaged.`,
  );
}

class PlanPass {
  private created: EventOf<'run.created'>['body'] | null = null;
  private began = 0;
  private model: Model | null = null;
  private readonly models = new Set<string>();
  private rules: RunRuleFold | null = null;
  private readonly verdicts = new Map<number, readonly RuleVerdict[]>();
  private readonly told = new Map<string, RuleVerdict>();
  private readonly segments: OpenSegment[] = [];
  /** Tokens of reasoning that rows hold and no request did, by step. */
  private readonly unsent = new Map<number, number>();
  private readonly purged: { from: number; to: number }[] = [];
  private readonly scores: RunPlan['scores'] = { best: null, final: null, last: null };

  private readonly people = new Map<string, readonly string[]>();

  private exposed = false;
  private protectedChanged: ProtectedChanges | undefined;
  private ruleSet: RuleSet | null = null;

  constructor(
    private readonly reasoning: RowReasoning,
    private readonly imported: ImportedRows,
    private readonly labeller: VariantLabeller,
  ) {}

  /** Verdicts are worked out from the events that follow. */
  begin(created: EventOf<'run.created'>, ruleSet: RuleSet): void {
    this.ruleSet = ruleSet;
    this.rules = startRules(this.ruleSet.rules, created);
  }

  /** Verdicts are known. */
  know({ ruleSet, verdicts }: KnownVerdicts): void {
    this.ruleSet = ruleSet;
    for (const [step, list] of verdicts) this.verdicts.set(step, list);
  }

  /** Of what was passed over an observation counts, and is read where nothing else tells how long its segment became. */
  applySome(event: SomeEvent): void {
    if (!('passed' in event)) {
      this.apply(event);
      return;
    }
    const open = this.segments.at(-1);
    if (open) open.toSeq = event.seq;
    if (event.step !== null && this.isObserved(event.step)) open?.unread.push(event.seq);
  }

  async readUnread(read: (seq: number) => Promise<EventOf<'action.observed'>>): Promise<void> {
    for (const segment of this.segments) {
      for (const seq of segment.unread) observe(segment, (await read(seq)).body);
      segment.unread = [];
    }
  }

  /** A call of the step that the segment is at has its observation; false: of another one. */
  private isObserved(step: number): boolean {
    const last = this.segments.at(-1)?.steps.at(-1);
    if (last?.step !== step) return false;
    last.missing -= 1;
    return true;
  }

  apply(event: RunEvent): void {
    if (event.kind === 'run.created') {
      this.created = event.body;
      this.began = event.at;
      this.changeModel(event.body.model);
    }
    this.imported.apply(event);
    for (const { step, verdict } of this.rules?.apply(event) ?? []) {
      const known = this.verdicts.get(step) ?? nothing;
      const now = this.oneVerdict(verdict);
      const again = known.some(({ rule }) => rule === now.rule);
      // A rule speaks of a step once, as it said last, in the place where it spoke first.
      this.verdicts.set(
        step,
        again ? known.map((each) => (each.rule === now.rule ? now : each)) : [...known, now],
      );
    }
    const open = this.segments.at(-1);
    if (open) open.toSeq = event.seq;
    switch (event.kind) {
      case 'segment.started':
        if (open) open.toSeq = event.seq - 1;
        this.segments.push(openSegment(event, open));
        return;
      case 'step.inherited':
        open?.carried.push({ run: event.body.run, step: event.body.answered.step });
        this.countUnsent(event.body.answered);
        return;
      case 'summary.started':
        if (open) open.turn = turnOf(open, event.body);
        return;
      case 'model.requested':
        if (open?.turn?.step === event.body.step) open.turn.requested = event.body.tokensEstimate;
        else if (open) {
          open.requested = event.body.tokensEstimate;
          open.since = [];
          open.sinceImages = 0;
          open.unread = [];
        }
        return;
      case 'model.changed':
        this.changeModel(event.body.model);
        return;
      case 'model.answered':
        this.countUnsent(event.body);
        if (open && this.model !== null) answer(open, event, this.model, this.holdsReasoning());
        return;
      case 'action.observed':
        if (open && this.isObserved(event.body.step)) observe(open, event.body);
        return;
      case 'text.purged':
        this.purged.push(event.body);
        return;
      case 'evaluation.ended': {
        const { score, forced, isolated = this.created?.evaluatorIsolated ?? false } = event.body;
        this.protectedChanged = addProtectedChanges(this.protectedChanged, event.body.protectedChanged);
        addScore(this.scores, score, forced);
        if (score !== null) this.exposed ||= !isolated;
        return;
      }
      default:
        return;
    }
  }

  private countUnsent({ step, reasoning }: EventOf<'model.answered'>['body']): void {
    if (this.reasoning === 'keep' && this.model?.sendReasoning === false && reasoning !== '') {
      this.unsent.set(step, estimateTokens(reasoning));
    }
  }

  private holdsReasoning(): boolean {
    return this.reasoning === 'keep' || (this.reasoning === 'as-sent' && this.model?.sendReasoning === true);
  }

  /** Few people label many steps. */
  private oneOfEach(names: readonly string[]): readonly string[] {
    if (names.length === 0) return nothing;
    const key = JSON.stringify(names);
    const known = this.people.get(key) ?? names;
    this.people.set(key, known);
    return known;
  }

  /** Why a rule says so is in no row: without it few verdicts differ. */
  private oneVerdict({ rule, version, effect, hard }: RuleVerdict): RuleVerdict {
    const key = `${rule} ${version} ${effect} ${hard}`;
    const known = this.told.get(key) ?? { rule, version, effect, hard, why: '', steps: [] };
    this.told.set(key, known);
    return known;
  }

  private unsentOf(steps: readonly { step: number }[]): number {
    return steps.reduce((sum, { step }) => sum + (this.unsent.get(step) ?? 0), 0);
  }

  private changeModel(model: Model): void {
    this.model = model;
    this.models.add(model.model);
  }

  end(entries: AnnotationEntry[], seq: number, heard: readonly string[] | undefined): RunPlan | null {
    const { ruleSet } = this;
    if (!this.created || ruleSet === null) return null;
    const { precedence } = ruleSet;
    const { tools, tokensOf } = this.imported.end();
    const fold = foldAnnotations(entries);
    const planned = ({ step, id, kind, model, tokens }: OpenStep): StepPlan => {
      const rules = this.verdicts.get(step) ?? nothing;
      const { humans, corrections, ...votesOn } = fold.at(step);
      const isHeard = ({ judge }: { judge: string }) => heard === undefined || heard.includes(judge);
      const judges = votesOn.judges.filter(isHeard);
      const rewards = votesOn.rewards.filter(isHeard);
      const labels = this.labeller.label({ humans, rules, judges, precedence });
      const label = labels.all;
      const by = this.oneOfEach(peopleOf(label, humans));
      const given = givenReason(label, humans);
      const votes = judges.length === 0 ? nothing : judges;
      const rated = rewards.length === 0 ? nothing : rewards;
      const corrected = corrections.length === 0 ? nothing : corrections;
      // One literal without spreads: with them every step gets a hidden class of its own, as large as the step.
      return {
        step,
        id,
        kind,
        model,
        label,
        labels,
        by,
        given,
        tokens,
        judges: votes,
        rewards: rated,
        corrections: corrected,
      };
    };
    return {
      created: this.created,
      began: this.began,
      models: [...this.models],
      seq,
      entries: entries.map(({ ulid }) => ulid).sort(),
      scores: this.scores,
      evaluatorIsolated: !this.exposed && (this.scores.last !== null || this.created.evaluatorIsolated),
      protectedChanged: this.protectedChanged,
      ruleSet,
      tools,
      segments: this.plannedSegments(planned, tokensOf),
    };
  }

  /** A summary may hold anything of what it summarised, so what was purged spoils all that rests on it. */
  private plannedSegments(
    planned: (step: OpenStep) => StepPlan,
    importedTokens: ReturnType<ImportedRows['end']>['tokensOf'],
  ): SegmentPlan[] {
    const isPurged = ({ step }: { step: number }) =>
      this.purged.some(({ from, to }) => from <= step && step <= to);
    let spoiled = false;
    return this.segments.map((open) => {
      const { segment, fromSeq, toSeq, steps, carried, turn } = open;
      const purged = (spoiled && open.rests) || [...steps, ...carried].some(isPurged);
      const answer = turn?.answer ?? null;
      spoiled = purged || (answer !== null && isPurged(answer));
      return {
        segment,
        fromSeq,
        toSeq,
        carried,
        purged,
        tokens:
          importedTokens('react', segment) ??
          sumOf(open.requested + open.sinceImages, open.since) + this.unsentOf([...carried, ...steps]),
        steps: steps.filter(({ missing }) => missing <= 0).map(planned),
        summary:
          turn === null || answer === null
            ? null
            : {
                step: planned(answer),
                purged: spoiled,
                tokens:
                  importedTokens('summary', segment) ??
                  sumOf(turn.requested, turn.since) + this.unsentOf([...turn.summarised, answer]),
              },
        unfinished: steps.filter(({ missing }) => missing > 0).map(({ step }) => step),
      };
    });
  }
}

/** Most steps have no vote and no correction: one list for all of them. */
const nothing: readonly never[] = [];

/** Names of the people whose word is the label. */
function peopleOf({ source }: EffectiveLabel, humans: readonly HumanLabel[]): readonly string[] {
  if (source !== 'human' && source !== 'adjudication') return nothing;
  const speaking = humans.filter(({ adjudication }) => adjudication || source === 'human');
  return [...new Set(speaking.map(({ author }) => author.name))];
}
