import type { ModelRef } from '@shared/event-parts';
import type { ModelFailure, ModelPort } from '../agent/ports';
import type { EngineOptions } from './engine-options';

/**
 * Asks the model that is in force: `model` is read for every request, because people may change it while the run goes
 * on. So is the key: one that was set meanwhile is found without a restart.
 */
export function modelPort(
  options: Pick<EngineOptions, 'findKey' | 'isKeyLocked' | 'baseUrlOf'>,
  model: () => ModelRef,
): ModelPort {
  // Its library takes long to load: not needed to start a window or a command, and here before the first request.
  const loading = import('../model/client');
  loading.catch(() => undefined); // whoever asks hears of it
  let client: { key: string | null; model: ModelRef; port: ModelPort } | null = null;
  return {
    ask: async (request, onDelta, signal) => {
      const asked = model();
      const key = options.findKey(asked.endpoint, asked.keyRef ?? '');
      if (key === null && options.isKeyLocked?.(asked.endpoint) === true) {
        return missingKey(`The key for ${asked.endpoint} is locked. Unlock your keys in Settings.`);
      }
      if (key === null && asked.keyRef !== null) {
        return missingKey(
          `The key for ${asked.endpoint} is missing: the environment variable ${asked.keyRef} is not set, and no key is kept under this name.`,
        );
      }
      if (client === null || client.key !== key || client.model !== asked) {
        const baseUrl = (await options.baseUrlOf?.(asked.endpoint)) ?? asked.baseUrl;
        const { createModelClient } = await loading;
        const port = createModelClient({ name: asked.endpoint, baseUrl, key });
        client = { key, model: asked, port };
      }
      return client.port.ask(request, onDelta, signal);
    },
  };
}

function missingKey(message: string): { ok: false; failure: ModelFailure } {
  const code = 'model_key_missing';
  return { ok: false, failure: { code, message, status: null, retryable: false, retryAfterMs: null } };
}
