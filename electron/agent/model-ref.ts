import type { Endpoint } from '@shared/contract/settings';
import type { TaskSpec } from '@shared/contract/task';
import type { ModelRef } from '@shared/log/event-parts';

/** Everything of a request's body but tools and messages, in sending order. */
export function requestParams({
  model,
  params,
}: Pick<ModelRef, 'model' | 'params'>): Record<string, unknown> {
  return { model, ...params, stream: true, stream_options: { include_usage: true } };
}

/** What a run keeps of an endpoint of the settings; the context is no larger than the task allows. Never holds a key. */
export function modelRef(endpoint: Endpoint, spec: Pick<TaskSpec, 'context_tokens'>): ModelRef {
  return {
    endpoint: endpoint.name,
    baseUrl: endpoint.baseUrl,
    model: endpoint.model,
    keyRef: endpoint.keyEnv === '' ? null : endpoint.keyEnv,
    params: {
      temperature: endpoint.temperature,
      max_tokens: endpoint.maxTokens,
      parallel_tool_calls: endpoint.parallelCalls,
    },
    contextTokens: Math.min(endpoint.contextTokens, spec.context_tokens),
    sendReasoning: endpoint.sendReasoning,
    ...(endpoint.images ? { images: true } : {}),
  };
}
