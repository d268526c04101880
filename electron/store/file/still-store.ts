import { WaymarkError } from '@shared/contract/errors';
import type { Store } from '../api';
import { readOnlyWriter } from '../commands/writers';
import { outdatedRuns } from '../projections/projection-upgrade';
import { createProjector } from '../projections/projector';
import { readerIn } from '../queries/answers';
import type { IndexReads } from '../queries/query';
import { openReads } from '../queries/reads';
import { RulePreviewer } from '../queries/rule-preview';
import { searchSessions } from '../search/search-sessions';
import { AssembledStore, Notices } from '../threads/store-parts';
import { verifyWorkspace } from '../verify/verify';
import { migrations, readVersion } from './migrate';
import { cannotBeWritten, type RefusedAct } from './read-only';

/**
 * A workspace on a disk that cannot be written, for reading alone: in the calling thread, without locks, index and upkeep.
 * @throws WaymarkError read_only when it has to be brought up to date first; whatever opening it says
 */
export function openStillStore(folder: string): Store {
  const now = Date.now;
  const projector = createProjector();
  const refused = (act: RefusedAct) => () => Promise.reject(cannotBeWritten(folder, act));
  let closed = false;
  const goOn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return !closed;
  };
  const { reads, close } = openReads(folder, now);
  const rules = new RulePreviewer(reads, projector);
  const noIndex = (): never => {
    throw cannotBeWritten(folder, 'searching');
  };
  const index: IndexReads = {
    folder,
    search: {
      page: noIndex,
      stepsMatching: noIndex,
      workspace: noIndex,
      start: noIndex,
      news: noIndex,
      stop: noIndex,
    },
    rules,
    progress: noIndex,
    searchSessions: (asked) => searchSessions(reads, asked, goOn),
    verify: (runs, depth) => verifyWorkspace(folder, projector, runs, depth),
  };
  const reader = readerIn({ read: reads, index }, async () => undefined);
  try {
    refuseOutdated(folder, reads.statements.db, outdatedRuns(reads.statements).length > 0);
  } catch (thrown) {
    close();
    throw thrown;
  }
  const upkeep = { backup: refused('backing_up'), rebuildSearch: refused('indexing') };
  const refusal = (act: RefusedAct) => cannotBeWritten(folder, act);
  return new AssembledStore(folder, readOnlyWriter(upkeep, folder, refusal), reader, new Notices(), {
    readOnly: true,
    refusal,
    drainWrites: async () => undefined,
    drainIndex: async () => undefined,
    close: async () => {
      closed = true;
      close();
    },
  });
}

function refuseOutdated(folder: string, db: Parameters<typeof readVersion>[0], hasOldRuns: boolean): void {
  if (readVersion(db) === migrations.at(-1)?.version && !hasOldRuns) return;
  throw new WaymarkError(
    'read_only',
    `${folder} was last opened by another version of Waymark and has to be brought up to date, but it cannot be written. Copy the folder to a disk that has room and can be written, and open the copy.`,
  );
}
