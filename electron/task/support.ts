import { actionFamilies, type TaskSpec } from '@shared/task';

/** A field of the task that asks for more than this application can give now. */
export interface Unsupported {
  field: string;
  message: string;
}

/** What a local computer cannot do of this task; empty when a run may start. */
export function unsupportedOnLocal(spec: TaskSpec): Unsupported[] {
  const problems: Unsupported[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  for (const [i, computer] of spec.computers.entries()) {
    const at = `computers[${i}]`;
    if (computer.host !== 'local') {
      add(`${at}.host`, `asks for the ssh host "${computer.host}"; runs use the local computer so far`);
    }
    if (computer.gpus) {
      const { count, memory_gb } = computer.gpus;
      add(
        `${at}.gpus`,
        `asks for ${count} GPU${count === 1 ? '' : 's'} of ${memory_gb} GB; the local computer offers none`,
      );
    }
  }
  const local = spec.computers.filter((c) => c.host === 'local' && !c.evaluator);
  if (local.length > 1) {
    add(
      'computers',
      `names the local computer ${local.length} times (${local.map((c) => c.name).join(', ')})`,
    );
  }
  if (spec.workspace.root !== null) {
    add(
      'workspace.root',
      'asks for a fixed folder; on the local computer the workspace is the folder of the run',
    );
  }
  for (const family of ['parse', 'web_search', 'web_browse'] as const) {
    const names: readonly string[] = actionFamilies[family];
    const asked = spec.tools.filter((tool) => names.includes(tool));
    if (asked.length > 0) add('tools', `offers ${asked.join(', ')}, which cannot be used yet`);
  }
  return problems;
}

/** `task.yaml, computers[0].gpus asks for ...` */
export function unsupportedLine(problem: Unsupported): string {
  return `task.yaml, ${problem.field} ${problem.message}.`;
}
