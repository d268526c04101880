import type { SessionState } from '../computer/port';
import type { ActionResult } from './action';

/**
 * What one call has done so far, kept while its computer is away: with it the call goes on where the link broke, instead
 * of being done twice or reported as unknown. A restart of the application forgets it; then only looking helps.
 */
export interface CallProgress {
  /** The session in which a command was about to run, and the highest command number in it before. */
  command?: { sessionId: string; before: number } | undefined;
  /** The command ran into its limit and is being ended; how the session was then. */
  killing?: { limit: number; state: SessionState['state'] };
  /** A name that was free, for a session that was about to be opened. */
  opening?: string | undefined;
  /** A line that is typed under this number, and where the log ended before. */
  typing?: { sessionId: string; inputSeq: number; endOffset: number };
  /** Content that was about to be written, by sha256, and what is said once it is. */
  writing?: { path: string; before: string | null; after: string; bytes: Uint8Array; result: ActionResult };
}
