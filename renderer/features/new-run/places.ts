import type { CommandInput } from '@shared/contract/ipc';
import type { TaskRow } from '@shared/contract/ipc/application';

export type TaskComputer = TaskRow['computers'][number];

/** What the person chose where it differs from what the task says. */
export interface Choices {
  /** Task computer → `local` or a host alias. */
  hosts: Readonly<Record<string, string>>;
  approvals: Readonly<Record<string, 'on' | 'off'>>;
}

export const noChoices: Choices = { hosts: {}, approvals: {} };

/** `local`, or the alias of the host a computer of the task is on in this run. */
export function hostFor(computer: TaskComputer, choices: Choices): string {
  return choices.hosts[computer.name] ?? computer.host;
}

/** What holds when nobody chooses. A task may set another machine aside, but not this one. */
export function defaultApprovals(computer: TaskComputer, choices: Choices): 'on' | 'off' {
  const moved = computer.host !== 'local' && hostFor(computer, choices) === 'local';
  return moved ? 'on' : computer.approvals;
}

export function approvalsFor(computer: TaskComputer, choices: Choices): 'on' | 'off' {
  return choices.approvals[computer.name] ?? defaultApprovals(computer, choices);
}

/** Computers an action can name; the evaluator is none of them. */
export function usable(task: Pick<TaskRow, 'computers'>): TaskComputer[] {
  return task.computers.filter(({ evaluator }) => !evaluator);
}

/** Computers of the task on which the agent works and that are this machine, or the one that drives the run. */
export function worksHere(task: Pick<TaskRow, 'computers'>, choices: Choices): TaskComputer[] {
  return usable(task).filter((computer) => hostFor(computer, choices) === 'local');
}

/** Two computers of the task on one machine, which a run cannot have; null when there are none. */
export function sharedMachine(
  task: Pick<TaskRow, 'computers'>,
  choices: Choices,
): { host: string; names: [string, string] } | null {
  const taken = new Map<string, string>();
  for (const computer of usable(task)) {
    const host = hostFor(computer, choices);
    const other = taken.get(host);
    if (other !== undefined) return { host, names: [other, computer.name] };
    taken.set(host, computer.name);
  }
  return null;
}

/** True when the agent's commands run on the machine that evaluates. */
export function sharesEvaluator(task: Pick<TaskRow, 'computers'>, choices: Choices): boolean {
  const evaluator = task.computers.find((computer) => computer.evaluator);
  const evaluates = evaluator === undefined ? 'local' : hostFor(evaluator, choices);
  return usable(task).some((computer) => hostFor(computer, choices) === evaluates);
}

/** The part of `runs.start` that says where the computers are and where people are asked; everything by name. */
export function placesInput(
  task: Pick<TaskRow, 'computers'>,
  choices: Choices,
): Pick<CommandInput<'runs.start'>, 'computers' | 'approvals' | 'computerApprovals'> {
  const asked = usable(task).map((computer) => [computer.name, approvalsFor(computer, choices)] as const);
  return {
    computers: Object.fromEntries(
      task.computers.map((computer) => [computer.name, hostFor(computer, choices)]),
    ),
    approvals: asked.some(([, approvals]) => approvals === 'on') ? 'on' : 'off',
    computerApprovals: Object.fromEntries(asked),
  };
}
