import { WaymarkError } from '@shared/errors';
import type { StoreWriter } from './api';

/** `from-elsewhere`: where the workspace came from elsewhere (`isFromElsewhere`), and nobody has trusted it yet. */
export type ReadOnly = boolean | 'from-elsewhere';

/** What a workspace that came from elsewhere is kept from until a person trusts it; shown with every refusal. */
export const trustedMay =
  'Once it is trusted, its runs may be driven here: they ask models of your settings, use the hosts that its log names, and run the commands of its agents and the set-up and evaluators of its tasks as you.';

export function fromElsewhere(folder: string, what: string): WaymarkError {
  return new WaymarkError(
    'read_only',
    `${folder} was made on another device or copied from one, so it is only read: ${what} is not carried out. Look at it; to work in it here from now on, trust it: in the window by the button above the run, on the command line by adding --trust. ${trustedMay}`,
  );
}

/** Where its folder or disk takes nothing. */
export function cannotBeWritten(folder: string, what: string): WaymarkError {
  return new WaymarkError(
    'read_only',
    `${folder} cannot be written now, so it is only read: ${what} is not carried out. Copy the folder to a disk that has room and can be written, or free some space, and try again.`,
  );
}

/** Refuses what would be recorded; what belongs to no log, such as up to where a person has read, is passed over. */
export function readOnlyWriter(
  writer: Pick<StoreWriter, 'backup' | 'rebuildSearch'>,
  folder: string,
  refusal = (what: string) => fromElsewhere(folder, what),
): StoreWriter {
  const refused = (what: string) => () => Promise.reject(refusal(what));
  const passed = () => Promise.resolve();
  return {
    append: refused('recording'),
    appendIfOutboxAt: refused('recording'),
    post: refused('asking something of a run'),
    annotate: refused('labelling'),
    merge: refused('merging'),
    undo: refused('undoing'),
    redo: refused('redoing'),
    sessionBytes: refused('recording'),
    remove: refused('removing'),
    clean: refused('cleaning up'),
    createTask: refused('adding a task'),
    setRules: refused('setting rules'),
    rebuild: refused('deriving lists again'),
    see: passed,
    keepDwell: passed,
    dismissRetroMask: passed,
    rebuildSearch: () => writer.rebuildSearch(),
    backup: () => writer.backup(),
  };
}
