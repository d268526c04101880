import { WaymarkError } from '@shared/contract/errors';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Store } from '../store/api';
import type { StaleVote } from './judge-work';
import { readJudgement } from './judgement';

/**
 * Whether a vote answers a request that the log no longer gives: a hint was delivered later, or a text was purged. Each request is
 * made anew once, however many votes answer it. Of a vote that names no request, or one of a batch that is elsewhere, nothing is
 * known: it counts as unchanged.
 */
export function staleVotes(store: Pick<Store, 'reader'>): StaleVote {
  const known = new Map<string, Promise<boolean>>();
  return async ({ body }: AnnotationEntry) => {
    if (body.op !== 'judge' && body.op !== 'reward') return false;
    const { batch, request } = body;
    if (batch === undefined || request === undefined) return false;
    const key = `${batch} ${request}`;
    const found = known.get(key) ?? isStale(store, { batch, request });
    known.set(key, found);
    return found;
  };
}

async function isStale(
  store: Pick<Store, 'reader'>,
  vote: { batch: string; request: string },
): Promise<boolean> {
  try {
    return !(await readJudgement(store, vote)).verified;
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}
