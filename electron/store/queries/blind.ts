import { WaymarkError } from '@shared/contract/errors';
import type { DecidedExamples, LabelPreview, RetroMask, SimilarSteps } from '@shared/contract/ipc/labels';
import type { StepFacets } from '@shared/contract/ipc/timeline';
import type { AskedQuality } from '@shared/contract/judge-views';
import type { RulePreview } from '@shared/contract/rules/rule-views';
import type { StepQuery } from '@shared/contract/step-query';
import type { StepRange } from '@shared/contract/step-range';
import type { RunSummary, SegmentView, StepDetail, StepHead, Tile } from '@shared/contract/views';
import type { ExperimentRun } from '@shared/experiments/experiment-run';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { holds, stepsIn, without } from '@shared/labels/review/step-ranges';
import {
  asksOpinions,
  hiddenIn,
  matchesUnspoken,
  withheldDetail,
  withheldHead,
  withheldSegments,
  withheldSummary,
  withheldTiles,
  withoutOpinions,
} from '@shared/labels/review/withhold';
import type { AnnotationEntry, Author } from '@shared/log/annotations';
import type { RunStats } from '@shared/runs/run-stats';
import { TILE_STEPS } from '../file/rows';
import type { StoredEntry } from '../values';
import type { BlindView } from './query';
import type { Withheld } from './read-withheld';

/**
 * What reads answer to somebody who is to decide some steps blind and has not decided them: everything is as if nobody had said
 * anything about these steps, machines included. One function a read, named in its row of the table.
 */

/** For a read about one run: its answer without what is hidden in that run; the answer itself where nothing is. */
export function inRun<Answer>(
  withhold: (answer: Answer, hidden: Withheld, viewer: Author) => Answer,
): <Args extends [run: string, ...unknown[]]>(
  view: BlindView,
  read: (...args: Args) => Promise<Answer>,
  ...args: Args
) => Promise<Answer> {
  return async (view, read, ...args) => {
    const [answer, hidden] = await Promise.all([read(...args), view.hidden(args[0])]);
    return hidden === null ? answer : withhold(answer, hidden, view.viewer);
  };
}

export async function blindRuns(view: BlindView, read: () => Promise<RunSummary[]>): Promise<RunSummary[]> {
  const [runs, hidden] = await Promise.all([read(), view.hiddenRuns()]);
  if (hidden.length === 0) return runs;
  const byRun = new Map(hidden.map((each) => [each.run, each.hidden]));
  return runs.map((run) => withheldSummary(run, byRun.get(run.id) ?? []));
}

export const blindRun = inRun<RunSummary>((summary, { hidden }) => {
  // Summaries count own steps.
  const from = (summary.parent?.step ?? 0) + 1;
  return withheldSummary(
    summary,
    hidden.filter((piece) => piece.from >= from),
  );
});

export async function blindHeads(
  view: BlindView,
  read: (run: string, from: number, to: number) => Promise<StepHead[]>,
  run: string,
  from: number,
  to: number,
): Promise<StepHead[]> {
  const [heads, hidden] = await Promise.all([read(run, from, to), view.hidden(run, from, to)]);
  if (hidden === null) return heads;
  return heads.map((head) =>
    holds(hidden.steps, head.step) && !head.decided.includes(view.viewer.uuid) ? withheldHead(head) : head,
  );
}

export async function blindStep(
  view: BlindView,
  read: (run: string, step: number) => Promise<StepDetail>,
  run: string,
  step: number,
): Promise<StepDetail> {
  const [detail, hidden] = await Promise.all([read(run, step), view.hidden(run, step, step)]);
  const { uuid } = view.viewer;
  const isBlind = hidden !== null && !detail.head.decided.includes(uuid);
  return isBlind ? withheldDetail(detail, uuid) : detail;
}

export async function blindMatches(
  view: BlindView,
  read: (run: string, query: StepQuery) => Promise<number[]>,
  run: string,
  query: StepQuery,
): Promise<number[]> {
  const hidden = asksOpinions(query) ? await view.hidden(run) : null;
  return hidden === null ? read(run, query) : matchesAround(view, run, query, hidden);
}

export async function blindCount(
  view: BlindView,
  read: (run: string, query: StepQuery) => Promise<number>,
  run: string,
  query: StepQuery,
): Promise<number> {
  const hidden = asksOpinions(query) ? await view.hidden(run) : null;
  return hidden === null ? read(run, query) : (await matchesAround(view, run, query, hidden)).length;
}

interface Nearest {
  step: number | null;
  total: number;
}

export async function blindNearest(
  view: BlindView,
  read: (run: string, queries: readonly StepQuery[], from: number, direction: 1 | -1) => Promise<Nearest>,
  run: string,
  queries: readonly StepQuery[],
  from: number,
  direction: 1 | -1,
): Promise<Nearest> {
  const hidden = queries.some(asksOpinions) ? await view.hidden(run) : null;
  if (hidden === null) return read(run, queries, from, direction);
  const found = await Promise.all(queries.map((query) => matchesAround(view, run, query, hidden)));
  const steps = [...new Set(found.flat())].sort((a, b) => a - b);
  const step = direction === 1 ? steps.find((each) => each >= from) : steps.findLast((each) => each <= from);
  return { step: step ?? null, total: steps.length };
}

/** Hidden steps match as if nobody had said anything about them. */
async function matchesAround(
  view: BlindView,
  run: string,
  query: StepQuery,
  hidden: Withheld,
): Promise<number[]> {
  const found = (await view.matches(run, query)).filter((step) => !holds(hidden.steps, step));
  if (!matchesUnspoken(query)) return found;
  const unspoken = await view.matches(run, withoutOpinions(query));
  const more = unspoken.filter((step) => holds(hidden.steps, step));
  return [...found, ...more].sort((a, b) => a - b);
}

export const blindFacets = inRun<StepFacets>((facets, hidden) => {
  const out = new Map(hidden.rules.map(({ value, count }) => [value, count]));
  const rules = facets.rules.map(({ value, count }) => ({ value, count: count - (out.get(value) ?? 0) }));
  return {
    ...facets,
    rules: rules.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count),
  };
});

export const blindRuleCounts = inRun<Partial<Record<string, number>>>((counts, hidden) => {
  const out = new Map(hidden.rules.map(({ value, count }) => [value, count]));
  const left = Object.entries(counts).map(([rule, n = 0]) => [rule, n - (out.get(rule) ?? 0)] as const);
  return Object.fromEntries(left.filter(([, n]) => n > 0));
});

export async function blindRulePreview<Settings>(
  view: BlindView,
  read: (runs: string[], settings: Settings) => Promise<RulePreview>,
  runs: string[],
  settings: Settings,
): Promise<RulePreview> {
  const hidden = await Promise.all(runs.map((run) => view.hidden(run)));
  if (hidden.some((each) => each !== null)) throw notYet('see what rules would change');
  return read(runs, settings);
}

export const blindTiles = inRun<Tile[]>((tiles, { hidden }) => withheldTiles(tiles, hidden, TILE_STEPS));

export const blindSegments = inRun<SegmentView[]>((segments, { hidden }) =>
  withheldSegments(segments, hidden),
);

/** For a search, which may be narrowed by what people and machines have said. */
export async function blindSearch<
  Request extends { run: string | null; filter?: StepQuery | undefined },
  Answer,
>(view: BlindView, read: (request: Request) => Promise<Answer>, request: Request): Promise<Answer> {
  const { run, filter } = request;
  if (filter !== undefined && asksOpinions(filter)) {
    const hides = run === null ? (await view.hiddenRuns()).length > 0 : (await view.hidden(run)) !== null;
    if (hides) throw notYet('search by labels');
  }
  return read(request);
}

export async function blindSimilar(
  view: BlindView,
  read: (run: string, step: number) => Promise<SimilarSteps>,
  run: string,
  step: number,
): Promise<SimilarSteps> {
  const hidden = await view.hidden(run);
  if (hidden !== null && holds(hidden.steps, step)) throw notYet('look for similar steps');
  const similar = await read(run, step);
  return hidden === null ? similar : { ...similar, ...withoutHidden(similar, hidden) };
}

export const blindPreview = inRun<LabelPreview>(withoutHidden);

export const blindRetroMask = inRun<RetroMask | null>((mask, { steps }) => {
  if (mask === null) return mask;
  const seen = without([{ from: mask.from, to: mask.to }], steps);
  return stepsIn(seen) === mask.to - mask.from + 1 ? mask : null;
});

/** Totals by reason would still tell how others decided. */
export const blindExamples = inRun<DecidedExamples[]>(() => []);

export const blindStats = inRun<RunStats>((stats) => ({ ...stats, masks: [], rules: [], people: [] }));

/** How long people spent on which steps tells how hard they found them. */
export async function blindExperiment(
  view: BlindView,
  read: (name: string) => Promise<ExperimentRun[]>,
  name: string,
): Promise<ExperimentRun[]> {
  const [runs, hidden] = await Promise.all([read(name), view.hiddenRuns()]);
  const blind = new Set(hidden.map(({ run }) => run));
  return runs.map((run) => (blind.has(run.run) ? { ...run, review: null } : run));
}

/** Without the steps that are to be decided: a figure over them would tell what was said of them. */
export async function blindJudgeQuality(
  view: BlindView,
  read: (asked: AskedQuality, hidden?: ReadonlyMap<string, readonly StepRange[]>) => Promise<JudgeQuality>,
  asked: AskedQuality,
): Promise<JudgeQuality> {
  const blind = new Map<string, StepRange[]>();
  for (const run of (await view.hiddenRuns()).map((each) => each.run)) {
    blind.set(run, (await view.hidden(run))?.steps ?? []);
  }
  return read(asked, blind);
}

export const blindAnnotations = inRun<AnnotationEntry[]>((entries, _hidden, viewer) => by(viewer, entries));

export const blindAnnotationPage = inRun<{ entries: AnnotationEntry[]; last: number | null }>(
  (page, _hidden, viewer) => ({ ...page, entries: by(viewer, page.entries) }),
);

function by(viewer: Author, entries: AnnotationEntry[]): AnnotationEntry[] {
  return entries.filter(({ author }) => author.uuid === viewer.uuid);
}

/** An entry's id may be anybody's, so what others said is never found by it, hidden or not. */
export async function blindEntry(
  view: BlindView,
  read: (ulid: string) => Promise<StoredEntry | null>,
  ulid: string,
): Promise<StoredEntry | null> {
  const found = await read(ulid);
  if (found === null || 'outbox' in found) return found;
  return found.annotation.author.uuid === view.viewer.uuid ? found : null;
}

/** Steps that are to be decided blind are decided one by one: no decision about many takes them along. */
function withoutHidden(preview: LabelPreview, { steps, hidden }: Withheld): LabelPreview {
  const parts = without(preview.parts, steps);
  const out = preview.parts.reduce(
    (sum, { from, to }) => {
      const counts = hiddenIn(hidden, from, to);
      return {
        train: sum.train + counts.train,
        mask: sum.mask + counts.mask,
        undecided: sum.undecided + counts.undecided,
        decided: sum.decided + counts.decided,
      };
    },
    { train: 0, mask: 0, undecided: 0, decided: 0 },
  );
  return {
    ...preview,
    parts,
    steps: stepsIn(parts),
    now: {
      train: preview.now.train - out.train,
      mask: preview.now.mask - out.mask,
      undecided: preview.now.undecided - out.undecided,
    },
    decided: preview.decided - out.decided,
  };
}

function notYet(what: string): WaymarkError {
  return new WaymarkError(
    'refused',
    `Some steps of this run are yours to decide without knowing what others say. Decide them, then you can ${what}.`,
  );
}
