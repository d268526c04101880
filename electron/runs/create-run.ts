import { WaymarkError } from '@shared/errors';
import type { EventBody, ModelRef, NewEvent } from '@shared/events';
import type { Endpoint } from '@shared/settings';
import { durationMs, evaluatorIsolated, type TaskSpec, taskSpecSchema } from '@shared/task';
import { toolOf } from '../actions/parse-call';
import { offeredActions } from '../actions/table';
import { actionTaskView } from '../actions/task-view';
import type { StoredTask } from '../store/api';
import { workspaceRoot } from '../task/reset';
import { unsupportedLine, unsupportedOnLocal } from '../task/support';
import { promptHead } from './prompt';

export interface NewRun {
  /** Id of a task in the workspace. */
  task: string;
  /** Default: the task's title. */
  title: string | null;
  endpoint: Endpoint;
  approvals: 'on' | 'off';
  /** Whether people may send hints to this run. */
  humanHints: boolean;
  experiment: string | null;
  /** Null: the task's limit. */
  maxSteps: number | null;
  maxWorkingMs: number | null;
}

export interface CreateRunContext {
  run: string;
  /** `<workspace>/runs/<run>`. */
  folder: string;
  task: StoredTask;
  resourcesDir: string;
}

/** The pinned specification of a stored task. @throws WaymarkError task_invalid */
export function parseSpec(spec: Record<string, unknown>, title: string): TaskSpec {
  const parsed = taskSpecSchema.safeParse(spec);
  if (parsed.success) {
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  throw new WaymarkError(
    'task_invalid',
    `The stored specification of task "${title}" cannot be read: ${issue?.path.join('.')} ${issue?.message}. Add the task again.`,
  );
}

/** The first two events of a run. @throws WaymarkError task_invalid, task_unsupported */
export async function creationEvents(input: NewRun, context: CreateRunContext): Promise<NewEvent[]> {
  const { task, run } = context;
  const spec = parseSpec(task.spec, task.title);
  const problem = unsupportedOnLocal(spec)[0];
  if (problem !== undefined) {
    throw new WaymarkError(
      'task_unsupported',
      `Task ${task.id} cannot run here. ${unsupportedLine(problem)}`,
    );
  }
  const root = workspaceRoot(context.folder);
  const model = modelRef(input.endpoint, spec);
  const created: EventBody<'run.created'> = {
    run,
    title: input.title ?? task.title,
    task: { id: task.id, title: task.title, domain: task.domain, hash: task.hash },
    spec: task.spec,
    model,
    computers: spec.computers.map(({ name, host }) => ({ name, kind: host === 'local' ? 'local' : 'ssh' })),
    workspaceRoot: root,
    limits: {
      maxSteps: input.maxSteps ?? spec.limits.max_steps,
      maxWorkingMs: input.maxWorkingMs ?? durationMs(spec.limits.max_working_time) ?? 48 * 3_600_000,
      maxEvals: spec.limits.max_eval_num,
    },
    approvals: input.approvals,
    taskHint: spec.task_hint.mode,
    humanHints: input.humanHints,
    evaluatorIsolated: evaluatorIsolated(spec),
    experiment: input.experiment,
    arm: null,
    group: null,
    sample: null,
    seed: null,
    parent: null,
    ruleSet: 'default',
  };
  const view = actionTaskView(spec, root);
  const segment: EventBody<'segment.started'> = {
    segment: 1,
    head: await promptHead(spec, {
      resourcesDir: context.resourcesDir,
      workspaceRoot: root,
      taskHint: spec.task_hint.mode,
    }),
    tools: [...offeredActions(view).values()].map((action) => toolOf(action, view)),
    request: requestParams(model),
  };
  return [
    { kind: 'run.created', body: created },
    { kind: 'segment.started', body: segment },
  ];
}

function modelRef(endpoint: Endpoint, spec: TaskSpec): ModelRef {
  return {
    endpoint: endpoint.name,
    baseUrl: endpoint.baseUrl,
    model: endpoint.model,
    keyRef: endpoint.keyEnv === '' ? null : endpoint.keyEnv,
    params: { temperature: endpoint.temperature, max_tokens: endpoint.maxTokens },
    contextTokens: Math.min(endpoint.contextTokens, spec.context_tokens),
    sendReasoning: endpoint.sendReasoning,
  };
}

/** Everything of the body but tools and messages, in sending order. */
function requestParams({ model, params }: ModelRef): Record<string, unknown> {
  return { model, ...params, stream: true, stream_options: { include_usage: true } };
}
