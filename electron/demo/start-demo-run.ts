import { endpointSchema } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import { addTask } from '../task/add';
import type { Workbench } from '../workbench';
import { demoEndpointName, demoTaskFolder } from './demo';

export interface DemoRunOptions {
  author: Author;
  resourcesDir: string;
}

/**
 * Adds the demo task to the workspace (once), creates a run of it with the recorded policy as its model, and
 * drives it. Approvals are off: every command of the recording is known. For the same reason it is isolated where there
 * is a sandbox and asks nobody where there is none: nothing from outside can choose a command, and `run.created` says
 * `demo`, which holds for that recording only: another model is refused (`askForModel`), and a branch with one asks.
 * Returns the run's id.
 */
export async function startDemoRun(bench: Workbench, options: DemoRunOptions): Promise<string> {
  const task = await addTask(bench.store, demoTaskFolder(options.resourcesDir));
  const served = await bench.demo.serve();
  const run = await bench.engine.startRun({
    task: task.id,
    title: null,
    endpoint: endpointSchema.parse({ name: demoEndpointName, baseUrl: served.baseUrl, model: served.model }),
    approvals: 'off',
    agreed: 'demo',
    humanHints: true,
    experiment: 'demo',
    maxSteps: null,
    maxWorkingMs: null,
    author: options.author,
  });
  await bench.engine.resumeRun(run);
  return run;
}
