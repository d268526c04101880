import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import type { Loop } from './loop-types';
import type { ModelFailure } from './ports';

type Request = Record<string, unknown>;

const MOST_OUTPUT = /at most (\d{2,7}) (?:completion|output) tokens/u;

/** Parameters that some OpenAI-compatible endpoints refuse by name, and what to send instead. */
const REMEDIES: readonly { named: RegExp; mend(request: Request, said: string): Request | null }[] = [
  { named: /parallel_tool_calls/u, mend: (request) => without(request, 'parallel_tool_calls') },
  { named: MOST_OUTPUT, mend: shorten },
  {
    named: /max_completion_tokens/u,
    mend: (request) => rename(request, 'max_tokens', 'max_completion_tokens'),
  },
  { named: /stream_options|include_usage/u, mend: (request) => without(request, 'stream_options') },
  { named: /tool_choice/u, mend: (request) => without(request, 'tool_choice') },
  { named: /temperature/u, mend: (request) => without(request, 'temperature') },
  { named: /top_p/u, mend: (request) => without(request, 'top_p') },
];

/**
 * A request that was refused for one of its parameters is mended before the model's first answer: a new run opens
 * its segment again without it, a later one records the model's request anew. After an answer the parameters never
 * change. True when it was mended.
 */
export async function mendRefusedParameter(loop: Loop, failure: ModelFailure): Promise<boolean> {
  const { context, run } = loop.state;
  const request = run.unproven ? mendedRequest(context.request, failure) : null;
  if (request === null) return false;
  await loop.ports.recorder.record([run.step > 0 ? changed(loop, request) : opened(loop, request)]);
  return true;
}

/** The request without the parameter that the endpoint refused, or with what it takes instead; null: that was not its reason. */
export function mendedRequest(
  request: Request,
  { code, status, message }: Pick<ModelFailure, 'code' | 'status' | 'message'>,
): Request | null {
  if (code !== 'model_rejected' || (status !== 400 && status !== 422)) return null;
  for (const { named, mend } of REMEDIES) {
    const mended = named.test(message) ? mend(request, message) : null;
    if (mended !== null) return mended;
  }
  return null;
}

/** With hints that joined the task already: they stay in the context from then on. */
function opened({ state }: Loop, request: Request): NewEvent {
  const { segment, tools } = state.context;
  const head = state.context.storedHead();
  return { kind: 'segment.started', body: { segment, head, tools, request } };
}

function changed({ state }: Loop, request: Request): NewEvent {
  if (state.run.model === null) {
    throw new WaymarkError('bug', 'The log does not say which model the run asks.');
  }
  return { kind: 'model.changed', body: { model: state.run.model, request, by: 'Waymark' } };
}

/** The longest answer that the endpoint says it gives. */
function shorten(request: Request, said: string): Request | null {
  const most = Number(MOST_OUTPUT.exec(said)?.[1]);
  const name = request.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens';
  const asked = request[name];
  return typeof asked === 'number' && most > 0 && most < asked ? { ...request, [name]: most } : null;
}

function without(request: Request, name: string): Request | null {
  const { [name]: dropped, ...rest } = request;
  return dropped === undefined ? null : rest;
}

function rename(request: Request, from: string, to: string): Request | null {
  return request[from] === undefined
    ? null
    : Object.fromEntries(Object.entries(request).map(([key, value]) => [key === from ? to : key, value]));
}
