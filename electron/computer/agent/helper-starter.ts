import { randomBytes } from 'node:crypto';
import type { HelperRun, HelperStarter } from '../ssh/connect-attempt';
import {
  type AgentSources,
  bootstrapCommand,
  type HelperKind,
  readAgentSources,
  startAgent,
} from './bootstrap';

export interface ShippedHelperOptions {
  /** The application's `resources` directory. */
  resourcesDir: string;
  /** Of the application, told to the helper. */
  version: string;
  /** Tried in this order; default perl, then python3. */
  helpers?: readonly HelperKind[];
}

/** The helper programs that are shipped with the application, read when the first host needs one. */
export class ShippedHelper implements HelperStarter {
  readonly version: string;
  readonly #options: ShippedHelperOptions;
  #sources: Promise<AgentSources> | undefined;

  constructor(options: ShippedHelperOptions) {
    this.#options = options;
    this.version = options.version;
  }

  prepare(): HelperRun {
    const nonce = randomBytes(8).toString('hex');
    return {
      command: bootstrapCommand(nonce, this.#options.helpers),
      begin: async ({ stream }, signal) => {
        this.#sources ??= readAgentSources(this.#options.resourcesDir);
        await startAgent(stream, { nonce, sources: await this.#sources, signal });
      },
    };
  }
}
