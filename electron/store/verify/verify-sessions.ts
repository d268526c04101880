import type { VerifyProblem } from '@shared/contract/views';
import { runLockPath, sessionFolder } from '../../files/workspace-paths';
import { isLockHeld } from '../log/run-lock';
import type { SeenOutput } from '../projections/seen-output';
import {
  droppedBytes,
  isGap,
  listFault,
  lostRanges,
  type RestoreLoss,
  readSessionLists,
  restoreLosses,
} from '../sessions/session-list';
import type { VerifyContext } from './verify-context';

/**
 * Bytes of every session: no gap between chunks that neither an event nor a restore tells of, every chunk and every sealed part
 * as hashed, and nothing missing behind them that an observation saw. What a restore could not bring back is `known_loss`.
 */
export async function checkSessions(
  context: VerifyContext,
  run: number,
  ulid: string,
  seen: SeenOutput,
): Promise<VerifyProblem[]> {
  const { statements, folder } = context;
  const lists = readSessionLists(statements, run);
  const losses = restoreLosses(statements, run);
  const ends = new Map(lists.map(({ uid, end }) => [uid, end]));
  const whereOf = (uid: string) => `run ${ulid} session ${seen.nameOf(uid) ?? uid}`;
  const problems = shortfalls(context, ulid, seen, ends, losses);
  const dropped = droppedBytes(statements, run);
  for (const list of lists) {
    const where = whereOf(list.uid);
    const ofSession = losses.filter(({ uid, stored }) => stored && uid === list.uid);
    const fault = listFault(list, [...dropped.filter(({ uid }) => uid === list.uid), ...ofSession]);
    if (fault !== null) {
      problems.push({ what: 'session_gap', where, message: fault });
      continue;
    }
    if (list.parts.some((part) => isGap(part) && part.file !== null)) {
      problems.push({ what: 'row', where, message: 'Output that is missing is said to be in a file.' });
    }
    for (const { from, to } of lostRanges(list, sessionFolder(folder, ulid, list.uid))) {
      const message = `Bytes ${from} to ${to} are missing or not as stored.`;
      problems.push({ what: 'session_bytes', where, message });
    }
    for (const { from, to, at } of ofSession) {
      problems.push({
        what: 'known_loss',
        where,
        message: `Bytes ${from} to ${to} are missing: ${lossOf(at)}.`,
      });
    }
    await context.breathe();
  }
  return problems;
}

/** `at`: ms since 1970. */
function lossOf(at: number): string {
  return `a known loss of the restore of ${new Date(at).toISOString().slice(0, 10)}`;
}

/**
 * Output that an observation saw and that is not stored. While the run is driven it is still being fetched: its driver says
 * so when it cannot.
 */
function shortfalls(
  { folder }: VerifyContext,
  ulid: string,
  seen: SeenOutput,
  ends: ReadonlyMap<string, number>,
  losses: readonly RestoreLoss[],
): VerifyProblem[] {
  const short = seen.sessions().filter(({ uid, end }) => end > (ends.get(uid) ?? 0));
  if (short.length === 0 || isLockHeld(runLockPath(folder, ulid))) {
    return [];
  }
  return short.map(({ uid, key, end, step }) => {
    const where = `run ${ulid} session ${key}`;
    const message = `Step ${step} saw the output of ${key} up to byte ${end}, but only ${ends.get(uid) ?? 0} bytes are stored`;
    const known = losses.find((loss) => loss.uid === uid && !loss.stored && loss.to >= end);
    return known === undefined
      ? {
          what: 'session_short',
          where,
          message: `${message}. A run that has not ended fetches the rest when it is resumed and its computer still has it.`,
        }
      : { what: 'known_loss', where, message: `${message}: ${lossOf(known.at)}.` };
  });
}
