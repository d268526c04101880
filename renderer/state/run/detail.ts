import type { StepDetail } from '@shared/contract/views';
import type { StepEvidence } from '@shared/labels/evidence';
import { useEffect, useState } from 'react';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../toasts';
import { useTimeline } from './timeline';

interface DetailState {
  /** The newest details, by `run/step`; a few dozen, for walking back and forth. */
  details: ReadonlyMap<string, StepDetail>;
}

const KEEP = 32;
/** And together no more text than this, UTF-16 units; the newest one always stays. */
const KEEP_TEXT = 16 * 1024 * 1024;
/** Who walks through steps asks for the evidence of those they stay at, ms. */
const STAY = 120;
export const useDetails = create<DetailState>()(() => ({ details: new Map() }));

const loading = new Map<string, { again: boolean }>();

function keyOf(run: string, step: number): string {
  return `${run}/${step}`;
}

/** Reads one step; a request while one is under way is one more request after it. */
export function loadDetail(run: string, step: number): void {
  const { heads, run: open } = useTimeline.getState();
  const head = open === run ? heads.get(step) : undefined;
  // Of a step whose run was removed nothing but its row is left, which says so.
  if (head !== undefined && head.id === '' && head.inheritedFrom !== null) return;
  const key = keyOf(run, step);
  const under = loading.get(key);
  if (under !== undefined) {
    under.again = true;
    return;
  }
  const mine = { again: false };
  loading.set(key, mine);
  call('step.detail', { run, step })
    .then(
      (detail) => {
        const details = new Map(useDetails.getState().details);
        details.delete(key);
        details.set(key, detail);
        forgetOld(details);
        useDetails.setState({ details });
      },
      (thrown: unknown) => {
        if (useTimeline.getState().run === run) toastFailure(thrown);
      },
    )
    .finally(() => {
      loading.delete(key);
      if (mine.again) loadDetail(run, step);
    });
}

function forgetOld(details: Map<string, StepDetail>): void {
  let text = [...details.values()].reduce((sum, detail) => sum + textOf(detail), 0);
  for (const [key, detail] of details) {
    if (details.size === 1 || (details.size <= KEEP && text <= KEEP_TEXT)) return;
    details.delete(key);
    text -= textOf(detail);
  }
}

function textOf({ text, reasoning, observations }: StepDetail): number {
  return observations.reduce(
    (sum, each) => sum + each.text.length + each.rawArguments.length,
    text.length + reasoning.length,
  );
}

/** What speaks for or against a step, once the cursor has stayed at it; asked again when the next step is over. */
export function useEvidence(run: string, step: number): StepEvidence | null {
  const [evidence, setEvidence] = useState<StepEvidence | null>(null);
  const after = useTimeline((state) => {
    const next = state.heads.get(step + 1);
    return `${state.heads.get(step)?.done} ${next?.done} ${next?.exitCode}`;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what became of the step is a reason to ask again
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      call('step.evidence', { run, step }).then(
        (answer) => {
          if (current) setEvidence(answer);
        },
        // A step that is being thought about has none yet, and its detail says what failed otherwise.
        () => undefined,
      );
    }, STAY);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [run, step, after]);
  return evidence?.run === run && evidence.step === step ? evidence : null;
}

/** The detail of a step when it has been read. */
export function useDetail(run: string | null, step: number): StepDetail | undefined {
  return useDetails((state) => (run === null ? undefined : state.details.get(keyOf(run, step))));
}

/** Drops what is known of some steps, and reads the one under the cursor again. */
export function invalidateDetails(run: string, from: number, to: number): void {
  const { cursor, run: open } = useTimeline.getState();
  const details = new Map(useDetails.getState().details);
  for (const [key, detail] of details) {
    const inRange = detail.head.run === run && detail.head.step >= from && detail.head.step <= to;
    if (inRange && !(open === run && detail.head.step === cursor)) details.delete(key);
  }
  useDetails.setState({ details });
  if (open === run && cursor >= from && cursor <= to) loadDetail(run, cursor);
}
