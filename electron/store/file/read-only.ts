import { type FailureWords, WaymarkError } from '@shared/contract/errors';

/** `from-elsewhere`: where the workspace came from elsewhere (`isFromElsewhere`), and nobody has trusted it yet. */
export type ReadOnly = boolean | 'from-elsewhere';

/** What trusting a workspace means, for whoever is about to. */
export const trustedMay =
  "If you trust it, its runs can use the models in your settings, connect to the hosts named in its log, and run its agents' commands and its tasks' set-up and evaluators under your account.";

export type RefusedAct = FailureWords['act'];

/** In English, as the log and the command line say it. */
const acts: Readonly<Record<RefusedAct, string>> = {
  recording: 'recording',
  asking: 'asking something of a run',
  labelling: 'labelling',
  merging: 'merging',
  undoing: 'undoing',
  redoing: 'redoing',
  removing: 'removing',
  cleaning: 'cleaning up',
  adding_task: 'adding a task',
  setting_rules: 'setting rules',
  setting_rubric: 'saving a rubric',
  deriving: 'deriving lists again',
  driving: 'driving a run',
  searching: 'searching, which keeps an index,',
  backing_up: 'copying labels',
  indexing: 'filling the index',
};

export function fromElsewhere(folder: string, act: RefusedAct): WaymarkError {
  return new WaymarkError('read_only', elsewhereMessage(folder, acts[act]), undefined, {
    words: { is: 'from_elsewhere', folder, act },
  });
}

/** @param what as the command line's own commands are called, or an act */
export function elsewhereMessage(folder: string, what: string): string {
  return `${folder} is a copy or belongs to someone else, so it is read-only until you trust it: ${what} was refused. If you know who made it, choose "Trust…" in the window, or run the command again with --trust.`;
}

/** Where its folder or disk takes nothing. */
export function cannotBeWritten(folder: string, act: RefusedAct): WaymarkError {
  return new WaymarkError(
    'read_only',
    `${folder} cannot be written now, so it is read-only: ${acts[act]} was refused. Copy the folder to a disk that has room and can be written, or free some space, and try again.`,
    undefined,
    { words: { is: 'cannot_be_written', folder, act } },
  );
}
