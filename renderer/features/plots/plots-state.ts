import { create } from 'zustand';
import { openDialog } from '../../state/view';

export type Plot = 'score' | 'masks' | 'kinds' | 'tokens' | 'people' | 'judges';

interface PlotsState {
  chosen: Plot;
  /** Of judges: over all runs, and which of them; null: the first. */
  allRuns: boolean;
  judge: string | null;
}

/** What the plots show; it stays while they are closed. */
export const usePlots = create<PlotsState>()(() => ({ chosen: 'score', allRuns: false, judge: null }));

export function choosePlot(chosen: Plot): void {
  usePlots.setState({ chosen });
}

/** Opens the plots at the figures on judges. */
export function openJudgeQuality(choice: Partial<Omit<PlotsState, 'chosen'>> = {}): void {
  usePlots.setState({ ...choice, chosen: 'judges' });
  openDialog('plots');
}
