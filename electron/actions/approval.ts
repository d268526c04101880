import { type CommandClass, programClasses, strictest } from '@shared/contract/command-policy';
import type { ParsedCall, StandingAnswers } from '../agent/ports';
import { readCommand } from './command-findings';
import { kindsOf, runsCode, typingKind } from './command-kinds';
import { hasHarmlessUse, isHarmless, programName } from './harmless-commands';
import { type LiteralCommand, readLiteral } from './literal-command';
import { pathArguments } from './parse-call';
import type { PlaceRules } from './readable-paths';
import { sessionKeys } from './session-desk';
import type { ActionTaskView } from './task-view';
import { isInside, shownFolderOf, whyNotInShown } from './workspace-files';

const mostReasons = 5;
const mostKinds = 8;

/** What a person is asked. `kinds`: what they can allow for the rest of the run; absent where that cannot be said. */
export interface ApprovalQuestion {
  what: string;
  why: string;
  kinds?: string[];
}

export const nothingAllowed: StandingAnswers = { kinds: new Set(), wrote: false };

/**
 * What a human must allow where approvals are on; null when nothing is to be asked. Commands are asked about unless they are
 * read to the last letter and are on a list: the harmless ones, the task's, or the kinds a person allowed in this run. So a
 * mistake of the reader is a question too many. What is to be refused is the guards' business (`refusedCommands`).
 */
export function approvalQuestion(
  call: ParsedCall,
  task: ActionTaskView,
  standing: StandingAnswers = nothingAllowed,
): ApprovalQuestion | null {
  if (call.name === 'run_command') return aboutCommand(String(call.args.command ?? ''), task, standing);
  if (call.name === 'input_in_session') return aboutTyping(call, standing);
  return aboutFile(call, task);
}

function aboutCommand(
  command: string,
  task: ActionTaskView,
  standing: StandingAnswers,
): ApprovalQuestion | null {
  const { classes } = task.commands;
  const { findings, rulings } = readCommand(command, task.workspaceRoot, task.commands);
  const found = [
    ...findings.filter((each) => classes[each.class] === 'ask').map((each) => each.why),
    ...rulings.filter(({ rule }) => rule.decide === 'ask').map(({ rule }) => rule.why.replace(/\.$/, '')),
  ];
  const strict = judge(command, task, standing);
  const reasons = [...new Set([...found.map(sentence), ...strict.why])].slice(0, mostReasons);
  if (reasons.length === 0) return null;
  // A kind must not cover what is asked about for a reason of its own.
  const offered = found.length === 0 && strict.kinds !== null && strict.kinds.length <= mostKinds;
  return question(command, reasons, offered ? strict.kinds : null);
}

const question = (what: string, reasons: readonly string[], kinds: string[] | null): ApprovalQuestion => ({
  what,
  why: reasons.map((reason) => `${reason}.`).join(' '),
  ...(kinds === null || kinds.length === 0 ? {} : { kinds }),
});

/** As findings are written they continue one; the name of a program at the start stays as it is. */
const sentence = (finding: string) =>
  finding.replace(/^(?:it|what|the|a) /, (word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`);

/** Why a command is not on any list; and the kinds that would put it there, null when none can. */
function judge(
  command: string,
  task: ActionTaskView,
  standing: StandingAnswers,
): { why: string[]; kinds: string[] | null } {
  if (task.commands.classes.unreadable === 'allow') return { why: [], kinds: [] };
  const read = readLiteral(command);
  if ('problem' in read) return { why: [read.problem], kinds: null };
  const places = placesOf(task);
  const left: LiteralCommand[] = [];
  const kinds = new Set<string>();
  let nameable = true;
  for (const each of read.commands) {
    const allowed = isHarmless(each, places) || (byTask(each, task) && !(runsCode(each) && standing.wrote));
    if (allowed) continue;
    const needed = kindsOf(each, places);
    if (needed?.every((kind) => standing.kinds.has(kind))) continue;
    left.push(each);
    nameable &&= needed !== null;
    for (const kind of needed ?? []) if (!standing.kinds.has(kind)) kinds.add(kind);
  }
  return { why: reasonsFor(left, standing), kinds: nameable ? [...kinds] : null };
}

/** Sentences without their full stops about commands that are on no list. */
function reasonsFor(commands: readonly LiteralCommand[], { wrote }: StandingAnswers): string[] {
  const why: string[] = [];
  const unlisted = new Set<string>();
  const otherwise = new Set<string>();
  for (const command of commands) {
    const name = programName(command) ?? command.words[0]?.text ?? '';
    if (runsCode(command) && wrote)
      why.push(`${name} may run files that the agent has written since a person last answered`);
    else if (command.outputs.length > 0) why.push(`It writes ${command.outputs[0]}`);
    else if (hasHarmlessUse(name)) otherwise.add(name);
    else unlisted.add(name);
  }
  if (otherwise.size > 0)
    why.push(
      `${[...otherwise].join(', ')} ${otherwise.size > 1 ? 'run' : 'runs'} without asking, but not with these arguments`,
    );
  if (unlisted.size > 0)
    why.push(`Not on the list of commands that run without asking: ${[...unlisted].join(', ')}`);
  return why;
}

/** A rule of the task allows it by name, or its class is one that the task allows. */
function byTask(command: LiteralCommand, task: ActionTaskView): boolean {
  const name = programName(command);
  if (name === null || command.outputs.length > 0) return false;
  const words = command.words.map(({ text }) => text);
  const { rules, classes } = task.commands;
  const rule = rules.find((each) => each.program === name && each.with.every((word) => words.includes(word)));
  if (rule !== undefined) return rule.decide === 'allow';
  const known = classOf.get(name);
  return known !== undefined && classes[known] === 'allow';
}

const classOf: ReadonlyMap<string, CommandClass> = new Map(
  programClasses.flatMap((row) => row.names.split(' ').map((name) => [name, row.class] as const)),
);

const placesOf = ({ workspaceRoot, computers }: ActionTaskView): PlaceRules => ({
  roots: [...new Set([workspaceRoot, ...computers.map(({ cwd }) => cwd)])],
});

/** What is typed goes to whatever runs there, a shell among it; a single control key only interrupts or ends. */
function aboutTyping({ args }: ParsedCall, { kinds }: StandingAnswers): ApprovalQuestion | null {
  const text = String(args.input_text ?? '');
  const session = String(args.session_id ?? '');
  const kind = typingKind(session);
  if (sessionKeys.test(text) || kinds.has(kind)) return null;
  const why = [`It types into the session ${session}, and whatever runs there reads it`];
  return question(text, why, /^[\w.-]{1,40}$/.test(session) ? [kind] : null);
}

function aboutFile({ name, args }: ParsedCall, task: ActionTaskView): ApprovalQuestion | null {
  const path = args[Object.hasOwn(pathArguments, name) ? (pathArguments[name] ?? '') : ''];
  if (typeof path !== 'string' || !path.startsWith('/')) return null;
  // A person showed it to the run.
  if (shownFolderOf(path, task) !== undefined && whyNotInShown(name, path, task) === null) return null;
  const outside = !isInside(path, task.workspaceRoot) || path.split('/').includes('..');
  return outside ? question(`${name} ${path}`, ['The path is outside the workspace'], null) : null;
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
      .map((each) => `This task does not allow that: ${each.why}. Find another way.`),
    ...rulings
      .filter(({ rule }) => rule.decide === 'refuse')
      .map(({ rule, program }) => `${program} is not allowed in this task: ${rule.why}`),
  ];
  return [...new Set(found)];
}
