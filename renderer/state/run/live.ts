import type { EventPayloads } from '@shared/contract/ipc';
import { create } from 'zustand';

/** What the model is writing right now; never stored, replaced by the step when that is recorded. */
export interface LiveAnswer {
  run: string;
  step: number;
  text: string;
  reasoning: string;
  call: string;
}

interface LiveState {
  answer: LiveAnswer | null;
}

const LIMIT = 20_000;
export const useLive = create<LiveState>()(() => ({ answer: null }));

let next: LiveAnswer | null = null;
let scheduled = false;

/** Takes a delta; paints at most once per frame. */
export function addDelta(delta: EventPayloads['live.delta']): void {
  const before = next ?? useLive.getState().answer;
  const same = before !== null && before.run === delta.run && before.step === delta.step;
  next = {
    run: delta.run,
    step: delta.step,
    text: tail((same ? before.text : '') + (delta.text ?? '')),
    reasoning: tail((same ? before.reasoning : '') + (delta.reasoning ?? '')),
    call: tail((same ? before.call : '') + (delta.call ?? '')),
  };
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    useLive.setState({ answer: next });
    next = null;
  });
}

/** Forgets the answer under way once its step is recorded. */
export function endLive(run: string, doneSteps: number): void {
  const { answer } = useLive.getState();
  if (answer !== null && answer.run === run && answer.step <= doneSteps) useLive.setState({ answer: null });
}

function tail(text: string): string {
  return text.length > LIMIT ? text.slice(-LIMIT) : text;
}
