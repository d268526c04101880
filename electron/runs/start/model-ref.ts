import type { Endpoint } from '@shared/contract/settings';
import type { TaskSpec } from '@shared/contract/task';
import type { ModelRef } from '@shared/log/event-parts';

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
