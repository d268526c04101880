import { actionFamilies, type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { StoredTask } from '../store/values';
import { parseSpec } from './stored-spec';

/** A field of the task that asks for more than this application can give now. */
interface Unsupported {
  field: string;
  message: string;
}

/** What no choice of computers can give this task; empty when a run may start once its computers are there. */
export function unsupported(spec: TaskSpec): Unsupported[] {
  const problems: Unsupported[] = [];
  for (const family of ['parse', 'web_search', 'web_browse'] as const) {
    const names: readonly string[] = actionFamilies[family];
    const asked = spec.tools.filter((tool) => names.includes(tool));
    if (asked.length > 0) {
      problems.push({ field: 'tools', message: `offers ${asked.join(', ')}, which cannot be used yet` });
    }
  }
  const evaluators = spec.computers.filter(({ evaluator }) => evaluator);
  if (evaluators.length > 1) {
    const names = evaluators.map(({ name }) => name).join(', ');
    problems.push({ field: 'computers', message: `names several evaluators (${names}); one can be used` });
  }
  return problems;
}

/** What these computers cannot give the task. `isLocal`: whether a computer of the task is this machine in the run. */
export function unsupportedThere(spec: TaskSpec, isLocal: (computer: string) => boolean): Unsupported[] {
  const problems = unsupported(spec);
  if (spec.workspace.root !== null && isLocal(workspaceHolder(spec).name)) {
    problems.push({
      field: 'workspace.root',
      message: 'asks for a fixed folder; on the local computer the workspace is the folder of the run',
    });
  }
  return problems;
}

/** `task.yaml, workspace.root asks for ...` */
export function unsupportedLine(problem: Unsupported): string {
  return `task.yaml, ${problem.field} ${problem.message}.`;
}

/** Why a stored task cannot run whatever its computers are, one sentence each; empty when it can. */
export function unsupportedHere(task: Pick<StoredTask, 'spec' | 'title'>): string[] {
  return unsupported(parseSpec(task.spec, task.title)).map(unsupportedLine);
}
