import type { Tool } from '@shared/event-parts';
import type { ParsedCall } from '../agent/ports';
import type { ActionDefinition, ActionParam, ArgumentValue } from './action';
import type { ActionTaskView } from './task-view';

type Parsed = { ok: true; call: ParsedCall } | { ok: false; problem: string };

const isRequired = (param: ActionParam, task: ActionTaskView) =>
  param.required === 'several' ? task.computers.length > 1 : param.required === true;

/** The description of an action for this task. */
export function describeAction(action: ActionDefinition, task: ActionTaskView): string {
  return typeof action.description === 'string' ? action.description : action.description(task);
}

/** An action as an OpenAI-style tool. Defaults are part of the schema; only what is really required is required. */
export function toolOf(action: ActionDefinition, task: ActionTaskView): Tool {
  const offered = action.params.filter((param) => !param.ignored);
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
        additionalProperties: false,
      },
    },
  };
}

function propertyOf(param: ActionParam): Record<string, unknown> {
  return {
    type: param.type,
    description: param.description,
    ...(param.default === undefined ? {} : { default: param.default }),
    ...(param.min === undefined ? {} : { minimum: param.min }),
    ...(param.max === undefined ? {} : { maximum: param.max }),
  };
}

const kindWords = { string: 'text', integer: 'a whole number', number: 'a number', boolean: 'true or false' };

function signature(action: ActionDefinition, task: ActionTaskView): string {
  const names = action.params
    .filter((param) => !param.ignored)
    .map((param) => `${param.name}${isRequired(param, task) ? '' : '?'} (${kindWords[param.type]})`);
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
): Parsed {
  const action = actions.get(name);
  if (!action) {
    return {
      ok: false,
      problem: `There is no action named "${shown(name).slice(1, -1)}" here. The actions are: ${[...actions.keys()].join(', ')}.`,
    };
  }
  const say = (problem: string): Parsed => ({
    ok: false,
    problem: `${problem} ${name} ${signature(action, task)}.`,
  });
  let sent: unknown;
  try {
    sent = argumentsText.trim() === '' ? {} : JSON.parse(argumentsText);
  } catch (error) {
    return say(
      `The arguments of ${name} are not valid JSON (${(error as Error).message}). Send one JSON object and escape quotes and line breaks inside strings.`,
    );
  }
  if (sent === null) sent = {};
  if (typeof sent !== 'object' || Array.isArray(sent)) {
    return say(`The arguments of ${name} must be one JSON object, not ${shown(sent)}.`);
  }
  const known = new Map(action.params.map((param) => [param.name, param]));
  const args: Record<string, ArgumentValue> = {};
  for (const [key, raw] of Object.entries(sent as Record<string, unknown>)) {
    const param = known.get(key);
    if (!param) return say(`${name} has no parameter "${shown(key).slice(1, -1)}".`);
    const optional = !isRequired(param, task);
    if (raw === null || raw === undefined) continue;
    if (typeof raw === 'string' && absent.has(raw) && optional && !(raw === '' && param.emptyIsValue))
      continue;
    const value = coerce(param, raw);
    if (value === undefined) {
      if (param.ignored) continue;
      return say(`\`${key}\` of ${name} must be ${kindWords[param.type]}, not ${shown(raw)}.`);
    }
    if (value === '' && !param.emptyIsValue) return say(`\`${key}\` of ${name} must not be empty.`);
    const ranged = inRange(param, value);
    if (typeof value === 'number' && typeof ranged === 'string')
      return say(`\`${key}\` of ${name} ${ranged}.`);
    args[key] = ranged;
  }
  const missing = action.params.filter((param) => isRequired(param, task) && args[param.name] === undefined);
  if (missing.length > 0) {
    return say(`${name} needs ${missing.map((param) => `\`${param.name}\``).join(' and ')}.`);
  }
  return { ok: true, call: { name, args } };
}
