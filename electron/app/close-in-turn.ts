import { toFailure } from '@shared/contract/errors';
import type { FileLog } from './log';

/** Closes one after the other; one that fails must not keep the next from its turn. */
export async function closeInTurn(
  log: Pick<FileLog, 'error'>,
  steps: readonly (readonly [what: string, close: () => Promise<void>])[],
): Promise<void> {
  for (const [what, close] of steps) {
    try {
      await close();
    } catch (thrown) {
      log.error(`${what} did not close cleanly`, { ...toFailure(thrown) });
    }
  }
}
