import type { ModelRef } from '@shared/log/event-parts';

/** Everything of a request's body but tools and messages, in sending order. */
export function requestParams({
  model,
  params,
}: Pick<ModelRef, 'model' | 'params'>): Record<string, unknown> {
  return { model, ...params, stream: true, stream_options: { include_usage: true } };
}
