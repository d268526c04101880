import { randomBytes } from 'node:crypto';
import { type AgentSources, bootstrapCommand, readAgentSources, startAgent } from '../../agent/bootstrap';
import type { HelperStarter } from './connect-attempt';

/** The helper program as shipped in `resourcesDir`, fed to whatever the host has to run it. `version`: the application's. */
export function bootstrapHelper(resourcesDir: string, version: string): HelperStarter {
  let reading: Promise<AgentSources> | undefined;
  return {
    version,
    prepare: () => {
      const nonce = randomBytes(12).toString('hex');
      return {
        command: bootstrapCommand(nonce),
        begin: async ({ stream }, signal) => {
          reading ??= readAgentSources(resourcesDir).catch((error: unknown) => {
            // The next connection looks again.
            reading = undefined;
            throw error;
          });
          await startAgent(stream, { nonce, sources: await reading, signal });
        },
      };
    },
  };
}
