import type { BatchChoices } from '@shared/judging/batch';
import { newUlid } from '../base/new-ulid';
import type { Judge } from '../judging/judge-work';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';

/** A batch of this judge, begun as by a process that holds its lock. */
export async function begunBatch(
  { writer }: Pick<Store, 'writer'>,
  { name, model, rubrics }: Judge,
  more: Partial<Pick<BatchChoices, 'price' | 'maxCost' | 'runs'>> = {},
): Promise<HeldBatch> {
  const held = { id: newUlid(), epoch: 1 };
  await writer.beginBatch(held, {
    mode: 'mask',
    judge: name,
    runs: [],
    steps: 'all',
    model,
    rubrics,
    maxCost: null,
    price: null,
    ...more,
  });
  return held;
}
