import { type ErrorCode, WaymarkError } from '@shared/contract/errors';

const PASSING: readonly ErrorCode[] = ['disk_full', 'workspace_locked', 'system_busy'];

/**
 * Whether a write that failed this way succeeds when it is tried again later, and nothing of it is stored by now: room comes back,
 * a lock is released, files are closed.
 */
export function isPassing(thrown: unknown): thrown is WaymarkError {
  return thrown instanceof WaymarkError && PASSING.includes(thrown.code);
}
