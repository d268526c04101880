import { isObject, type Json, textProblems, unknownKeys } from './problem-checks';

/**
 * The rules of ATIF's reference models (Harbor, as ported by NVIDIA): closed objects, step ids from 1 without gaps, fields that only
 * agent steps may have, results that name a call of their own step.
 */
export function atifProblems(value: Json): string[] {
  return [...documentProblems(value)];
}

function* documentProblems(value: Json): Generator<string> {
  const root = ['schema_version', 'session_id', 'trajectory_id', 'agent', 'steps', 'notes', 'final_metrics'];
  yield* unknownKeys(value, [...root, 'continued_trajectory_ref', 'extra', 'subagent_trajectories'], '');
  if (!/^ATIF-v1\.[0-8]$/.test(String(value.schema_version)))
    yield 'schema_version must be ATIF-v1.0 to ATIF-v1.8';
  yield* textProblems(value.session_id, 'session_id');
  yield* textProblems(value.trajectory_id, 'trajectory_id');
  yield* agentProblems(value.agent);
  if (value.continued_trajectory_ref !== undefined) {
    yield* textProblems(value.continued_trajectory_ref, 'continued_trajectory_ref');
  }
  yield* extraProblems(value.extra, '');
  if (!Array.isArray(value.steps) || value.steps.length === 0) {
    yield 'steps must be a list that is not empty';
    return;
  }
  let trains = false;
  for (const [at, step] of value.steps.entries()) {
    if (!isObject(step)) {
      yield `steps[${at}] must be an object`;
      continue;
    }
    if (step.step_id !== at + 1) yield `steps[${at}].step_id must be ${at + 1}`;
    yield* stepProblems(step, `steps[${at}]`);
    trains ||= maskOf(step) === 1;
  }
  if (!trains) yield 'no step is trained';
}

function maskOf({ extra }: Json): unknown {
  return isObject(extra) && isObject(extra.waymark) ? extra.waymark.mask : undefined;
}

function* agentProblems(agent: unknown): Generator<string> {
  if (!isObject(agent)) {
    yield 'agent must be an object';
    return;
  }
  yield* unknownKeys(agent, ['name', 'version', 'model_name', 'tool_definitions', 'extra'], 'agent');
  yield* textProblems(agent.name, 'agent.name');
  yield* textProblems(agent.version, 'agent.version');
  if (agent.model_name !== undefined) yield* textProblems(agent.model_name, 'agent.model_name');
  const tools = agent.tool_definitions;
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isObject))) {
    yield 'agent.tool_definitions must be a list of objects';
  }
}

function* extraProblems(extra: unknown, where: string): Generator<string> {
  if (extra !== undefined && !isObject(extra))
    yield `${where === '' ? '' : `${where}.`}extra must be an object`;
}

const agentOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];
const anyStep = [
  'step_id',
  'timestamp',
  'source',
  'message',
  'observation',
  'is_copied_context',
  'llm_call_count',
  'extra',
];

function* stepProblems(step: Json, where: string): Generator<string> {
  const agent = step.source === 'agent';
  if (!agent && step.source !== 'user' && step.source !== 'system') {
    yield `${where}.source must be system, user or agent`;
  }
  yield* unknownKeys(step, agent ? [...anyStep, ...agentOnly] : anyStep, where);
  yield* extraProblems(step.extra, where);
  if (Array.isArray(step.message)) yield* partProblems(step.message, `${where}.message`);
  else yield* textProblems(step.message, `${where}.message`);
  if (step.reasoning_content !== undefined)
    yield* textProblems(step.reasoning_content, `${where}.reasoning_content`);
  if (step.is_copied_context !== undefined && typeof step.is_copied_context !== 'boolean') {
    yield `${where}.is_copied_context must be true or false`;
  }
  const mask = maskOf(step);
  if (agent && mask !== 0 && mask !== 1) yield `${where}.extra.waymark.mask must be 0 or 1`;
  if (!agent && mask !== undefined) yield `${where}.extra.waymark.mask is on a step that no model wrote`;
  if (mask === 1 && step.is_copied_context === true)
    yield `${where} is trained and copied: readers leave it out`;
  const ids = new Set<unknown>();
  for (const [at, call] of (Array.isArray(step.tool_calls) ? step.tool_calls : []).entries()) {
    yield* callProblems(call, `${where}.tool_calls[${at}]`);
    if (isObject(call)) ids.add(call.tool_call_id);
  }
  if (step.observation !== undefined)
    yield* observationProblems(step.observation, `${where}.observation`, ids);
}

function* callProblems(call: unknown, where: string): Generator<string> {
  if (!isObject(call)) {
    yield `${where} must be an object`;
    return;
  }
  yield* unknownKeys(call, ['tool_call_id', 'function_name', 'arguments', 'extra'], where);
  yield* textProblems(call.tool_call_id, `${where}.tool_call_id`);
  yield* textProblems(call.function_name, `${where}.function_name`);
  if (!isObject(call.arguments)) yield `${where}.arguments must be an object`;
}

function* observationProblems(
  observation: unknown,
  where: string,
  ids: ReadonlySet<unknown>,
): Generator<string> {
  if (!isObject(observation) || !Array.isArray(observation.results)) {
    yield `${where}.results must be a list`;
    return;
  }
  yield* unknownKeys(observation, ['results'], where);
  for (const [at, result] of observation.results.entries()) {
    const place = `${where}.results[${at}]`;
    if (!isObject(result)) {
      yield `${place} must be an object`;
      continue;
    }
    yield* unknownKeys(result, ['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'], place);
    if (result.source_call_id !== undefined && !ids.has(result.source_call_id)) {
      yield `${place}.source_call_id names no call of the step`;
    }
    if (Array.isArray(result.content)) yield* partProblems(result.content, `${place}.content`);
    else if (result.content !== undefined) yield* textProblems(result.content, `${place}.content`);
    for (const [nth, ref] of (Array.isArray(result.subagent_trajectory_ref)
      ? result.subagent_trajectory_ref
      : []
    ).entries()) {
      yield* refProblems(ref, `${place}.subagent_trajectory_ref[${nth}]`);
    }
  }
}

function* refProblems(ref: unknown, where: string): Generator<string> {
  if (!isObject(ref)) {
    yield `${where} must be an object`;
    return;
  }
  yield* unknownKeys(ref, ['trajectory_id', 'trajectory_path', 'session_id', 'extra'], where);
  if (typeof ref.trajectory_path !== 'string') yield `${where}.trajectory_path must name the file`;
}

function* partProblems(parts: readonly unknown[], where: string): Generator<string> {
  for (const [at, part] of parts.entries()) {
    const place = `${where}[${at}]`;
    if (isObject(part) && part.type === 'text') {
      yield* unknownKeys(part, ['type', 'text'], place);
      yield* textProblems(part.text, `${place}.text`);
    } else if (isObject(part) && part.type === 'image' && isObject(part.source)) {
      yield* unknownKeys(part, ['type', 'source'], place);
      yield* unknownKeys(part.source, ['media_type', 'path'], `${place}.source`);
      if (!/^image\/(?:jpeg|png|gif|webp)$/.test(String(part.source.media_type))) {
        yield `${place}.source.media_type must be JPEG, PNG, GIF or WEBP`;
      }
      yield* textProblems(part.source.path, `${place}.source.path`);
    } else yield `${place} must be a text or an image`;
  }
}
