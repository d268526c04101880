import type { Author } from '@shared/annotations';
import { endpointSchema } from '@shared/settings';
import { addTask } from '../task/add';
import type { Workbench } from '../workbench';
import { type DemoModel, demoTaskFolder, startDemoModel } from './demo';

export interface DemoOptions {
  /** Delay between two pieces of an answer, ms; 0 = none. */
  paceMs: number;
  resourcesDir: string;
}

/** Name of the endpoint that demo runs are recorded with; no endpoint of the settings. */
export const demoEndpoint = 'Recorded policy';

/**
 * Adds the demo task if needed, serves the recorded policy, creates a run with it and drives it. Resolves with the
 * run's id once it is driven; the model is closed when the run rests.
 */
export async function startDemoRun(
  bench: Workbench,
  options: DemoOptions & { author: Author },
): Promise<string> {
  const { store, engine } = bench;
  const task = await addTask(store, demoTaskFolder(options.resourcesDir));
  const model = await startDemoModel(options);
  try {
    const run = await engine.startRun({
      task: task.id,
      title: null,
      endpoint: endpointSchema.parse({ name: demoEndpoint, baseUrl: model.baseUrl, model: model.model }),
      approvals: 'off',
      humanHints: true,
      experiment: null,
      maxSteps: null,
      maxWorkingMs: null,
      author: options.author,
    });
    await engine.resumeRun(run);
    void closeAtRest(bench, run, model);
    return run;
  } catch (error) {
    await model.close();
    throw error;
  }
}

/**
 * Drives a run on, whoever stopped it. A demo run gets its recorded policy served again under the address it was
 * recorded with; for any other run this is `engine.resumeRun`.
 */
export async function resumeWithDemo(bench: Workbench, run: string, options: DemoOptions): Promise<void> {
  const [first] = await bench.store.reader.events(run, 1, 1);
  const recorded = first?.kind === 'run.created' ? first.body.model : null;
  if (recorded?.endpoint !== demoEndpoint || bench.engine.drivenRuns().includes(run)) {
    await bench.engine.resumeRun(run);
    return;
  }
  const model = await startDemoModel({ ...options, port: Number(new URL(recorded.baseUrl).port) });
  try {
    await bench.engine.resumeRun(run);
  } catch (error) {
    await model.close();
    throw error;
  }
  void closeAtRest(bench, run, model);
}

async function closeAtRest(bench: Workbench, run: string, model: DemoModel): Promise<void> {
  await bench.engine.waitRun(run).finally(() => model.close());
}
