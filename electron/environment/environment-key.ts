import { BoundKey } from '../model/bound-key';
import type { EngineOptions } from '../runs/engine-options';

/** Keys of the command line, which has no store of its own: what a named variable holds, for the origin it was named for. */
export function environmentKey(
  environment: Readonly<Record<string, string | undefined>>,
): EngineOptions['findKey'] {
  return (_endpoint, variable, origin) => {
    const key = variable === '' ? undefined : environment[variable];
    return key ? new BoundKey(key, origin) : null;
  };
}
