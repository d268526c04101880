import type { SimilarSteps } from '@shared/contract/ipc/labels';
import { create } from 'zustand';
import { call } from '../../api';
import { useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';
import { labelTarget } from './label-target';
import { fitting, give, reasonNow, useLabels } from './labels';

interface SimilarState {
  /** What is like the step under the cursor, while the person looks at it. */
  found: { run: string; step: number; similar: SimilarSteps } | null;
  /** What the steps would be labelled. */
  value: 'train' | 'mask';
  reason: string | null;
}

export const useSimilar = create<SimilarState>()(() => ({ found: null, value: 'mask', reason: null }));

/**
 * Looks for the steps that are like the one under the cursor. Proposed is what the person said last when that was about this kind
 * of thing (a reason is armed, or the step is decided), else what holds for the step.
 */
export async function openSimilar(): Promise<void> {
  const target = labelTarget();
  if (target === null) return;
  const { run } = target;
  const { cursor, heads } = useTimeline.getState();
  const similar = await call('labels.similar', { run, step: cursor });
  if (useTimeline.getState().run !== run) return;
  if (similar.steps <= 1) {
    toast((text) => text.similar.none(cursor));
    return;
  }
  const { last } = useLabels.getState();
  const reason = reasonNow();
  const holds = heads.get(cursor)?.label.value ?? null;
  const before = last === null || last.value === 'clear' ? null : last.value;
  useSimilar.setState({
    found: { run, step: cursor, similar },
    value:
      reason !== null ? (fitting(reason, 'mask') === null ? 'train' : 'mask') : (holds ?? before ?? 'mask'),
    reason,
  });
}

export function closeSimilar(): void {
  useSimilar.setState({ found: null });
}

/** How many steps would change, and from what. */
export function changesOf({ now, steps }: SimilarSteps, value: 'train' | 'mask') {
  return {
    changing: steps - now[value],
    undecided: now.undecided,
    other: value === 'train' ? now.mask : now.train,
  };
}

/** Gives the label to what was shown, as one entry. */
export function applySimilar(): void {
  const { found, value, reason } = useSimilar.getState();
  if (found === null) return;
  closeSimilar();
  void give({ run: found.run, parts: found.similar.parts, value, reason: fitting(reason, value) });
}
