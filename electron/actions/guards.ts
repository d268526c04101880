import { counted, duration } from '@shared/base/amounts';
import { cutLine, fewOf, quotable, sentenceLimit } from '@shared/base/bounded-text';
import type { GuardRule } from '@shared/contract/task';
import { isTimeLeft } from '@shared/runs/detectors/early-finish';
import { commandName, everyCommand, joinShellPath, parseShell } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import type { ParsedCall } from '../agent/ports';
import { type FileEdit, isBlind, isSecondEdit } from '../label/file-edit';
import type { ActionFacts } from './action-facts';
import { refusedCommands } from './approval';
import { pathArguments } from './parse-call';
import type { ActionTaskView } from './task-view';
import { isInside, shownFolderOf, whyNotInShown } from './workspace-files';

export interface GuardVerdict {
  rule: GuardRule;
  level: 'warn' | 'refuse';
  message: string;
}

const edits = new Set(['edit_file', 'create_file']);

/**
 * What the task's guards say about a call of `step` before it runs; no I/O, so symbolic links are judged when it runs. Of edits
 * only a refusal is said here: what is to be said of one that was made is known afterwards (`editNotices`), as of a sleep.
 */
export function guardVerdicts(
  call: ParsedCall,
  task: ActionTaskView,
  facts: ActionFacts,
  step: number,
): GuardVerdict[] {
  const found: [GuardRule, string | null][] = [
    ...pathProblems(call, task),
    ...refusedEdits(call, task, facts, step),
    ['think_first', unthought(call, facts)],
    ['sleep_twice', secondSleep(call, facts)],
    ['early_finish', earlyFinish(call, task, facts)],
  ];
  if (call.name === 'run_command') {
    const command = String(call.args.command ?? '');
    found.push(...commandProblems(command, task));
    for (const message of refusedCommands(command, task)) found.push(['task_command', message]);
  }
  const said = new Map<GuardRule, string[]>();
  for (const [rule, message] of found) {
    if (message !== null) said.set(rule, [...(said.get(rule) ?? []), cutLine(message, sentenceLimit)]);
  }
  return [...said].flatMap(([rule, messages]) => {
    const level = task.guards[rule];
    return level === 'off' ? [] : fewOf(messages).map((message) => ({ rule, level, message }));
  });
}

function pathProblems(call: ParsedCall, task: ActionTaskView): [GuardRule, string][] {
  const argument = pathArguments[call.name];
  const path = argument === undefined ? undefined : call.args[argument];
  if (typeof path !== 'string') return [];
  const whole = joinShellPath(task.workspaceRoot, path);
  if (!path.startsWith('/')) {
    return [
      [
        'relative_path',
        `"${quotable(path)}" is a relative path. Give the absolute path, for example ${quotable(whole)}.`,
      ],
    ];
  }
  if (isInside(whole, task.workspaceRoot)) return [];
  if (shownFolderOf(path, task) !== undefined) {
    const why = whyNotInShown(call.name, path, task);
    return why === null ? [] : [['outside_workspace', why]];
  }
  return [
    ['outside_workspace', `${quotable(path)} is outside the workspace. Work inside ${task.workspaceRoot}.`],
  ];
}

function wholePath(call: ParsedCall, task: ActionTaskView): string | null {
  const path = call.args[pathArguments[call.name] ?? ''];
  return typeof path === 'string' ? joinShellPath(task.workspaceRoot, path) : null;
}

function refusedEdits(
  call: ParsedCall,
  task: ActionTaskView,
  { sight }: ActionFacts,
  step: number,
): [GuardRule, string][] {
  const path = edits.has(call.name) ? wholePath(call, task) : null;
  if (path === null) return [];
  const edit = sight.expected(path, step, call.name === 'edit_file');
  return editProblems(edit).filter(([rule]) => task.guards[rule] === 'refuse');
}

/** What is said to the agent of the edits that an action has made: what the label rules will say of them, by the same words. */
export function editNotices(made: readonly FileEdit[], task: ActionTaskView): GuardVerdict[] {
  const said = new Map<GuardRule, GuardVerdict>();
  for (const [rule, message] of made.flatMap(editProblems)) {
    if (task.guards[rule] !== 'off' && !said.has(rule)) said.set(rule, { rule, level: 'warn', message });
  }
  return [...said.values()];
}

function editProblems(edit: FileEdit): [GuardRule, string][] {
  const { changedAt } = edit;
  const path = quotable(edit.path);
  if (isBlind(edit)) {
    const since = changedAt === null ? '' : ' since it last changed';
    return [
      ['edit_unseen', `You have not seen any part of ${path}${since}. Look at a file before you change it.`],
    ];
  }
  return isSecondEdit(edit)
    ? [
        [
          'edit_twice',
          `This is the second edit of ${path} in a row. Look at the result of one edit before you make the next.`,
        ],
      ]
    : [];
}

function unthought(call: ParsedCall, facts: ActionFacts): string | null {
  const long = call.name === 'run_command' && call.args.wait_for_completion !== true;
  if (facts.thought || facts.worked || !(long || edits.has(call.name))) return null;
  return `This is your first ${long ? 'long command' : 'edit'} and you have not used think yet. Think about the approach first.`;
}

function secondSleep(call: ParsedCall, facts: ActionFacts): string | null {
  if (call.name !== 'sleep' || facts.last?.name !== 'sleep' || facts.last.held) return null;
  return 'You just slept. Check a session (get_session_output) before you sleep again.';
}

function earlyFinish(call: ParsedCall, task: ActionTaskView, facts: ActionFacts): string | null {
  const left = task.maxEvals - facts.evalsUsed;
  if (call.name !== 'finish' || left <= 0 || (facts.bestScore ?? 0) >= task.maxScore) return null;
  const { time } = task;
  if (time !== null && !isTimeLeft(time.leftMs, time.ofMs)) return null;
  const score =
    facts.bestScore === null
      ? 'Nothing has been evaluated yet'
      : `The best score is ${facts.bestScore.toFixed(1)}`;
  const timeLeft = time === null ? 'time' : `${duration(time.leftMs)} of working time`;
  return `${score}, and ${counted(left, 'evaluation')} and ${timeLeft} are left. Keep improving the result unless nothing more can be done.`;
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
        'nohup is not needed: a session keeps running while you do other things. Run the command itself in its own session.',
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
      whole === task.workspaceRoot ? 'is the workspace itself' : `may be outside ${task.workspaceRoot}`;
    found.push([
      'outside_workspace',
      `${name} "${quotable(word)}" is refused: the path ${what}. Give absolute paths inside the workspace.`,
    ]);
  }
  return found;
}
