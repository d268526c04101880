import type { RewardSignal } from '@shared/contract/export-request';
import { outcomeFor } from '@shared/runs/outcome';
import type { RunPlan, StepPlan } from '../run-plan';
import { acceptsJudge, acceptsPolicy, standardised, stepReward, type Vote } from './advantages';
import { voteKind, votesOf } from './votes';

/** Why a step has no reward, in the order in which it is asked. */
export const noRewardReasons = ['not_scored', 'task_too_easy_or_hard', 'no_votes'] as const;
export type NoReward = (typeof noRewardReasons)[number];

export interface StepRewards {
  /** R, before standardisation. */
  raw: number;
  /** R standardised over the runs of the same task that reach this step; absent outside of 1/8 to 7/8 successes. */
  advantage: number | NoReward;
  /** Whether the task's judgements train the reward model. */
  judged: boolean;
  votes: readonly Vote[];
}

/** +1 when the final score reaches the task's `success_at`, else −1; null when the run was never scored. */
export function outcomeOf({ created, scores }: Pick<RunPlan, 'created' | 'scores'>): 1 | -1 | null {
  return outcomeFor(created.spec, scores);
}

/** One version of one task: its runs are compared with each other. */
function taskKey({ created }: Pick<RunPlan, 'created'>): string {
  return JSON.stringify([created.task.id, created.task.hash]);
}

/**
 * Rewards of every finished step, by run and step number. Summary turns have none. Runs without a final score are in no
 * population; a step without votes is in none where the signal needs votes.
 */
export function stepRewards(
  runs: readonly RunPlan[],
  signal: RewardSignal,
): Map<string, Map<number, StepRewards | NoReward>> {
  const places = stepPlaces(runs);
  const kind = voteKind(runs);
  const table = new Map<string, Map<number, StepRewards | NoReward>>();
  for (const group of groups(runs, taskKey)) {
    const scored = group.flatMap((run) => {
      const outcome = outcomeOf(run);
      return outcome === null ? [] : [{ run, outcome }];
    });
    const successes = scored.filter(({ outcome }) => outcome === 1).length;
    const policy = acceptsPolicy(successes, scored.length);
    const judged = acceptsJudge(successes, scored.length);
    for (const run of group) table.set(run.created.run, new Map(unscored(run)));
    const open: { place: number; run: string; step: number; rewards: StepRewards }[] = [];
    for (const { run, outcome } of scored) {
      for (const step of stepsOf(run)) {
        const votes = votesOf(step, kind);
        const raw = stepReward(outcome, votes, signal);
        const own = table.get(run.created.run);
        if (raw === null) own?.set(step.step, policy || judged ? 'no_votes' : 'task_too_easy_or_hard');
        else {
          const place = places.get(run.created.run)?.get(step.step) ?? step.step;
          const rewards: StepRewards = { raw, advantage: 'task_too_easy_or_hard', judged, votes };
          own?.set(step.step, rewards);
          open.push({ place, run: run.created.run, step: step.step, rewards });
        }
      }
    }
    if (!policy) continue;
    for (const reached of groups(open, ({ place }) => String(place))) {
      const advantages = standardised(
        reached.map(({ rewards }) => rewards.raw),
        'raw',
      );
      for (const [index, { rewards }] of reached.entries()) rewards.advantage = advantages[index] ?? 0;
    }
  }
  return table;
}

/** Own steps, summary turns left out, in order. */
function stepsOf({ segments }: RunPlan): StepPlan[] {
  return segments.flatMap(({ steps }) => steps);
}

function unscored(run: RunPlan): [number, NoReward][] {
  return stepsOf(run).map(({ step }) => [step, 'not_scored']);
}

/**
 * Which step of its trajectory each step is, from 1, by run and step number. Summary turns have numbers but are no steps of the
 * trajectory; a branch counts on from the step it left the other run after.
 */
export function stepPlaces(runs: readonly RunPlan[]): Map<string, Map<number, number>> {
  const byId = new Map(runs.map((run) => [run.created.run, run]));
  const places = new Map<string, Map<number, number>>();
  for (const start of runs) {
    // A parent's places come first, however long the line of branches is.
    const line: RunPlan[] = [];
    for (let run: RunPlan | undefined = start; run !== undefined && !line.includes(run); ) {
      if (places.has(run.created.run)) break;
      line.push(run);
      run = byId.get(run.created.parent?.run ?? '');
    }
    for (const run of line.reverse()) places.set(run.created.run, placesIn(run, places));
  }
  return places;
}

function placesIn({ created, segments }: RunPlan, known: ReadonlyMap<string, Map<number, number>>) {
  const { parent } = created;
  let place = parent === null ? 0 : (known.get(parent.run)?.get(parent.step) ?? parent.step);
  const own = new Map<number, number>();
  const numbers = segments.flatMap(({ steps, unfinished }) => [
    ...steps.map(({ step }) => step),
    ...unfinished,
  ]);
  for (const step of numbers.sort((a, b) => a - b)) {
    place += 1;
    own.set(step, place);
  }
  return own;
}

/** In the order in which each key is met first. */
function groups<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
  }
  return [...found.values()];
}
