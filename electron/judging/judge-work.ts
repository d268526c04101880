import { createHash } from 'node:crypto';
import { boundText } from '@shared/base/bounded-text';
import type { StepQuery } from '@shared/contract/step-query';
import { joined } from '@shared/contract/step-range';
import type { SegmentView } from '@shared/contract/views';
import type { JudgedRequest, JudgedSteps } from '@shared/judging/batch';
import { type JudgedRun, judgeRequest, markFor } from '@shared/judging/judge-request';
import { type JudgedTurn, judgedTurn, TURNS_TOGETHER } from '@shared/judging/judged-turn';
import { readVerdicts, type Verdict } from '@shared/judging/verdicts';
import { type JudgeWindow, WindowCutter } from '@shared/judging/windows';
import { type AnnotationFold, foldAnnotations } from '@shared/labels/annotation-fold';
import type { ModelRef } from '@shared/log/event-parts';
import { z } from 'zod';
import { allAnnotations } from '../dataset/event-pages';
import { type StepOwner, stepOwners, unlessRemoved } from '../review/step-owners';
import { creationOf } from '../runs/steer/change-run';
import type { Store } from '../store/api';
import type { Judged, JudgeTask } from './judge-task';
import type { Rubrics } from './rubric';

/** Who judges, and by what. */
export interface Judge {
  /** As its votes are signed. */
  name: string;
  model: ModelRef;
  rubrics: Rubrics;
}

const queries: Readonly<Record<Exclude<JudgedSteps, 'all'>, StepQuery>> = {
  undecided: { label: ['undecided'] },
  disagreeing: { marks: ['disagreement'] },
};

type JudgedStore = Pick<Store, 'reader'>;

const taskSchema = z.object({
  description: z.string().default(''),
  evaluation: z.object({ max_score: z.number().default(100) }).default({ max_score: 100 }),
});
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
): AsyncGenerator<JudgeTask> {
  const standing = new StandingVotes(store, judge);
  for (const run of new Set(runs)) {
    const reading = Promise.all([
      stepOwners(store.reader, run),
      store.reader.segments(run),
      creationOf(store, run),
      which === 'all' ? null : store.reader.matches(run, queries[which]),
    ]);
    const read = await unlessRemoved(reading);
    if (read === null) continue;
    const [owners, segments, created, matching] = read;
    const { description, evaluation } = taskSchema.catch(taskSchema.parse({})).parse(created.spec);
    const about = {
      title: created.task.title,
      description: boundText(description, 'left out for the judge', DESCRIPTION),
      maxScore: evaluation.max_score,
    };
    const chosen = matching === null ? null : new Set(matching);
    for (const segment of segments) {
      const open = await standing.openIn(owners, segment, chosen);
      if (open.size === 0) continue;
      const told = await toldBefore(store, run, owners, segment);
      for await (const window of windowsIn(store, run, segment)) {
        const left = window.judged.flatMap(({ step }) => (open.has(step) ? [step] : []));
        if (left.length === 0) continue;
        const rubric = judge.rubrics[window.rubric];
        const shown = [...window.context, ...window.judged].map((turn) => turn.text);
        const texts = [about.title, about.description, told.before ?? '', ...shown];
        const mark = markFor(createHash('sha256').update(JSON.stringify(texts)).digest('hex'), texts);
        yield {
          run,
          owners,
          open: left,
          outputTokens: (asked) => asked * TOKENS_PER_VERDICT,
          requestFor: (asked) =>
            judgeRequest(judge.model, rubric, { ...about, ...told }, window, { asked, mark }),
          shown: (asked, frame) => shownBy(run, window, asked, frame),
          read: ({ calls }, asked) => readVerdicts(calls, window, asked).map(judgedBy(rubric.version)),
        };
      }
    }
  }
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

const judgedBy =
  (rubric: string) =>
  ({ step, ...verdict }: Verdict): Judged => ({
    step,
    op: { op: 'judge', ...verdict, rubric },
    against: verdict.value === 'mask',
    unparsable: false,
  });

/** Each window as soon as its turns are read, so that the first ones are being judged while the rest is read. */
async function* windowsIn(
  { reader }: JudgedStore,
  run: string,
  { firstStep, lastStep }: SegmentView,
): AsyncGenerator<JudgeWindow> {
  const cutter = new WindowCutter();
  for (let from = firstStep; from <= lastStep; from += TURNS_TOGETHER) {
    const to = Math.min(lastStep, from + TURNS_TOGETHER - 1);
    for (const turn of (await unlessRemoved(reader.judgedTurns(run, from, to))) ?? []) {
      const full = cutter.add(turn);
      if (full !== null) yield full;
    }
  }
  yield* cutter.end();
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

/** Which steps have a vote of the judge by the rubric already. */
class StandingVotes {
  private readonly folds = new Map<string, AnnotationFold>();
  /** Steps that an earlier run of the same batch has handed out, by the run that holds them. */
  private readonly taken = new Set<string>();

  constructor(
    private readonly store: JudgedStore,
    private readonly judge: Judge,
  ) {}

  async openIn(
    owners: readonly StepOwner[],
    { firstStep, lastStep }: SegmentView,
    chosen: ReadonlySet<number> | null,
  ): Promise<Set<number>> {
    const versions = [this.judge.rubrics.steps.version, this.judge.rubrics.summaries.version];
    const open = new Set<number>();
    for (const { run, from, to, gone } of owners) {
      if (gone || to < firstStep || from > lastStep) continue;
      const fold = await unlessRemoved(this.foldOf(run));
      if (fold === null) continue;
      for (let step = Math.max(from, firstStep); step <= Math.min(to, lastStep); step += 1) {
        if (chosen?.has(step) === false) continue;
        const mine = fold.at(step).judges.filter(({ judge }) => judge === this.judge.name);
        // Two that differ were made without sight of each other and merged: a newer one takes their place.
        const isJudged =
          mine.some(({ rubric }) => versions.includes(rubric)) &&
          mine.every(({ value }) => value === mine[0]?.value);
        if (isJudged || this.taken.has(`${run} ${step}`)) continue;
        this.taken.add(`${run} ${step}`);
        open.add(step);
      }
    }
    return open;
  }

  private async foldOf(run: string): Promise<AnnotationFold> {
    const known = this.folds.get(run);
    if (known !== undefined) return known;
    const fold = foldAnnotations(await allAnnotations(this.store.reader, run));
    this.folds.set(run, fold);
    return fold;
  }
}
