import { WaymarkError } from '@shared/contract/errors';
import type { AskedQuality } from '@shared/contract/judge-views';
import { joined, type StepRange } from '@shared/contract/step-range';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { type JudgeQuality, QualityFold } from '@shared/labels/judge-quality';
import { stepsIn, without } from '@shared/labels/review/step-ranges';
import { truthOf } from '@shared/labels/step-truth';
import { outcomeFor } from '@shared/runs/outcome';
import { LAST_SEQ } from '../file/rows';
import { ownersOf, runOrNull } from '../log/run-owners';
import { LabelProjection } from '../projections/label-projection';
import { findRun, type ReadContext, readEvents } from './read-context';

/** Steps between two turns of other reads. */
const STEPS_TOGETHER = 1_000;

/**
 * How good judges are on the steps of these runs; a step that several of them share counts once, where it was made. Left out are steps
 * of removed runs, and `hidden` ones. @throws WaymarkError not_found, also where nobody of the name of `truth` has said anything
 */
export async function readJudgeQuality(
  context: ReadContext,
  { runs, truth }: AskedQuality,
  hidden: ReadonlyMap<string, readonly StepRange[]> = new Map(),
): Promise<JudgeQuality> {
  const fold = new QualityFold(truth);
  let withheld = 0;
  for (const [ulid, asked] of askedSteps(context, runs)) {
    const seen = without(asked, joined(hidden.get(ulid) ?? []));
    withheld += stepsIn(asked) - stepsIn(seen);
    const run = aboutRun(context, ulid);
    // Removed meanwhile.
    if (run === null) continue;
    for (const { from, to } of seen) {
      for (let first = from; first <= to; first += STEPS_TOGETHER) {
        addSteps(context, run, { from: first, to: Math.min(to, first + STEPS_TOGETHER - 1) }, fold);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  const found = fold.figures(withheld);
  if (truth !== null && !speaks(found, truth)) {
    throw new WaymarkError(
      'not_found',
      `Nobody called "${truth}" has labelled, judged or rated a step of these runs. Choose a person or a judge that has.`,
    );
  }
  return found;
}

function speaks({ labellers, judges, rewards }: JudgeQuality, name: string): boolean {
  return (
    labellers.includes(name) ||
    judges.some(({ judge }) => judge === name) ||
    rewards.raters.some(({ judge }) => judge === name)
  );
}

/** Pieces of the runs by the run that made them. */
function askedSteps(context: ReadContext, runs: readonly string[]): Map<string, StepRange[]> {
  const asked = new Map<string, StepRange[]>();
  for (const run of new Set(runs)) {
    const record = findRun(context, run);
    for (const { run: owner, from, to } of ownersOf(context, record, 1, LAST_SEQ)) {
      const last = Math.min(to, owner?.state.steps ?? 0);
      if (owner === null || from > last) continue;
      asked.set(owner.ulid, joined([...(asked.get(owner.ulid) ?? []), { from, to: last }]));
    }
  }
  return asked;
}

interface JudgedRun {
  id: number;
  task: string;
  outcome: 1 | -1 | null;
}

function aboutRun(context: ReadContext, ulid: string): JudgedRun | null {
  const run = runOrNull(context, ulid);
  if (run === null) return null;
  const [created] = readEvents(context, run, 1, 1, 1, false);
  if (created?.kind !== 'run.created') return null;
  const { task, spec } = created.body;
  return { id: run.id, task: task.id, outcome: outcomeFor(spec, run.state.scores) };
}

function addSteps(context: ReadContext, run: JudgedRun, within: StepRange, fold: QualityFold): void {
  const labels = new LabelProjection(context.statements);
  const entries = labels.ranges.overlapping(run.id, [within]);
  if (entries.length === 0) return;
  const said = foldAnnotations(entries, [within]);
  const rules = labels.verdicts(run.id, within.from, within.to);
  const { task, outcome } = run;
  for (const { from, to, decisions } of said.ranges) {
    const { humans, judges, rewards } = decisions;
    for (let step = from; step <= to; step += 1)
      fold.addStep({ humans, judges, rewards, rules: rules.get(step) ?? [], task, outcome });
  }
  fold.addHistory({
    entries,
    within: [within],
    truth: (step) => truthOf(said.at(step), fold.truth)?.value ?? null,
  });
}
