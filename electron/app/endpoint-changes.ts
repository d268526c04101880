import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import { originOf } from '../model/bound-key';
import { checkAddress } from '../named-addresses';
import type { KeyStore } from './key-store';

/** A key is about to go where it did not go before. */
export interface KeyMove {
  endpoint: string;
  /** The environment variable; empty: the key kept for the endpoint. */
  variable: string;
  /** Where it went until now; empty: nowhere. */
  from: string[];
  to: string;
}

export interface EndpointChangeOptions {
  /** Those of the settings as they are. */
  current(): readonly Endpoint[];
  keys: Pick<KeyStore, 'originFor' | 'bind' | 'isLocked'>;
  /** Asks the person natively, where no page can answer. */
  confirm(move: KeyMove): Promise<boolean>;
}

/**
 * What a window wants the endpoints to be. The window may be taken over, so the main process itself asks about each key that
 * would go to a new origin, old and new address named, and about each environment variable that was not read for that origin
 * before. A no refuses the whole change.
 */
export class EndpointChanges {
  constructor(private readonly options: EndpointChangeOptions) {}

  /**
   * Resolves once everything in `next` may be saved; kept keys belong to their new origins then.
   * @throws WaymarkError bad_input (an address nothing can be sent to), refused (declined, or locked)
   */
  async allow(next: readonly Endpoint[]): Promise<void> {
    const moves = next.flatMap((endpoint) => this.moves(endpoint));
    for (const move of moves) {
      if (await this.options.confirm(move)) continue;
      const what = move.variable || `the key of ${move.endpoint}`;
      throw new WaymarkError('refused', `Nothing was changed, because ${what} may not go to ${move.to}.`);
    }
    for (const { variable, endpoint, to } of moves) {
      if (variable === '') await this.options.keys.bind(endpoint, to);
    }
  }

  private moves(endpoint: Endpoint): KeyMove[] {
    const { name, keyEnv, baseUrl } = endpoint;
    const { keys } = this.options;
    const current = this.options.current();
    const to = originOf(baseUrl);
    const before = current.find((each) => each.name === name);
    // Settings of older versions may hold such an address; whoever changes something else is not stopped by it.
    if (before?.baseUrl !== baseUrl) checkAddress(baseUrl);
    if (keys.isLocked(name) && (before === undefined || originOf(before.baseUrl) !== to)) {
      throw new WaymarkError(
        'refused',
        `The key of ${name} is locked. Unlock your keys first; then its address can be changed.`,
      );
    }
    const named = current.filter((each) => each.keyEnv === keyEnv).map((each) => originOf(each.baseUrl));
    const held = keys.originFor(name);
    const moves: KeyMove[] = [];
    if (keyEnv !== '' && !named.includes(to))
      moves.push({ endpoint: name, variable: keyEnv, from: [...new Set(named)], to });
    if (held !== null && held !== to)
      moves.push({ endpoint: name, variable: '', from: held === '' ? [] : [held], to });
    return moves;
  }
}
