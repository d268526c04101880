import { workspaceHolder } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { createActions } from '../../../actions/create-actions';
import { actionTaskView } from '../../../actions/task-view';
import { sessionDirectories } from '../../../checkpoint/session-directories';
import { spoolFolder } from '../../../files/workspace-paths';
import { parseSpec } from '../../../task/stored-spec';
import { linkedHere } from '../../start/places';
import { createEvaluator } from '../evaluation';
import type { Heartbeat } from '../heartbeat';
import { computerNamed, evaluatorOf } from './computers';
import { type Driving, modelOf } from './driving';

/** The actions' view of the task as it was pinned when the run was created. */
export function viewOf(
  created: EventBody<'run.created'>,
  probed: EventBody<'workspace.probed'> | null = null,
) {
  return actionTaskView(parseSpec(created.spec, created.task.title), created.workspaceRoot, {
    places: created.computers,
    probed,
    maxEvals: created.limits.maxEvals,
    taskHint: created.taskHint,
    images: created.model.images === true,
  });
}

/** What evaluates the run, at the agent's request and at the end. */
export function evaluatorFor(driving: Driving): ReturnType<typeof createEvaluator> {
  const { spec, loaded, packageFolder, folder, computers, facts } = driving;
  const { created } = loaded;
  return createEvaluator({
    spec: { ...spec, task_hint: { ...spec.task_hint, mode: created.taskHint } },
    packageFolder,
    packageHash: created.task.hash,
    isolated: created.evaluatorIsolated,
    folder,
    linked: linkedHere(spec, created.computers),
    root: created.workspaceRoot,
    holder: computerNamed(computers, workspaceHolder(spec).name),
    machine: evaluatorOf(driving),
    facts: facts.facts,
  });
}

/** The actions, under the limits as they stand when one is asked for. */
export function actionsFor(
  driving: Driving,
  evaluator: ReturnType<typeof createEvaluator>,
  heartbeat: Heartbeat,
): ReturnType<typeof createActions> {
  const { context, loaded, computers, facts, stopped } = driving;
  const { options, run } = context;
  const { state, created } = loaded;
  const { store, clock } = options;
  const view = viewOf(created, state.run.probed);
  return createActions({
    task: {
      ...view,
      get maxEvals() {
        return state.run.limits?.maxEvals ?? view.maxEvals;
      },
      training: {
        commands: view.training.commands,
        get limitMs() {
          return (state.run.limits ?? created.limits).maxTrainingMs ?? null;
        },
      },
      get time() {
        const ofMs = (state.run.limits ?? created.limits).maxWorkingMs;
        return { leftMs: Math.max(0, ofMs - state.run.time.ms(heartbeat.reckoned())), ofMs };
      },
    },
    computers,
    evaluate: (request) => evaluator.try(request),
    stored: async (uid, offset, maxBytes) => {
      const kept = await store.reader.readSession(run, uid, offset, maxBytes);
      return kept.offset === offset ? kept.bytes : new Uint8Array();
    },
    directories: (computer) => sessionDirectories(computer, spoolFolder(options.sessionsDir, run), stopped),
    clock,
    facts,
    takesImages: () => modelOf(driving).images === true,
  });
}
