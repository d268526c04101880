import { createHash } from 'node:crypto';
import { boundText } from '@shared/base/bounded-text';
import type { StepQuery } from '@shared/contract/step-query';
import { joined, type StepRange } from '@shared/contract/step-range';
import type { SegmentView } from '@shared/contract/views';
import type { JudgedRequest, JudgedSteps } from '@shared/judging/batch';
import { type JudgedRun, judgeRequest, markFor } from '@shared/judging/judge-request';
import { type JudgedTurn, judgedTurn, TURNS_TOGETHER } from '@shared/judging/judged-turn';
import { readVerdicts, type Verdict } from '@shared/judging/verdicts';
import { type JudgeWindow, summaryContext, WindowCutter } from '@shared/judging/windows';
import { type AnnotationFold, foldAnnotations } from '@shared/labels/annotation-fold';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { ModelRef } from '@shared/log/event-parts';
import { z } from 'zod';
import { allAnnotations } from '../dataset/event-pages';
import { type StepOwner, stepOwners, unlessRemoved } from '../review/step-owners';
import { creationOf } from '../runs/steer/change-run';
import type { Store } from '../store/api';
import type { Judged, JudgeTask } from './judge-task';
import { readAhead } from './read-ahead';
import { type Rubric, type Rubrics, rubricsFor } from './rubric';

/** Who judges, and by what. */
export interface Judge {
  /** As its votes are signed. */
  name: string;
  model: ModelRef;
  rubrics: Rubrics;
  /** A rubric is tried: only steps are asked about, and what is known of it already are verdicts of its trials as well. */
  isTrial?: boolean | undefined;
}

const queries: Readonly<Record<Exclude<JudgedSteps, 'all' | 'changed'>, StepQuery>> = {
  undecided: { label: ['undecided'] },
  disagreeing: { marks: ['disagreement'] },
};

type JudgedStore = Pick<Store, 'reader'>;

const taskSchema = z.object({
  description: z.string().default(''),
  evaluation: z.object({ max_score: z.number().default(100) }).default({ max_score: 100 }),
});
/** Few enough that what is purged meanwhile is soon no longer shown. */
const PAGES_AHEAD = 4;
/** Estimated tokens of a verdict on one turn. */
const TOKENS_PER_VERDICT = 90;
/** Most characters of the task and of the summary before a segment. */
const DESCRIPTION = 4_000;
const BEFORE = 16_000;

/**
 * What this judge has still to judge in the runs, window by window, with no more than one segment in memory. A step that
 * branches share is judged once, where it was made; steps of removed runs, also of such as are removed meanwhile, and purged ones are
 * left out. Windows do not depend on what is judged
 * already, so a batch that was killed goes on where it stood.
 */
export async function* judgeTasks(
  store: JudgedStore,
  runs: readonly string[],
  judge: Judge,
  which: JudgedSteps = 'all',
  isStale: StaleVote = async () => false,
): AsyncGenerator<JudgeTask> {
  const standing = new StandingVotes(store, judge, which === 'changed' ? isStale : null);
  for (const run of new Set(runs)) {
    const reading = Promise.all([
      stepOwners(store.reader, run),
      store.reader.segments(run),
      creationOf(store, run),
      chosenSteps(store.reader, run, which),
    ]);
    const read = await unlessRemoved(reading);
    if (read === null) continue;
    const [owners, segments, created, chosen] = read;
    const about = aboutRun(created);
    const rubrics = rubricsFor(judge.rubrics, created.task.id);
    for (const segment of segments) {
      const open = await standing.openIn(owners, segment, chosen, rubrics);
      if (open.size === 0) continue;
      const told = await toldBefore(store, run, owners, segment);
      for await (const window of windowsIn(store, run, segment)) {
        const left = window.judged.flatMap(({ step }) => (open.has(step) ? [step] : []));
        if (left.length === 0 || (judge.isTrial === true && window.rubric === 'summaries')) continue;
        const rubric = rubrics[window.rubric];
        const requestFor = requestsAbout({ ...about, ...told }, window, judge.model, rubric);
        yield {
          run,
          owners,
          open: left,
          outputTokens: (asked) => asked * TOKENS_PER_VERDICT,
          requestFor,
          shown: (asked, frame) => shownBy(run, window, asked, frame),
          read: ({ calls }, asked) => readVerdicts(calls, window, asked).map(judgedBy(rubric.version)),
        };
      }
    }
  }
}

/**
 * The exact request of a mask judge that showed and asked this, made from the log anew. Null: its steps are gone, or it is of no
 * segment.
 */
export async function maskRequest(
  store: JudgedStore,
  { model, rubrics }: Pick<Judge, 'model' | 'rubrics'>,
  { run, rubric, context, judged, asked }: JudgedRequest,
): Promise<Record<string, unknown> | null> {
  if (rubric === 'reward') return null;
  const read = await unlessRemoved(
    Promise.all([
      stepOwners(store.reader, run),
      store.reader.segments(run),
      creationOf(store, run),
      turnsIn(store, run, context),
      turnsIn(store, run, judged),
    ]),
  );
  const first = judged[0]?.from ?? 0;
  const segment = read?.[1].find(({ firstStep, lastStep }) => firstStep <= first && first <= lastStep);
  if (read === null || segment === undefined) return null;
  const [owners, , created, before, turns] = read;
  const [summary] = turns;
  const shown = rubric === 'summaries' && summary !== undefined ? summaryContext(before, summary) : before;
  const told = await toldBefore(store, run, owners, segment);
  const window = { rubric, context: shown, judged: turns };
  const goesBy = rubricsFor(rubrics, created.task.id)[rubric];
  return requestsAbout({ ...aboutRun(created), ...told }, window, model, goesBy)(asked);
}

async function turnsIn(
  { reader }: JudgedStore,
  run: string,
  ranges: readonly StepRange[],
): Promise<JudgedTurn[]> {
  const turns: JudgedTurn[] = [];
  for (const { from, to } of ranges) {
    for (let at = from; at <= to; at += TURNS_TOGETHER)
      turns.push(...(await reader.judgedTurns(run, at, Math.min(to, at + TURNS_TOGETHER - 1))));
  }
  return turns;
}

function aboutRun({ spec, task }: Awaited<ReturnType<typeof creationOf>>) {
  const { description, evaluation } = taskSchema.catch(taskSchema.parse({})).parse(spec);
  return {
    title: task.title,
    description: boundText(description, 'left out for the judge', DESCRIPTION),
    maxScore: evaluation.max_score,
  };
}

/** Makes the requests about some turns of a window. */
function requestsAbout(
  run: JudgedRun,
  window: JudgeWindow,
  model: ModelRef,
  rubric: Rubric,
): (asked: readonly number[]) => Record<string, unknown> {
  const shown = [...window.context, ...window.judged].map((turn) => turn.text);
  const texts = [run.title, run.description, run.before ?? '', ...shown];
  // Who only counts makes no request.
  let mark: string | undefined;
  return (asked) => {
    mark ??= markFor(createHash('sha256').update(JSON.stringify(texts)).digest('hex'), texts);
    return judgeRequest(model, rubric, run, window, { asked, mark });
  };
}

/** Numbers of the steps to be judged; null: all of them, or those that the judge's own votes choose. */
export async function chosenSteps(
  reader: Pick<Store['reader'], 'matches'>,
  run: string,
  which: JudgedSteps,
): Promise<ReadonlySet<number> | null> {
  return which === 'all' || which === 'changed' ? null : new Set(await reader.matches(run, queries[which]));
}

const shownBy = (
  run: string,
  window: JudgeWindow,
  asked: readonly number[],
  frame: string,
): JudgedRequest => ({
  run,
  rubric: window.rubric,
  context: joined(window.context.map(stepOf)),
  judged: joined(window.judged.map(stepOf)),
  asked: [...asked],
  frame,
});

const stepOf = ({ step }: JudgedTurn) => ({ from: step, to: step });

/** Written out, in the order of `judgeVote`: so it is stored as it is, without a copy. There are thousands. */
const judgedBy =
  (rubric: string) =>
  ({ step, value, confidence, reason, why, steps }: Verdict): Judged => ({
    step,
    op: { op: 'judge', value, confidence, reason, why, steps, rubric },
    against: value === 'mask',
    unparsable: false,
  });

/** Each window as soon as its turns are read: the first ones are being judged while the next are read. */
async function* windowsIn(
  store: JudgedStore,
  run: string,
  segment: SegmentView,
): AsyncGenerator<JudgeWindow> {
  const cutter = new WindowCutter();
  for await (const turns of readAhead(pagesOf(store, run, segment), PAGES_AHEAD)) {
    for (const turn of turns ?? []) {
      const full = cutter.add(turn);
      if (full === null) continue;
      yield full;
      // The request about it gets on its way before the next one is made.
      await new Promise(setImmediate);
    }
  }
  yield* cutter.end();
}

/** The segment's turns; null for those of a run that has been removed. */
function* pagesOf(
  { reader }: JudgedStore,
  run: string,
  { firstStep, lastStep }: SegmentView,
): Generator<Promise<JudgedTurn[] | null>, void> {
  for (let from = firstStep; from <= lastStep; from += TURNS_TOGETHER)
    yield unlessRemoved(reader.judgedTurns(run, from, Math.min(lastStep, from + TURNS_TOGETHER - 1)));
}

/** What a judge is told of the time before the segment; nothing where the run that made the summary has been removed. */
async function toldBefore(
  { reader }: JudgedStore,
  run: string,
  owners: readonly StepOwner[],
  { summaryStep }: SegmentView,
): Promise<Pick<JudgedRun, 'before' | 'currentScore'>> {
  const isHere = owners.some(
    ({ from, to, gone }) => !gone && summaryStep !== null && from <= summaryStep && summaryStep <= to,
  );
  const summary = summaryStep === null || !isHere ? null : await unlessRemoved(reader.step(run, summaryStep));
  return {
    before: summary === null ? null : boundText(judgedTurn(summary).text, 'left out for the judge', BEFORE),
    currentScore: summary?.scoreThen ?? null,
  };
}

/** Whether what a vote was given for is no longer what the log shows. */
export type StaleVote = (vote: AnnotationEntry) => Promise<boolean>;

/** What was said about a run's own steps: its entries by id, their fold, and versions of rubrics that were tried, by step. */
interface SaidInRun {
  entries: ReadonlyMap<string, AnnotationEntry>;
  fold: AnnotationFold;
  tried: ReadonlySet<number>;
}

/** Which steps have a vote of the judge by the rubric already. */
class StandingVotes {
  private readonly runs = new Map<string, SaidInRun>();
  /** Steps that an earlier run of the same batch has handed out, by the run that holds them. */
  private readonly taken = new Set<string>();

  /** `isStale`: only steps that were judged before are wanted, where the rubric is another one or the vote is stale. */
  constructor(
    private readonly store: JudgedStore,
    private readonly judge: Judge,
    private readonly isStale: StaleVote | null,
  ) {}

  async openIn(
    owners: readonly StepOwner[],
    { firstStep, lastStep }: SegmentView,
    chosen: ReadonlySet<number> | null,
    { steps, summaries }: Rubrics,
  ): Promise<Set<number>> {
    const versions = [steps.version, summaries.version];
    const open = new Set<number>();
    for (const { run, from, to, gone } of owners) {
      if (gone || to < firstStep || from > lastStep) continue;
      const said = await unlessRemoved(this.saidIn(run, steps.version));
      if (said === null) continue;
      for (let step = Math.max(from, firstStep); step <= Math.min(to, lastStep); step += 1) {
        if (chosen?.has(step) === false || said.tried.has(step)) continue;
        if (this.taken.has(`${run} ${step}`) || !(await this.isOpen(said, step, versions))) continue;
        this.taken.add(`${run} ${step}`);
        open.add(step);
      }
    }
    return open;
  }

  private async isOpen(
    { fold, entries }: SaidInRun,
    step: number,
    versions: readonly string[],
  ): Promise<boolean> {
    const mine = fold.at(step).judges.filter(({ judge }) => judge === this.judge.name);
    // Two that differ were made without sight of each other and merged: a newer one takes their place.
    const isJudged =
      mine.some(({ rubric }) => versions.includes(rubric)) &&
      mine.every(({ value }) => value === mine[0]?.value);
    if (this.isStale === null) return !isJudged;
    if (mine.length === 0 || !isJudged) return mine.length > 0;
    for (const { entry } of mine) {
      const vote = entries.get(entry);
      if (vote !== undefined && (await this.isStale(vote))) return true;
    }
    return false;
  }

  private async saidIn(run: string, rubric: string): Promise<SaidInRun> {
    const known = this.runs.get(run);
    if (known !== undefined) return known;
    const { reader } = this.store;
    const entries = await allAnnotations(reader, run);
    const by = { judge: this.judge.name, rubric };
    const tried = this.judge.isTrial === true ? await reader.triedSteps(run, by) : [];
    const said = {
      entries: new Map(entries.map((entry) => [entry.ulid, entry])),
      fold: foldAnnotations(entries),
      tried: new Set(tried.map(({ step }) => step)),
    };
    this.runs.set(run, said);
    return said;
  }
}
