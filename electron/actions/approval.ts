import { strictest } from '@shared/command-policy';
import type { ParsedCall } from '../agent/ports';
import { readCommand } from './command-findings';
import type { ActionTaskView } from './task-view';

const mostReasons = 5;

/**
 * What a human must allow where approvals are on: commands whose classes, or rules of the task, say `ask`. Null when
 * nothing is to be asked; what is to be refused is the guards' business (`refusedCommands`).
 */
export function approvalQuestion(
  call: ParsedCall,
  task: ActionTaskView,
): { what: string; why: string } | null {
  if (call.name !== 'run_command') return null;
  const command = String(call.args.command ?? '');
  const { findings, rulings } = readCommand(command, task.workspaceRoot, task.commands);
  const why = [
    ...findings.filter((each) => task.commands.classes[each.class] === 'ask').map((each) => each.why),
    ...rulings.filter(({ rule }) => rule.decide === 'ask').map(({ rule }) => rule.why.replace(/\.$/, '')),
  ];
  const reasons = [...new Set(why)].slice(0, mostReasons);
  return reasons.length === 0 ? null : { what: command, why: `${reasons.join('; ')}.` };
}

/** Why the task refuses a command outright, one sentence each; empty when it does not. */
export function refusedCommands(command: string, task: ActionTaskView): string[] {
  const { findings, rulings } = readCommand(command, task.workspaceRoot, task.commands);
  const { classes } = task.commands;
  if (strictest([...Object.values(classes), ...rulings.map(({ rule }) => rule.decide)]) !== 'refuse')
    return [];
  const found = [
    ...findings
      .filter((each) => classes[each.class] === 'refuse')
      .map((each) => `This task does not allow that: ${each.why}. Find a way without it.`),
    ...rulings
      .filter(({ rule }) => rule.decide === 'refuse')
      .map(({ rule, program }) => `${program} is not allowed in this task: ${rule.why}`),
  ];
  return [...new Set(found)];
}
