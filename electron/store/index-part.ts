import type { SearchPage, VerifyReport } from '@shared/views';
import type { StoreNotice } from './api';
import type { StepProjector } from './step-projector';

export interface IndexPart {
  noticed(notice: StoreNotice): void;
  search(run: string, query: string, from: number, direction: 1 | -1, limit: number): SearchPage;
  verify(runs: string[] | undefined): Promise<VerifyReport>;
  backup(): Promise<string>;
  drain(): Promise<void>;
  close(): Promise<void>;
}
export function openIndexPart(
  _folder: string,
  _options: { now: () => number; projector: StepProjector },
): IndexPart {
  return {
    noticed: () => undefined,
    search: () => ({ hits: [], total: 0, behind: 0 }),
    verify: async () => ({ ok: true, runs: [], workspace: [] }),
    backup: async () => '',
    drain: async () => undefined,
    close: async () => undefined,
  };
}
