import { taskSpecSchema } from '@shared/task';
import type { StoredTask } from '../store/api';
import { unsupportedLine, unsupportedOnLocal } from './support';

/** Why a stored task cannot run on this machine, one sentence each; empty when it can. */
export function unsupportedHere(task: Pick<StoredTask, 'spec'>): string[] {
  return unsupportedOnLocal(taskSpecSchema.parse(task.spec)).map(unsupportedLine);
}
