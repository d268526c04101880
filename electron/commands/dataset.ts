import type { datasetCommands } from '@shared/contract/ipc/dataset';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';
import { planReads } from './export-plans';

type DatasetHandlers = HandlersOf<typeof datasetCommands>;

export interface DatasetHandlerOptions {
  holder: WorkbenchHolder;
  /** Asks for the target folder; null = cancelled. */
  chooseTarget(): Promise<string | null>;
}

export function datasetHandlers(options: DatasetHandlerOptions): DatasetHandlers {
  return { ...planReads(options.holder), 'export.jobs': async () => [], 'datasets.list': async () => [], 'datasets.forStep': async () => [] } as unknown as DatasetHandlers;
}
