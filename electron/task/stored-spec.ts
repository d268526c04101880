import { WaymarkError } from '@shared/contract/errors';
import { type TaskSpec, taskSpecSchema } from '@shared/contract/task';

/**
 * The specification of a stored task or of a run. A workspace may be somebody else's, so what is stored is read like anything
 * from outside.
 * @throws WaymarkError task_invalid
 */
export function parseSpec(spec: Record<string, unknown>, title: string): TaskSpec {
  const parsed = taskSpecSchema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WaymarkError(
    'task_invalid',
    `The stored specification of task "${title}" cannot be read: ${issue?.path.join('.')} ${issue?.message}. Add the task again.`,
  );
}
