import { WaymarkError } from '@shared/contract/errors';
import type { TaskSpec } from '@shared/contract/task';
import { isHost } from '../../../computer/hosts';
import type { Computer } from '../../../computer/port';
import type { EvaluatingMachine } from '../../../task/evaluating-machine';
import { HostEvaluator } from '../../../task/host-evaluator';
import { connect, disposeAll } from '../../start/connect';
import { backDeps, warmUp } from '../links';
import { persistAtWork } from '../persist';
import type { Driving, Parts, Release } from './driving';

/** Connects every computer of the run; the first look at them goes on beside. */
export function connectComputers(
  { context, loaded, connected }: Parts,
  spec: TaskSpec,
  releases: Release[],
): Pick<Driving, 'all' | 'computers' | 'back' | 'stopped'> {
  const { options, run } = context;
  const all = connect(options, run, loaded.created.computers);
  releases.push(() => disposeAll(all));
  const computers = usable(spec, all);
  for (const [name, computer] of computers) connected.set(name, computer);
  releases.push(() => connected.clear());
  const stopped = new AbortController();
  releases.push(() => stopped.abort(new Error('The run is no longer driven here.')));
  warmUp(all, options.clock, stopped.signal);
  return { all, computers, back: backDeps(all, options.clock), stopped: stopped.signal };
}

/** The computers actions may name. */
export function usable(spec: TaskSpec, all: ReadonlyMap<string, Computer>): Map<string, Computer> {
  const evaluators = new Set(spec.computers.flatMap(({ name, evaluator }) => (evaluator ? [name] : [])));
  return new Map([...all].filter(([name]) => !evaluators.has(name)));
}

/** Those the task gave GPUs of to the run. */
export function withGpus({ spec, computers }: Driving): Computer[] {
  return spec.computers.flatMap(({ name, gpus }) => {
    const computer = gpus === null ? undefined : computers.get(name);
    return computer === undefined ? [] : [computer];
  });
}

/** The computer that is set aside for evaluating, when there is one and it is not this machine. */
export function evaluatorOf({ spec, all, back, recorder, context }: Driving): EvaluatingMachine | undefined {
  const name = spec.computers.find(({ evaluator }) => evaluator)?.name;
  const host = name === undefined ? undefined : all.get(name);
  if (host === undefined || !isHost(host)) return undefined;
  const record = recorder.record.bind(recorder);
  return new HostEvaluator({
    host,
    run: context.run,
    attempt: (work, signal) => persistAtWork({ back, record, signal }, work),
  });
}

/** @throws WaymarkError task_unsupported where the log names no such computer */
export function computerNamed(computers: ReadonlyMap<string, Computer>, name: string): Computer {
  const computer = computers.get(name);
  if (computer === undefined) {
    throw new WaymarkError('task_unsupported', `The log of this run does not say where ${name} is.`);
  }
  return computer;
}
