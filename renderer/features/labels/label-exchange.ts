import type { MergeReport } from '@shared/contract/ipc/merge';
import { create } from 'zustand';
import { call } from '../../api';
import { loadRuns } from '../../state/run/runs';
import { whenSaved } from './annotation-queue';

export type Exchange =
  | { kind: 'merged'; report: MergeReport }
  | { kind: 'exported'; file: string; entries: number };

/** Labels that came over, or went out: its counts. */
export const useExchange = create<{ exchange: Exchange | null }>()(() => ({ exchange: null }));

export function closeExchange(): void {
  useExchange.setState({ exchange: null });
}

/** Takes over the labels of another workspace, or of a file that another annotator sent. */
export async function mergeLabels(from: 'folder' | 'file'): Promise<void> {
  const report = await call('annotations.merge', { from });
  if (report === null) return;
  useExchange.setState({ exchange: { kind: 'merged', report } });
  await loadRuns();
}

/** Writes every label of the workspace into a file, to be merged elsewhere. */
export async function exportLabels(): Promise<void> {
  await whenSaved();
  const done = await call('annotations.export');
  if (done !== null) useExchange.setState({ exchange: { kind: 'exported', ...done } });
}
