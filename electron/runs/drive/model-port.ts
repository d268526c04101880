import type { ModelRef } from '@shared/log/event-parts';
import type { ModelFailure, ModelPort } from '../../agent/ports';
import { type BoundKey, originOf } from '../../model/bound-key';
import type { EngineOptions } from '../engine-options';
import { whatDiffers } from '../start/known-endpoint';

type Options = Pick<EngineOptions, 'settings' | 'addresses' | 'findKey' | 'isKeyLocked' | 'baseUrlOf'>;
type Refused = { ok: false; failure: ModelFailure };

/**
 * Asks the model that is in force: `model` is read for every request, because people may change it while the run goes
 * on. So is the key: one that was set meanwhile is found without a restart. What the run's log names is asked only as far as
 * this installation knows it (`whatDiffers`), and a key goes only to its own origin.
 */
export function modelPort(options: Options, model: () => ModelRef): ModelPort {
  // Its library takes long to load: not needed to start a window or a command, and here before the first request.
  const loading = import('../../model/client');
  loading.catch(() => undefined); // whoever asks hears of it
  let client: { way: Way; model: ModelRef; port: ModelPort } | null = null;
  return {
    ask: async (request, onDelta, signal) => {
      const asked = model();
      const way = await wayTo(asked, options);
      if ('ok' in way) return way;
      if (client === null || client.model !== asked || !sameWay(client.way, way)) {
        const { createModelClient } = await loading;
        client = { way, model: asked, port: createModelClient({ name: asked.endpoint, ...way }) };
      }
      return client.port.ask(request, onDelta, signal);
    },
  };
}

interface Way {
  baseUrl: string;
  key: BoundKey | null;
}

async function wayTo(asked: ModelRef, options: Options): Promise<Way | Refused> {
  const served = (await options.baseUrlOf?.(asked.endpoint)) ?? null;
  // Ours, in this process: no key is needed, whatever the log says.
  if (served !== null) return { baseUrl: served, key: null };
  const differs = whatDiffers(asked, options);
  if (differs !== null) return refused('endpoint_differs', differs);
  const origin = originOf(asked.baseUrl);
  const key = options.findKey(asked.endpoint, asked.keyRef ?? '', origin);
  if (key === null && options.isKeyLocked?.(asked.endpoint) === true) {
    return refused(
      'model_key_missing',
      `The key for ${asked.endpoint} is locked. Unlock your keys in Settings.`,
    );
  }
  if (key === null && asked.keyRef !== null) {
    return refused(
      'model_key_missing',
      `The key for ${asked.endpoint} is missing: the environment variable ${asked.keyRef} is not set, and no key is kept under this name.`,
    );
  }
  if (key !== null && key.origin !== origin) return refused('endpoint_differs', keyElsewhere(asked, key));
  return { baseUrl: asked.baseUrl, key };
}

function keyElsewhere({ endpoint, baseUrl }: ModelRef, { origin }: BoundKey): string {
  const owner = origin === '' ? 'is not tied to an address yet' : `belongs to ${origin}`;
  return `The key kept for ${endpoint} ${owner}, and this run would send it to ${originOf(baseUrl)}. Nothing was sent. Save the endpoint again in Settings, Models, and confirm the address there.`;
}

function sameWay(one: Way, other: Way): boolean {
  return one.baseUrl === other.baseUrl && (one.key?.same(other.key) ?? other.key === null);
}

function refused(code: ModelFailure['code'], message: string): Refused {
  return { ok: false, failure: { code, message, status: null, retryable: false, retryAfterMs: null } };
}
