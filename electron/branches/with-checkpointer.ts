import type { EventBody } from '@shared/log/events';
import type { RunFold } from '@shared/runs/run-fold';
import { isHost } from '../computer/hosts';
import { usable } from '../runs/drive/wiring/computers';
import type { EngineOptions } from '../runs/engine-options';
import { connect, disposeAll, reach } from '../runs/start/connect';
import { parseSpec } from '../task/stored-spec';
import { Checkpointer } from './checkpointer';

/** What of a run its checkpoints are made from. */
export interface CheckpointedRun {
  run: string;
  created: EventBody<'run.created'>;
  fold: RunFold;
}

/**
 * Works with the checkpoints of a run that nobody drives: its computers are connected for that long.
 * @throws ComputerUnavailable, and what `work` throws
 */
export async function withCheckpointer<T>(
  options: EngineOptions,
  { run, created, fold }: CheckpointedRun,
  work: (checkpointer: Checkpointer, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const spec = parseSpec(created.spec, created.task.title);
  const all = connect(options, run, created.computers);
  try {
    const computers = usable(spec, all);
    for (const computer of computers.values()) {
      if (isHost(computer)) await reach(options.hosts, computer);
    }
    const checkpointer = new Checkpointer({ options, run, created, spec, computers, fold });
    return await work(checkpointer, new AbortController().signal);
  } finally {
    await disposeAll(all);
  }
}
