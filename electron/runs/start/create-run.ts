import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import { durationMs, type TaskSpec } from '@shared/contract/task';
import type { EventBody, NewEvent } from '@shared/log/events';
import { toolOf } from '../../actions/parse-call';
import { offeredActions } from '../../actions/table';
import { actionTaskView } from '../../actions/task-view';
import { modelRef, requestParams } from '../../agent/model-ref';
import type { StoredTask } from '../../store/values';
import { unsupportedLine, unsupportedThere } from '../../task/support';
import { promptHead } from '../drive/prompt';
import type { Ground } from './ground';
import type { IsolationWish } from './isolate';
import { evaluatorIsolated, type Place } from './places';

export interface NewRun extends IsolationWish {
  /** Id of a task in the workspace. */
  task: string;
  /** Default: the task's title. */
  title: string | null;
  endpoint: Endpoint;
  /** Computer of the task → `local` or a host alias; absent or not named: where the task says. */
  computers?: Readonly<Record<string, string>>;
  /** `task`: where the task says; `on`: also there, or on all computers when it says so for none. */
  approvals: 'on' | 'off' | 'task';
  /** Computer of the task → approvals there, where a person chose. */
  computerApprovals?: Readonly<Record<string, 'on' | 'off'>>;
  /** Whether people may send hints to this run. */
  humanHints: boolean;
  /** Absent or null: as the task says. */
  taskHint?: TaskSpec['task_hint']['mode'] | null | undefined;
  experiment: string | null;
  /** What sets the run apart within its experiment; recorded, and nothing else. */
  arm?: string | null | undefined;
  group?: string | null | undefined;
  sample?: number | null | undefined;
  seed?: number | null | undefined;
  /** Null: the task's limit. */
  maxSteps: number | null;
  maxWorkingMs: number | null;
  maxEvals?: number | null | undefined;
  /** Absent or null: as the task says, which may be no limit. */
  maxTrainingMs?: number | null | undefined;
  /** Absent or null: no limit. */
  maxTokens?: number | null;
  maxCost?: number | null;
}

export interface CreateRunContext {
  run: string;
  task: StoredTask;
  spec: TaskSpec;
  places: readonly Place[];
  ground: Ground;
  /** The workspace's folder. */
  workspace: string;
  resourcesDir: string;
}

/** @throws WaymarkError task_unsupported */
export function refuseUnsupported(spec: TaskSpec, places: readonly Place[]): void {
  const isLocal = (name: string) => places.find((place) => place.name === name)?.kind !== 'ssh';
  const problems = unsupportedThere(spec, isLocal);
  if (problems.length > 0) {
    const lines = problems.map(unsupportedLine).join(' ');
    throw new WaymarkError('task_unsupported', `Task ${spec.id} cannot run here. ${lines}`);
  }
}

/** @throws WaymarkError bad_input where the task has no hint to give */
export function refuseMissingHint(spec: TaskSpec, { taskHint }: Pick<NewRun, 'taskHint'>): void {
  if ((taskHint ?? 'off') === 'off' || spec.task_hint.text !== '') return;
  throw new WaymarkError(
    'bad_input',
    `Task ${spec.id} has no task hint. Write ${spec.task_hint.file} in its package and add the task again.`,
  );
}

/** A run whose limit on tokens is below one answer would end before its first step. @throws WaymarkError bad_input */
export function refuseTightTokens({ endpoint, maxTokens }: NewRun): void {
  if (maxTokens != null && maxTokens <= endpoint.maxTokens) {
    throw new WaymarkError(
      'bad_input',
      `A limit of ${maxTokens} tokens leaves no room for one step: an answer of ${endpoint.name} alone may take ${endpoint.maxTokens}. Raise the limit, or lower the answers' in Settings.`,
    );
  }
}

function taskTrainingMs({ limits }: TaskSpec): number | null {
  return limits.max_training_time === null ? null : durationMs(limits.max_training_time);
}

/** The first events of a run: what it is, its first context, and what the probe of the workspace found. */
export async function creationEvents(input: NewRun, context: CreateRunContext): Promise<NewEvent[]> {
  const { task, run, spec, places, ground } = context;
  const { root, probed } = ground;
  const model = modelRef(input.endpoint, spec);
  const taskHint = input.taskHint ?? spec.task_hint.mode;
  const maxEvals = input.maxEvals ?? spec.limits.max_eval_num;
  const maxTrainingMs = input.maxTrainingMs ?? taskTrainingMs(spec);
  const created: EventBody<'run.created'> = {
    run,
    title: input.title ?? task.title,
    task: { id: task.id, title: task.title, domain: task.domain, hash: task.hash },
    spec: task.spec,
    model,
    computers: [...places],
    workspaceRoot: root,
    limits: {
      maxSteps: input.maxSteps ?? spec.limits.max_steps,
      maxWorkingMs: input.maxWorkingMs ?? durationMs(spec.limits.max_working_time) ?? 48 * 3_600_000,
      maxEvals,
      ...(maxTrainingMs === null ? {} : { maxTrainingMs }),
      ...(input.maxTokens == null ? {} : { maxTokens: input.maxTokens }),
      ...(input.maxCost == null ? {} : { maxCost: input.maxCost }),
    },
    approvals: places.some(({ approvals }) => approvals === 'on') ? 'on' : 'off',
    taskHint,
    humanHints: input.humanHints,
    evaluatorIsolated: evaluatorIsolated(spec, places, context.workspace),
    experiment: input.experiment,
    arm: input.arm ?? null,
    group: input.group ?? null,
    sample: input.sample ?? null,
    seed: input.seed ?? null,
    parent: null,
    ruleSet: 'default',
  };
  const view = actionTaskView(spec, root, { places, probed, maxEvals, taskHint });
  const segment: EventBody<'segment.started'> = {
    segment: 1,
    head: await promptHead(spec, {
      resourcesDir: context.resourcesDir,
      workspaceRoot: root,
      probed,
      places: [...places],
      taskHint,
      maxTrainingMs,
      severalCalls: model.params.parallel_tool_calls === true,
    }),
    tools: [...offeredActions(view).values()].map((action) => toolOf(action, view)),
    request: requestParams(model),
  };
  return [
    { kind: 'run.created', body: created },
    { kind: 'segment.started', body: segment },
    ...(probed === null ? [] : [{ kind: 'workspace.probed' as const, body: probed }]),
  ];
}
