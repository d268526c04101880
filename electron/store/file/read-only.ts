import { WaymarkError } from '@shared/contract/errors';

/** `from-elsewhere`: where the workspace came from elsewhere (`isFromElsewhere`), and nobody has trusted it yet. */
export type ReadOnly = boolean | 'from-elsewhere';

/** What trusting a workspace means, for whoever is about to. */
export const trustedMay =
  "If you trust it, its runs can use the models in your settings, connect to the hosts named in its log, and run its agents' commands and its tasks' set-up and evaluators under your account.";

export function fromElsewhere(folder: string, what: string): WaymarkError {
  return new WaymarkError(
    'read_only',
    `${folder} is a copy or belongs to someone else, so it is read-only until you trust it: ${what} was refused. If you know who made it, choose "Trust…" in the window, or run the command again with --trust.`,
  );
}

/** Where its folder or disk takes nothing. */
export function cannotBeWritten(folder: string, what: string): WaymarkError {
  return new WaymarkError(
    'read_only',
    `${folder} cannot be written now, so it is read-only: ${what} was refused. Copy the folder to a disk that has room and can be written, or free some space, and try again.`,
  );
}
