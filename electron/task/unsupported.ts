import { taskSpecSchema } from '@shared/contract/task';
import type { StoredTask } from '../store/values';
import { unsupported, unsupportedLine } from './support';

/** Why a stored task cannot run whatever its computers are, one sentence each; empty when it can. */
export function unsupportedHere(task: Pick<StoredTask, 'spec'>): string[] {
  return unsupported(taskSpecSchema.parse(task.spec)).map(unsupportedLine);
}
