import { createHash } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import type { Side, SplitPlan } from './plan';
import type { RunPlan } from './run-plan';

/**
 * Which tasks go to which side. Tasks are ordered by a hash over seed and task id, and the first `share` of them, at least one and
 * never all, are for validation: the same seed and tasks give the same sides on every machine. Tasks that a run and its branches
 * join stay together, because their rows share steps.
 *
 * @param runs with rows
 * @throws WaymarkError `refused` where there is only one such group of tasks: its rows cannot be on two sides
 */
export function planSplit(
  runs: readonly RunPlan[],
  { share, seed }: { share: number; seed: number },
): SplitPlan {
  const groups = groupsOf(runs).map((tasks) => ({ tasks, rank: rankOf(seed, tasks[0] ?? '') }));
  if (groups.length < 2) {
    const [only] = groups;
    const what =
      only === undefined || only.tasks.length < 2
        ? `there is only one task${only === undefined ? '' : `, ${only.tasks[0]}`}`
        : `all ${only.tasks.length} tasks are joined by runs and their branches`;
    throw new WaymarkError(
      'refused',
      `The rows cannot be split: ${what}, and all rows of a task go to one side, so training would be left without any. Add runs of other tasks, or export without a split.`,
    );
  }
  groups.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const number = Math.min(groups.length - 1, Math.max(1, Math.round(share * groups.length)));
  const sorted = (side: typeof groups) => side.flatMap(({ tasks }) => tasks).sort();
  return { share, seed, train: sorted(groups.slice(number)), validation: sorted(groups.slice(0, number)) };
}

/** The side of a run's rows. */
export function sideOf(split: SplitPlan | null, { created }: Pick<RunPlan, 'created'>): Side {
  return split?.validation.includes(created.task.id) === true ? 'validation' : 'train';
}

const rankOf = (seed: number, task: string) => createHash('sha256').update(`${seed} ${task}`).digest('hex');

/** Tasks that a lineage joins, each group sorted. */
function groupsOf(runs: readonly RunPlan[]): string[][] {
  const leaders = new Map<string, string>();
  const leaderOf = (node: string): string => {
    let leader = node;
    for (let next = leaders.get(leader); next !== undefined && next !== leader; next = leaders.get(leader)) {
      leader = next;
    }
    leaders.set(node, leader);
    return leader;
  };
  const join = (one: string, other: string) => leaders.set(leaderOf(one), leaderOf(other));
  for (const { created } of runs) {
    join(`run ${created.run}`, `task ${created.task.id}`);
    if (created.parent !== null) join(`run ${created.run}`, `run ${created.parent.run}`);
  }
  const groups = new Map<string, string[]>();
  for (const task of new Set(runs.map(({ created }) => created.task.id))) {
    const leader = leaderOf(`task ${task}`);
    groups.set(leader, [...(groups.get(leader) ?? []), task]);
  }
  return [...groups.values()].map((tasks) => tasks.sort());
}
