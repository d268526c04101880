import { isOfJsonType } from '@shared/base/json';
import { WaymarkError } from '@shared/contract/errors';
import type { Correction } from '@shared/log/annotations';
import type { Store } from '../store/api';
import type { OfferedTool } from '../store/values';

/**
 * A correction is what the model should have answered, so its call must be one that the model could have made: JSON
 * arguments, and, where the run's log says what was offered, a tool of that list with the parameters it takes.
 * @throws WaymarkError bad_input
 */
export async function checkCorrection(
  reader: Pick<Store['reader'], 'offeredTools'>,
  run: string,
  step: number,
  { call }: Correction,
): Promise<void> {
  const given = argumentsOf(call);
  const tools = await reader.offeredTools(run, step);
  if (tools.length === 0) return;
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).sort();
    throw bad(`Step ${step} was not offered the action "${call.name}". Offered were: ${names.join(', ')}.`);
  }
  checkParameters(tool, given);
}

function argumentsOf(call: Correction['call']): Record<string, unknown> {
  const given = parse(call.arguments);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw bad(`The arguments of "${call.name}" must be a JSON object such as {"command": "ls"}.`);
  }
  return given as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WaymarkError('bad_input', 'The arguments are not valid JSON.', (error as Error).message);
  }
}

interface ToolParameters {
  properties?: Record<string, { type?: unknown }>;
  required?: unknown;
}

/** Names and plain types; what else a schema may say is left to whoever runs the call. */
function checkParameters({ name, parameters }: OfferedTool, given: Record<string, unknown>): void {
  const { properties, required } = parameters as ToolParameters;
  const needed = Array.isArray(required) ? required.filter((each) => typeof each === 'string') : [];
  const missing = needed.filter((each) => !(each in given));
  if (missing.length > 0) throw bad(`"${name}" also needs: ${missing.join(', ')}.`);
  if (properties === undefined) return;
  const unknown = Object.keys(given).filter((each) => !Object.hasOwn(properties, each));
  if (unknown.length > 0) {
    const takes = Object.keys(properties).sort().join(', ');
    throw bad(
      `"${name}" does not take: ${unknown.join(', ')}. It takes: ${takes === '' ? 'nothing' : takes}.`,
    );
  }
  for (const [key, value] of Object.entries(given)) {
    const type = properties[key]?.type;
    if (typeof type === 'string' && !isOfJsonType(value, type))
      throw bad(`"${key}" of "${name}" must be: ${type}.`);
  }
}

function bad(message: string): WaymarkError {
  return new WaymarkError('bad_input', message);
}
