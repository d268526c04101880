import type { Loop } from './loop-types';
import type { ModelFailure } from './ports';

type Request = Record<string, unknown>;

/** Parameters that some OpenAI-compatible endpoints refuse by name, and what to send instead. */
const REMEDIES: readonly { named: RegExp; mend(request: Request): Request | null }[] = [
  {
    named: /max_completion_tokens/u,
    mend: (request) => rename(request, 'max_tokens', 'max_completion_tokens'),
  },
  { named: /stream_options|include_usage/u, mend: (request) => without(request, 'stream_options') },
  { named: /temperature/u, mend: (request) => without(request, 'temperature') },
];

/**
 * Before the first step, a request that was refused for one of its parameters is mended by opening the segment
 * again without it; after the first step the parameters of a segment never change. True when it was mended.
 */
export async function mendRefusedParameter(loop: Loop, failure: ModelFailure): Promise<boolean> {
  const { context, run } = loop.state;
  if (
    run.step > 0 ||
    failure.code !== 'model_rejected' ||
    (failure.status !== 400 && failure.status !== 422)
  ) {
    return false;
  }
  for (const { named, mend } of REMEDIES) {
    const request = named.test(failure.message) ? mend(context.request) : null;
    if (request !== null) {
      // With hints that joined the task already: they stay in the context from then on.
      const head = context
        .messages()
        .flatMap(({ message }) =>
          message.role === 'tool' ? [] : [{ role: message.role, content: message.content }],
        );
      const { segment, tools } = context;
      await loop.ports.recorder.record([
        { kind: 'segment.started', body: { segment, head, tools, request } },
      ]);
      return true;
    }
  }
  return false;
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
