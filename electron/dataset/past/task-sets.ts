import type { StoreReader } from '../../store/api';
import { DatasetRegistry } from './dataset-registry';

/** A version of a task, by its name and the hash of its package. */
interface TaskKey {
  task: string;
  hash: string;
}

/** Tasks of an experiment's runs. @throws WaymarkError not_found */
export async function experimentTasks(
  reader: Pick<StoreReader, 'experiment'>,
  name: string,
): Promise<TaskKey[]> {
  const runs = await reader.experiment(name);
  return runs.map(({ task: { id, hash } }) => ({ task: id, hash }));
}

/** Tasks of a past export; null: it was written before that was kept. @throws WaymarkError not_found */
export async function datasetTasks(workspace: string, dataset: string): Promise<TaskKey[] | null> {
  const { composition } = await new DatasetRegistry(workspace).get(dataset);
  return composition?.map(({ task, hash }) => ({ task, hash })) ?? null;
}
