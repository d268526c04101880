import { WaymarkError } from '@shared/contract/errors';
import type { BatchChoices } from '@shared/judging/batch';
import type { Store } from '../store/api';
import type { BatchEstimate } from './batch-estimate';
import type { JudgeTask } from './judge-task';

/** What a batch would ask and cost, with the votes that are still to be given. */
export type Counted = BatchEstimate & { open: number };

/** Counts what batches have still to ask. Nothing is sent. */
export class OpenCounts {
  private counting: { key: string; abort: AbortController; found: Promise<Counted[]> } | null = null;

  constructor(private readonly store: Pick<Store, 'reader'>) {}

  /** The same question is counted once, and a newer one ends it. */
  async newest(batches: readonly BatchChoices[]): Promise<Counted[]> {
    const key = JSON.stringify(batches.map(({ maxCost: _, ...rest }) => rest));
    if (this.counting?.key === key) return this.counting.found;
    this.counting?.abort.abort();
    const abort = new AbortController();
    const counting = { key, abort, found: this.each(batches, abort.signal) };
    this.counting = counting;
    try {
      return await counting.found;
    } finally {
      // Votes come and go: who asks again later counts again.
      if (this.counting === counting) this.counting = null;
    }
  }

  private async each(batches: readonly BatchChoices[], signal: AbortSignal): Promise<Counted[]> {
    const counted: Counted[] = [];
    for (const choices of batches) counted.push(await this.of(choices, signal));
    return counted;
  }

  /** Votes that are still to be given in one batch, for which no request is made. */
  async open(choices: BatchChoices): Promise<number> {
    const { tasksOf } = await import('./named-batch');
    let open = 0;
    for await (const task of tasksOf(this.store, choices)) open += task.open.length;
    return open;
  }

  /** Of one batch. @throws WaymarkError cancelled */
  private async of(choices: BatchChoices, signal?: AbortSignal): Promise<Counted> {
    const [{ tasksOf }, { estimateBatch }] = await Promise.all([
      import('./named-batch'),
      import('./batch-estimate'),
    ]);
    let open = 0;
    const tasks = untilAborted(tasksOf(this.store, choices), signal, (task) => {
      open += task.open.length;
    });
    const estimate = await estimateBatch(tasks, choices.price);
    return { ...estimate, open };
  }

  close(): void {
    this.counting?.abort.abort();
  }
}

async function* untilAborted(
  tasks: AsyncGenerator<JudgeTask>,
  signal: AbortSignal | undefined,
  counted: (task: JudgeTask) => void,
): AsyncGenerator<JudgeTask> {
  for await (const task of tasks) {
    if (signal?.aborted === true)
      throw new WaymarkError('cancelled', 'A newer question took the place of this one.');
    counted(task);
    yield task;
  }
}
