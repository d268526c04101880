import { taskSpecSchema } from '@shared/contract/task';
import { createActions } from '../electron/actions/create-actions';
import { actionTaskView } from '../electron/actions/task-view';
import { systemClock } from '../electron/clock';
import type { Computer } from '../electron/computer/port';

/** The agent's actions on one computer; `runTrue` is `run_command true` in its open session, in ms. */
export async function openActions(computer: Computer, root: string): Promise<{ runTrue(): Promise<number> }> {
  const spec = taskSpecSchema.parse({
    id: 'bench',
    title: 'Bench',
    computers: [{ name: computer.name, host: 'bench', type: 'cpu' }],
    code_folders: ['code'],
    evaluation: { command: 'true', inputs: ['*'] },
  });
  const actions = createActions({
    task: actionTaskView(spec, root),
    computers: new Map([[computer.name, computer]]),
    evaluate: () => Promise.reject(new Error('The bench evaluates nothing.')),
    clock: systemClock,
  });
  await computer.files.makeDirectory(`${root}/code`);
  let step = 0;
  return {
    runTrue: async () => {
      const call = actions.parse(
        'run_command',
        '{"command":"true","session_id":"main","wait_for_completion":true}',
      );
      if (!call.ok) throw new Error(call.problem);
      step += 1;
      const never = new AbortController().signal;
      const start = performance.now();
      const outcome = await actions.run(call.call, {
        step,
        call: 0,
        callId: `call-${step}`,
        signal: never,
        wake: never,
        leftMs: 3_600_000,
      });
      if (!outcome.ok) throw new Error(outcome.text);
      return performance.now() - start;
    },
  };
}
