import type { ActionPort } from '../../../agent/ports';
import { HintWatch } from '../../steer/hint-conditions-watch';
import { CodeWatch } from '../code-watch';
import { GpuWatch } from '../gpu-watch';
import { Heartbeat } from '../heartbeat';
import { withGpus } from './computers';
import type { Driving, Release } from './driving';

/** Tells the time that the run was driven, and writes down where the clock jumped. */
export function keepTime({ context, recorder, folder, failed }: Driving, releases: Release[]): Heartbeat {
  const time = (kind: 'clock.suspended' | 'clock.jumped') => (from: number, to: number) =>
    recorder
      .record([{ kind, body: { from: Math.round(from), to: Math.round(to) } }])
      .catch(failed('A jump of time could not be recorded'));
  const heartbeat = new Heartbeat({
    folder,
    clock: context.options.clock,
    suspended: time('clock.suspended'),
    jumped: time('clock.jumped'),
  });
  releases.push(() => heartbeat.stop());
  return heartbeat;
}

/** Looks at code, GPUs and the conditions of hints while the run goes on. */
export function watch(driving: Driving, actions: ActionPort, releases: Release[]): HintWatch {
  const { context, follower, recorder, computers, failed } = driving;
  const { clock } = context.options;
  const record = recorder.record.bind(recorder);
  const codeWatch = new CodeWatch({
    computers,
    clock,
    record,
    scan: () => actions.codeChanges?.() ?? Promise.resolve([]),
    failed: failed('Code files could not be looked at'),
  });
  releases.push(() => codeWatch.stop());
  const gpuWatch = new GpuWatch({
    computers: withGpus(driving),
    clock,
    record,
    failed: failed('GPUs could not be watched'),
  });
  releases.push(() => gpuWatch.stop());
  const hintWatch = new HintWatch({
    follower,
    computers,
    clock,
    record,
    failed: failed('Conditions of hints could not be looked at'),
  });
  releases.push(() => hintWatch.stop());
  recorder.onRecorded(() => hintWatch.notice());
  return hintWatch;
}
