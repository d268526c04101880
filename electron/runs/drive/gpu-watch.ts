import type { HostGpu } from '@shared/contract/computers';
import type { NewEvent } from '@shared/log/events';
import type { Clock } from '../../clock';
import { ComputerUnavailable } from '../../computer/failures';
import { isHost, isUp } from '../../computer/hosts';
import type { Computer } from '../../computer/port';
import { gpuScript, parseGpus } from '../../computer/ssh/gpu';
import { runProcess } from '../../task/run-process';
import { GpuReadings } from './gpu-readings';

/** Between two readings, ms. */
const EVERY_MS = 60_000;
/** How long nvidia-smi may take, ms. */
const ANSWER_MS = 30_000;

export interface GpuWatchDeps {
  /** Those whose GPUs the task gave to the run. */
  computers: readonly Computer[];
  clock: Clock;
  record(events: NewEvent[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * Reads the GPUs of a driven run once a minute and records when they go idle or to work, on change only. A machine that is away
 * is no error: after five minutes its GPUs are unknown.
 */
export class GpuWatch {
  private readonly deps: GpuWatchDeps;
  private readonly stopping = new AbortController();
  private readonly over: Promise<unknown>;

  constructor(deps: GpuWatchDeps) {
    this.deps = deps;
    this.over = Promise.all(deps.computers.map((computer) => this.watch(computer)));
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await this.over;
  }

  private async watch(computer: Computer): Promise<void> {
    const { clock, record, failed } = this.deps;
    const { signal } = this.stopping;
    const readings = new GpuReadings(computer.name);
    do {
      try {
        const gpus = await ask(computer, signal);
        if (signal.aborted) return;
        const body = readings.take(gpus, clock.now());
        if (body !== null) await record([{ kind: 'gpu.changed', body }]);
      } catch (error) {
        readings.lost();
        if (!signal.aborted) failed(error);
      }
    } while (await clock.sleep(EVERY_MS, signal).then(goesOn, stopped));
  }
}

/** Null when the machine is away, or shows no GPUs. */
async function ask(computer: Computer, signal: AbortSignal): Promise<HostGpu[] | null> {
  if (!isHost(computer)) {
    const order = { command: gpuScript, cwd: '/', env: {}, timeoutMs: ANSWER_MS, signal };
    const { exitCode, output } = await runProcess(order);
    return exitCode === 0 ? parseGpus(output) : null;
  }
  if (!isUp(computer)) return null;
  try {
    const { exitCode, output } = await unlessStopped(
      computer.exec(gpuScript, { timeoutMs: ANSWER_MS }),
      signal,
    );
    return exitCode === 0 ? parseGpus(output) : null;
  } catch (error) {
    if (error instanceof ComputerUnavailable) return null;
    throw error;
  }
}

/** A host that does not answer any more must not hold up the end. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const goesOn = () => true;
const stopped = () => false;
