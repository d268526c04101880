import { WaymarkError } from '@shared/contract/errors';
import { type TaskSpec, taskSpecSchema } from '@shared/contract/task';

/**
 * The specification of a stored task or of a run. A workspace may be somebody else's, so what is stored is read like anything
 * from outside. With the texts of a run its specification goes too, and `{}` is left.
 * @throws WaymarkError task_invalid; refused where it was removed
 */
export function parseSpec(spec: Record<string, unknown>, title: string): TaskSpec {
  const parsed = taskSpecSchema.safeParse(spec);
  if (parsed.success) return parsed.data;
  if (Object.keys(spec).length === 0) {
    throw new WaymarkError(
      'refused',
      `The texts of run "${title}" were removed, its task's specification among them: it cannot be resumed, and no branch can begin from it. Start a new run.`,
    );
  }
  const issue = parsed.error.issues[0];
  throw new WaymarkError(
    'task_invalid',
    `The stored specification of task "${title}" cannot be read: ${issue?.path.join('.')} ${issue?.message}. Add the task again.`,
  );
}
