import { actionNames } from '@shared/contract/task';
import type { Tool } from '@shared/log/event-parts';
import type { ParsedAnswerCall } from '../agent/ports';
import type { ActionDefinition, ActionParam, ArgumentValue } from './action';
import { nearestNames } from './nearest-names';
import type { ActionTaskView } from './task-view';

/** Argument that holds a path, by action. */
export const pathArguments: Record<string, string> = {
  open_file: 'path',
  create_file: 'filename',
  edit_file: 'path',
  search_dir: 'dir_path',
  search_file: 'file_path',
  find_file: 'dir_path',
  list_files: 'path',
};

/** Whether the schema says that it is required. */
const isRequired = (param: ActionParam, task: ActionTaskView) =>
  param.required === 'several' ? task.computers.length > 1 : param.required === true;

/** Whether a call without it is refused: what the paper's tools have a default for is not needed. */
const isNeeded = (param: ActionParam, task: ActionTaskView) => !param.lenient && isRequired(param, task);

/** A parameter that says nothing to this task: there is one computer, and nothing to choose. */
const isOffered = (param: ActionParam, task: ActionTaskView) =>
  !param.ignored && !(param.name === 'computer_ip' && task.computers.length === 1);

/** The action a name stands for: its own, or the paper's (InnovatorBench, appendix F), which ends in `_action`. */
function actionOf(
  actions: ReadonlyMap<string, ActionDefinition>,
  name: string,
): ActionDefinition | undefined {
  const plain = name.replace(/_action$/, '');
  return (
    actions.get(name) ??
    actions.get(plain) ??
    [...actions.values()].find((action) => action.aliases?.includes(plain))
  );
}

/** The description of an action for this task. */
export function describeAction(action: ActionDefinition, task: ActionTaskView): string {
  return typeof action.description === 'string' ? action.description : action.description(task);
}

/** An action as an OpenAI-style tool. Defaults are part of the schema; only what is really required is required. */
export function toolOf(action: ActionDefinition, task: ActionTaskView): Tool {
  const offered = action.params.filter((param) => isOffered(param, task));
  const required = offered.filter((param) => isRequired(param, task)).map((param) => param.name);
  return {
    type: 'function',
    function: {
      name: action.name,
      description: describeAction(action, task),
      parameters: {
        type: 'object',
        properties: Object.fromEntries(offered.map((param) => [param.name, propertyOf(param)])),
        ...(required.length > 0 ? { required } : {}),
      },
    },
  };
}

function propertyOf(param: ActionParam): Record<string, unknown> {
  return {
    type: param.type,
    ...(param.description === undefined ? {} : { description: param.description }),
    // What goes without saying is left out: a smallest number, "no" and nothing as defaults, bounds that only clamp.
    ...(param.default === undefined || param.default === false || param.default === ''
      ? {}
      : { default: param.default }),
    ...(param.max === undefined || param.clamp ? {} : { maximum: param.max }),
  };
}

const kindWords = { string: 'text', integer: 'a whole number', number: 'a number', boolean: 'true or false' };

function signature(action: ActionDefinition, task: ActionTaskView): string {
  const names = action.params
    .filter((param) => isOffered(param, task))
    .map((param) => `${param.name}${isNeeded(param, task) ? '' : '?'} (${kindWords[param.type]})`);
  return names.length === 0 ? 'takes no arguments' : `takes ${names.join(', ')}`;
}

/** Models send these for an optional argument they do not want to give. */
const absent = new Set(['None', 'null', '']);
const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The value in the parameter's type, or undefined when it does not fit. */
function coerce(param: ActionParam, raw: unknown): ArgumentValue | undefined {
  switch (param.type) {
    case 'string':
      if (typeof raw === 'string') return raw;
      return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : undefined;
    case 'boolean': {
      if (typeof raw === 'boolean') return raw;
      if (raw === 0 || raw === 1) return raw === 1;
      const word = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
      return word === 'true' || word === 'false' ? word === 'true' : undefined;
    }
    case 'integer':
    case 'number': {
      const text = typeof raw === 'string' ? raw.trim() : '';
      const value = typeof raw === 'number' ? raw : numeric.test(text) ? Number(text) : Number.NaN;
      if (!Number.isFinite(value) || (param.type === 'integer' && !Number.isSafeInteger(value)))
        return undefined;
      return value;
    }
  }
}

function inRange(param: ActionParam, value: ArgumentValue): ArgumentValue | string {
  if (typeof value !== 'number') return value;
  const { min, max } = param;
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return value;
  if (param.clamp) return Math.min(Math.max(value, min ?? value), max ?? value);
  const range =
    max === undefined
      ? `at least ${min}`
      : min === undefined
        ? `at most ${max}`
        : `between ${min} and ${max}`;
  return `must be ${range}, not ${value}`;
}

const shown = (raw: unknown) => {
  const text = JSON.stringify(raw) ?? String(raw);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** Reads the verbatim argument text of a call. `actions`: those offered in this run, by name. */
export function parseCall(
  actions: ReadonlyMap<string, ActionDefinition>,
  task: ActionTaskView,
  name: string,
  argumentsText: string,
): ParsedAnswerCall {
  const action = actionOf(actions, name);
  const read = readArguments(name, argumentsText);
  const readable = isCallName(name) && 'sent' in read;
  if (!action)
    return { ok: false, readable, problem: isCallName(name) ? noTool(actions, name) : noName(actions, name) };
  const say = (problem: string): ParsedAnswerCall => ({
    ok: false,
    readable,
    problem: `${problem} ${name} ${signature(action, task)}.`,
  });
  if ('problem' in read) return say(read.problem);
  const args: Record<string, ArgumentValue> = {};
  for (const [key, sent] of Object.entries(read.sent)) {
    const param = action.params.find((each) => each.name === key || each.aliases?.includes(key));
    if (!param) return say(`${name} has no parameter "${shown(key).slice(1, -1)}".`);
    const raw = param.meant ? param.meant(sent) : sent;
    if (isAbsent(param, raw, task)) continue;
    if (args[param.name] !== undefined) {
      return say(`\`${key}\` of ${name} means the same as \`${param.name}\`; give only one of them.`);
    }
    const value = coerce(param, raw);
    if (value === undefined) {
      if (param.ignored) continue;
      return say(`\`${key}\` of ${name} must be ${kindWords[param.type]}, not ${shown(sent)}.`);
    }
    if (value === '' && !param.emptyIsValue) return say(`\`${key}\` of ${name} must not be empty.`);
    const why = typeof value === 'string' ? impossible(param, value, action) : null;
    if (why !== null) return say(`\`${key}\` of ${name} is refused. ${why}`);
    const ranged = inRange(param, value);
    if (typeof value === 'number' && typeof ranged === 'string')
      return say(`\`${key}\` of ${name} ${ranged}.`);
    args[param.name] = ranged;
  }
  const missing = action.params.filter((param) => isNeeded(param, task) && args[param.name] === undefined);
  if (missing.length > 0) {
    return say(`${name} needs ${missing.map((param) => `\`${param.name}\``).join(' and ')}.`);
  }
  return { ok: true, call: { name: action.name, args } };
}

/** A person is asked only about what can be done. */
function impossible(param: ActionParam, text: string, { name }: ActionDefinition): string | null {
  if (pathArguments[name] === param.name && text.includes('\0'))
    return 'A path cannot contain a NUL character.';
  return param.problem?.(text) ?? null;
}

function isAbsent(param: ActionParam, raw: unknown, task: ActionTaskView): boolean {
  if (raw === null || raw === undefined) return true;
  if (typeof raw !== 'string') return false;
  if (param.absent?.includes(raw)) return true;
  return absent.has(raw) && !isNeeded(param, task) && !param.emptyIsValue;
}

/**
 * What every endpoint takes as the name of a call. Another name cannot be sent back: each request from then on would be refused
 * for it, so such a call is quoted as text (docs/adr/0020).
 */
const isCallName = (name: string) => /^[\w-]{1,64}$/.test(name);
/** Of a name that is compared with others. */
const LONGEST_NAME = 100;

function noName(actions: ReadonlyMap<string, ActionDefinition>, name: string): string {
  if (name === '') return 'The call names no tool.';
  const wrong = `"${shown(name).slice(1, -1)}" is not a valid tool name, which has 1 to 64 letters, digits, underscores and dashes.`;
  return `${wrong} ${nearest(actions, name)}`;
}

function noTool(actions: ReadonlyMap<string, ActionDefinition>, name: string): string {
  const known = actionNames.some((each) => each === name);
  const what = known ? `The tool "${name}" is not offered in this task.` : `There is no tool "${name}".`;
  return `${what} ${nearest(actions, name)}`;
}

function nearest(actions: ReadonlyMap<string, ActionDefinition>, name: string): string {
  const near = nearestNames(name.slice(0, LONGEST_NAME), [...actions.keys()]);
  return `The nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}.`;
}

function readArguments(name: string, text: string): { sent: Record<string, unknown> } | { problem: string } {
  let sent: unknown;
  try {
    sent = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return {
      problem: `The arguments of ${shown(name).slice(1, -1)} are not valid JSON (${(error as Error).message}). Send one JSON object and escape quotes and line breaks inside strings.`,
    };
  }
  sent ??= {};
  return typeof sent === 'object' && !Array.isArray(sent)
    ? { sent: sent as Record<string, unknown> }
    : {
        problem: `The arguments of ${shown(name).slice(1, -1)} must be one JSON object, not ${shown(sent)}.`,
      };
}
