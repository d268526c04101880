import type { ModelRef } from '@shared/event-parts';
import type { Endpoint } from '@shared/settings';
import type { TaskSpec } from '@shared/task';

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
