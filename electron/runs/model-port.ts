import type { EventBody } from '@shared/events';
import type { ModelPort } from '../agent/ports';
import { createModelClient } from '../model/client';
import type { EngineOptions } from './engine-options';

/** Looks the key up for every request, so that one that was set meanwhile is found without a restart. */
export function modelPort(options: EngineOptions, { model }: EventBody<'run.created'>): ModelPort {
  let client: { key: string | null; port: ModelPort } | null = null;
  return {
    ask: async (request, onDelta, signal) => {
      const key = options.findKey(model.endpoint, model.keyRef ?? '');
      if (key === null && model.keyRef !== null) {
        const message = `The key for ${model.endpoint} is missing: the environment variable ${model.keyRef} is not set.`;
        const failure = {
          code: 'model_key_missing',
          message,
          status: null,
          retryable: false,
          retryAfterMs: null,
        } as const;
        return { ok: false, failure };
      }
      if (client === null || client.key !== key) {
        const baseUrl = (await options.baseUrlOf?.(model.endpoint)) ?? model.baseUrl;
        client = { key, port: createModelClient({ name: model.endpoint, baseUrl, key }) };
      }
      return client.port.ask(request, onDelta, signal);
    },
  };
}
