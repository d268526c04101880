import { type ExportOptions, exportRequestSchema } from '@shared/contract/export-request';
import type { ExportJob } from '@shared/contract/export-views';
import { removeAt } from '../../files/remove';
import { DatasetFolder } from '../dataset-folder';
import type { StoredJob } from '../past/dataset-registry';
import { isAlive } from './process-alive';

/** An export that a killed process left, as a job that can go on. */
export interface LeftExport {
  partial: string;
  options: ExportOptions;
  view: ExportJob;
}

/** What became of a job that the workspace has a note of: `alive`: its process works on it; `gone`: nothing can go on. */
export async function leftExport(stored: StoredJob): Promise<LeftExport | 'alive' | 'gone'> {
  const left = (await DatasetFolder.left(stored.folder)).find(({ head }) => head.job === stored.id);
  if (left === undefined) return stored.pid !== process.pid && isAlive(stored.pid) ? 'alive' : 'gone';
  const { head, partial } = left;
  return {
    partial,
    options: exportRequestSchema.parse(head.options),
    view: {
      id: stored.id,
      folder: stored.folder,
      format: head.options.format,
      state: 'paused',
      done: head.done,
      total: head.total,
      records: head.records,
      bytes: head.bytes,
      rate: null,
      secondsLeft: null,
      startedAt: stored.startedAt,
      resumed: true,
      error: null,
      result: null,
    },
  };
}

/** Nothing of it stays. */
export async function abandonLeft(partial: string): Promise<void> {
  await removeAt(partial, { kind: 'folder', owned: true });
}
