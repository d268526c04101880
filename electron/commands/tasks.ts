import type { CatalogueRow, TaskRow, taskCommands } from '@shared/contract/ipc/application';
import { approvalsFor, durationMs, type TaskWarning, workspaceHolder } from '@shared/contract/task';
import type { StoredTask } from '../store/values';
import { parseSpec } from '../task/stored-spec';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type TaskHandlers = HandlersOf<typeof taskCommands>;

export interface TaskHandlerOptions {
  holder: WorkbenchHolder;
  /** Asks for the folder of a task package, adds it; null = cancelled. */
  add(): Promise<StoredTask | null>;
  catalogue(): Promise<CatalogueRow[]>;
  /** Asks where to put it and writes a skeleton package from a row; null = cancelled. */
  create(key: string): Promise<{ folder: string } | null>;
  /** Why a task cannot run on this machine; empty when it can. */
  unsupported(task: StoredTask): string[];
  /** What the package had better not do. */
  warnings(task: StoredTask): Promise<TaskWarning[]>;
}

/** Task packages of the workspace, and the catalogue new ones start from. */
export function taskHandlers(options: TaskHandlerOptions): TaskHandlers {
  const row = async (task: StoredTask) =>
    taskRow(task, options.unsupported(task), await options.warnings(task));
  return {
    'tasks.list': async () => Promise.all((await options.holder.require().store.reader.tasks()).map(row)),
    'tasks.add': async () => {
      const task = await options.add();
      return task && row(task);
    },
    'catalogue.list': () => options.catalogue(),
    'catalogue.create': ({ key }) => options.create(key),
  };
}

function taskRow(task: StoredTask, unsupported: string[], warnings: TaskWarning[]): TaskRow {
  const spec = parseSpec(task.spec, task.title);
  return {
    id: task.id,
    title: task.title,
    domain: task.domain,
    hash: task.hash,
    addedAt: task.addedAt,
    summary: withoutHeadings(spec.description)
      .trim()
      .split(/\n\s*\n/)
      .slice(0, 2)
      .join('\n\n')
      .slice(0, 600),
    tools: [...spec.tools],
    limits: {
      maxSteps: spec.limits.max_steps,
      maxWorkingMs: durationMs(spec.limits.max_working_time) ?? 0,
      maxEvals: spec.limits.max_eval_num,
      maxTrainingMs:
        spec.limits.max_training_time === null ? null : durationMs(spec.limits.max_training_time),
    },
    maxScore: spec.evaluation.max_score,
    taskHint: spec.task_hint.text === '' ? 'none' : spec.task_hint.mode,
    approvals: approvalsFor(spec, workspaceHolder(spec)),
    computers: spec.computers.map((computer) => ({
      name: computer.name,
      host: computer.host,
      kind: computer.type,
      gpus: computer.gpus?.count ?? 0,
      internet: computer.internet,
      evaluator: computer.evaluator,
      dedicated: computer.dedicated,
      eachSession: [...computer.setup.each_session],
      approvals: approvalsFor(spec, computer),
    })),
    unsupported,
    warnings,
  };
}

/** The description's prose: Markdown headings say nothing in a summary, and lines are wrapped by the window. */
function withoutHeadings(description: string): string {
  return description
    .split(/\n\s*\n/)
    .map((block) =>
      block
        .replace(/^#+ .*$/gm, '')
        .replace(/\s*\n\s*/g, ' ')
        .trim(),
    )
    .filter((block) => block !== '')
    .join('\n\n');
}
