import type { Endpoint } from '@shared/contract/settings';
import type { ModelRef } from '@shared/log/event-parts';
import { visibleText } from '@shared/terminal/visible-text';
import { originOf } from '../../model/bound-key';
import { isNamed } from '../../named-addresses';
import type { EngineOptions } from '../engine-options';

type Known = Pick<EngineOptions, 'settings' | 'addresses'>;

/**
 * A run's log says which endpoint it asks, and the log may be somebody else's. It is asked only when the person named that
 * address, with that key, on this machine; otherwise this says what differs and what to do. Null: it may be asked.
 */
export function whatDiffers(asked: ModelRef, { settings, addresses }: Known): string | null {
  const origin = originOf(asked.baseUrl);
  const keyEnv = asked.keyRef ?? '';
  const { endpoints } = settings.current;
  if (isNamed({ origin, keyEnv }, endpoints, addresses)) return null;
  const own = endpoints.find(({ name }) => name === asked.endpoint);
  return `${difference(asked, own, origin)} Nothing was sent. Choose a model for this run again or, if you trust this address, enter it in Settings, Models.`;
}

function difference(asked: ModelRef, own: Endpoint | undefined, origin: string): string {
  const name = shown(asked.endpoint);
  if (own === undefined)
    return `This run asks ${name} at ${origin || 'no address'}${withKey(asked)}, which is unknown here.`;
  const ownOrigin = originOf(own.baseUrl);
  if (ownOrigin !== origin) {
    return `This run asks ${name} at a different address than your settings: ${origin || 'none'} in the run, ${ownOrigin} here.`;
  }
  return `This run takes the key of ${name} from a different place than your settings: ${keyOf(asked.keyRef ?? '')} in the run, ${keyOf(own.keyEnv)} here.`;
}

function withKey({ keyRef }: ModelRef): string {
  return keyRef === null ? '' : ` with ${keyOf(keyRef)}`;
}

function keyOf(variable: string): string {
  return variable === '' ? 'no variable' : `the environment variable ${shown(variable)}`;
}

/** A name out of a log, as a person may read it. */
function shown(name: string): string {
  return visibleText(name.slice(0, 80)).replace(/\s+/gu, ' ');
}
