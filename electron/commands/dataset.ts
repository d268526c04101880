import type { CommandParsed } from '@shared/contract/ipc';
import type { datasetCommands } from '@shared/contract/ipc/dataset';
import { exportDataset } from '../dataset/export-dataset';
import { previewDataset } from '../dataset/preview-dataset';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type DatasetHandlers = HandlersOf<typeof datasetCommands>;

export interface DatasetHandlerOptions {
  holder: WorkbenchHolder;
  /** Asks for the target folder; null = cancelled. */
  chooseTarget(): Promise<string | null>;
}

/** Preview and export use the same rows, so the counts agree. */
export function datasetHandlers(options: DatasetHandlerOptions): DatasetHandlers {
  const request = (input: CommandParsed<'export.preview'>) => ({
    format: 'slime' as const,
    runs: input.runs,
    undecided: input.undecided,
    preset: input.preset,
    noTools: input.noTools,
    reasoning: input.reasoning,
    signal: new AbortController().signal,
  });
  return {
    'export.preview': (input) => previewDataset(options.holder.require().store.reader, request(input)),
    'export.start': async (input) => {
      const { reader } = options.holder.require().store;
      const out = await options.chooseTarget();
      if (out === null) return null;
      return exportDataset(reader, { ...request(input), out });
    },
  };
}
