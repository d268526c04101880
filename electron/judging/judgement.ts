import { createHash } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import { withinFrame } from '@shared/judging/judge-request';
import type { Store } from '../store/api';
import { maskRequest } from './judge-work';
import { rewardRequestFor } from './reward-work';

/** The exact request that a vote answers, made from the log again and compared with the hash that the vote names. */
export interface Judgement {
  batch: string;
  sha256: string;
  rebuiltSha256: string;
  /** The body that was made again is the one that was sent. */
  verified: boolean;
  body: string;
}

/**
 * What `vote` was given for. @throws WaymarkError not_found: the vote names no request, its batch is not in this workspace, or the
 * steps that were shown are gone
 */
export async function readJudgement(
  store: Pick<Store, 'reader'>,
  vote: { request?: string | undefined; batch?: string | undefined },
): Promise<Judgement> {
  const { request: sha256, batch } = vote;
  if (sha256 === undefined || batch === undefined) {
    throw new WaymarkError(
      'not_found',
      'This vote names no request: it was brought in from a file, or stored by an earlier Waymark.',
    );
  }
  const asked = await store.reader.judgedRequest(batch, sha256);
  if (asked === null) {
    throw new WaymarkError(
      'not_found',
      `Batch ${batch}, in which this vote was given, is not in this workspace. It is where the judge was asked: a merge brings votes and no batches.`,
    );
  }
  const { choices } = await store.reader.judgeBatch(batch);
  const request =
    choices.mode === 'mask'
      ? await maskRequest(store, choices, asked)
      : await rewardRequestFor(store.reader, asked.run, asked.judged[0]?.from ?? 0, choices);
  if (request === null) {
    throw new WaymarkError(
      'not_found',
      'The steps that were shown to the judge have been removed or purged.',
    );
  }
  const body = withinFrame(asked.frame, request);
  const rebuiltSha256 = createHash('sha256').update(body).digest('hex');
  return { batch, sha256, rebuiltSha256, verified: rebuiltSha256 === sha256, body };
}
