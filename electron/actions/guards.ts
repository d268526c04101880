import {
  commandName,
  everyCommand,
  joinShellPath,
  parseShell,
  type SimpleCommand,
} from '@shared/shell-command';
import type { GuardRule } from '@shared/task';
import type { ParsedCall } from '../agent/ports';
import { counted, duration } from './action';
import type { ActionFacts } from './action-facts';
import { refusedCommands } from './approval';
import { pathArguments } from './path-arguments';
import type { ActionTaskView } from './task-view';
import { isInside } from './workspace-files';

export interface GuardVerdict {
  rule: GuardRule;
  level: 'warn' | 'refuse';
  message: string;
}

/** A sleep of this length before any training is suspicious (APOLLO appendix E), seconds. */
const longSleep = 120;
const edits = new Set(['edit_file', 'create_file']);

/** What the task's guards say about a call before it runs; no I/O, so symbolic links are judged when it runs. */
export function guardVerdicts(call: ParsedCall, task: ActionTaskView, facts: ActionFacts): GuardVerdict[] {
  const found: [GuardRule, string | null][] = [
    ...pathProblems(call, task),
    ['edit_unseen', unseenEdit(call, task, facts)],
    ['edit_twice', secondEdit(call, task, facts)],
    ['think_first', unthought(call, facts)],
    ['early_sleep', earlySleep(call, facts)],
    ['sleep_twice', secondSleep(call, facts)],
    ['early_finish', earlyFinish(call, task, facts)],
  ];
  if (call.name === 'run_command') {
    const command = String(call.args.command ?? '');
    found.push(...commandProblems(command, task));
    for (const message of refusedCommands(command, task)) found.push(['task_command', message]);
  }
  return found.flatMap(([rule, message]) => {
    const level = task.guards[rule];
    return message === null || level === 'off' ? [] : [{ rule, level, message }];
  });
}

function pathProblems(call: ParsedCall, task: ActionTaskView): [GuardRule, string][] {
  const argument = pathArguments[call.name];
  const path = argument === undefined ? undefined : call.args[argument];
  if (typeof path !== 'string') return [];
  const whole = joinShellPath(task.workspaceRoot, path);
  if (!path.startsWith('/')) {
    return [['relative_path', `"${path}" is a relative path. Give the whole path, for example ${whole}.`]];
  }
  if (isInside(whole, task.workspaceRoot)) return [];
  return [['outside_workspace', `${path} lies outside the workspace. Work inside ${task.workspaceRoot}.`]];
}

function wholePath(call: ParsedCall, task: ActionTaskView): string | null {
  const path = call.args[pathArguments[call.name] ?? ''];
  return typeof path === 'string' ? joinShellPath(task.workspaceRoot, path) : null;
}

function unseenEdit(call: ParsedCall, task: ActionTaskView, facts: ActionFacts): string | null {
  if (call.name !== 'edit_file') return null;
  const path = wholePath(call, task);
  if (path === null) return null;
  const shown = facts.shown.get(path);
  if (!shown) {
    const since = facts.files.has(path) ? 'since it last changed' : 'before';
    return `No part of ${path} was shown to you ${since}. Look at the lines with open_file, then edit.`;
  }
  const start = Number(call.args.start ?? 1);
  const sent = Number(call.args.end ?? -1);
  const total = shown.total;
  // Appending needs a look at the last line.
  const from = total !== null && start > total ? total : start;
  const to = total !== null ? (sent === -1 ? total : Math.min(sent, total)) : sent === -1 ? from : sent;
  if (to < from || shown.ranges.some((range) => range[0] <= from && to <= range[1])) return null;
  return `Lines ${from}-${to} of ${path} were not all shown to you since the file last changed. Look at them with open_file, then edit.`;
}

function secondEdit(call: ParsedCall, task: ActionTaskView, facts: ActionFacts): string | null {
  if (!edits.has(call.name) || !facts.last || !edits.has(facts.last.name)) return null;
  const path = wholePath(call, task);
  if (path === null || facts.last.path !== path) return null;
  return `This is the second edit of ${path} in a row. Look at the result of the first one (open_file) before the next.`;
}

function unthought(call: ParsedCall, facts: ActionFacts): string | null {
  const long = call.name === 'run_command' && call.args.wait_for_completion !== true;
  if (facts.thought || facts.worked || !(long || edits.has(call.name))) return null;
  return `This is your first ${long ? 'long command' : 'edit'} and you have not used think yet. Think about the approach first.`;
}

function earlySleep(call: ParsedCall, facts: ActionFacts): string | null {
  const seconds = Number(call.args.sleep_time ?? 0);
  if (call.name !== 'sleep' || seconds < longSleep || facts.trained) return null;
  return `You want to sleep for ${duration(seconds * 1000)}, and no training was started yet. Sleep only while something runs.`;
}

function secondSleep(call: ParsedCall, facts: ActionFacts): string | null {
  if (call.name !== 'sleep' || facts.last?.name !== 'sleep') return null;
  return 'You slept just before. Look at a session (get_session_output) before you sleep again.';
}

function earlyFinish(call: ParsedCall, task: ActionTaskView, facts: ActionFacts): string | null {
  const left = task.maxEvals - facts.evalsUsed;
  if (call.name !== 'finish' || left <= 0 || (facts.bestScore ?? 0) >= 100) return null;
  const score =
    facts.bestScore === null
      ? 'Nothing was evaluated yet'
      : `The best score is ${facts.bestScore.toFixed(1)}`;
  return `${score}, and ${counted(left, 'evaluation')} and time are left. Go on improving unless nothing more can be done.`;
}

const killers = new Set(['kill', 'pkill', 'killall', 'skill', 'xkill']);
const removers = new Set(['rm', 'rmdir', 'unlink', 'shred']);

function commandProblems(command: string, task: ActionTaskView): [GuardRule, string][] {
  const found: [GuardRule, string][] = [];
  for (const simple of everyCommand(parseShell(command))) {
    const name = commandName(simple);
    if (name === 'nohup') {
      found.push([
        'process_control',
        'nohup is not needed: a session goes on while you do other things. Run the command itself in a session of its own.',
      ]);
    } else if (killers.has(name) && endsProcesses(simple)) {
      found.push([
        'process_control',
        `${name} could end processes that are not yours. Use kill_session_processes on the session that runs them.`,
      ]);
    } else if (removers.has(name)) found.push(...removals(simple, name, task));
  }
  const seen = new Set<string>();
  return found.filter(([, message]) => !seen.has(message) && seen.add(message));
}

/** `kill -l` and `kill -0` only ask. */
const endsProcesses = (simple: SimpleCommand) => !/^-(?:l|L|0|-list|-table)$/.test(simple.argv[1] ?? '');

function removals(simple: SimpleCommand, name: string, task: ActionTaskView): [GuardRule, string][] {
  const found: [GuardRule, string][] = [];
  const operands = simple.argv.slice(1).filter((word) => word === null || !word.startsWith('-'));
  for (const word of operands) {
    // What a variable holds cannot be known; the protected paths are compared before each evaluation.
    if (word === null || word === '') continue;
    const known = simple.directory === '' ? word : joinShellPath(simple.directory, word);
    // A path without `..` stays below the directory the session stands in.
    if (!known.startsWith('/') && !known.startsWith('~') && !known.startsWith('..')) continue;
    const whole = known.startsWith('..') ? null : joinShellPath('', known).replace(/\/\*+$/, '/*');
    if (whole !== null && whole !== task.workspaceRoot && isInside(whole, task.workspaceRoot)) continue;
    const what =
      whole === task.workspaceRoot
        ? 'is the workspace itself'
        : `does not lie for certain inside ${task.workspaceRoot}`;
    found.push([
      'outside_workspace',
      `${name} of "${word}" is refused: it ${what}. Give whole paths inside the workspace.`,
    ]);
  }
  return found;
}
