import type { Failure } from '@shared/contract/errors';
import type { Rehearsal, RehearsalCost } from '@shared/contract/views';
import { create } from 'zustand';
import { call, failureOf } from '../../api';
import { toastFailure } from '../../state/toasts';

/** A draft that is tried out: first what it costs, then one answer of the model beside the one it gave. */
export interface Trial {
  run: string;
  text: string;
  phase: 'pricing' | 'priced' | 'running' | 'done' | 'failed';
  cost: RehearsalCost | null;
  result: Rehearsal | null;
  failure: Failure | null;
}

/** The trial on the screen; null when there is none. Nothing of it is stored. */
export const useTrial = create<{ trial: Trial | null }>()(() => ({ trial: null }));

let turn = 0;

/** Opens a trial and asks what it would cost; no model is asked. */
export async function openTrial(run: string, text: string): Promise<void> {
  turn += 1;
  const mine = turn;
  const trial: Trial = { run, text, phase: 'pricing', cost: null, result: null, failure: null };
  useTrial.setState({ trial });
  await step(mine, async () => {
    const cost = await call('hints.rehearsalCost', { run, text });
    return { phase: 'priced', cost };
  });
}

/** Asks the model once. Its answer is shown; no action is run. */
export async function runTrial(): Promise<void> {
  const { trial } = useTrial.getState();
  if (trial === null || trial.phase === 'running') return;
  turn += 1;
  const mine = turn;
  useTrial.setState({ trial: { ...trial, phase: 'running', failure: null } });
  await step(mine, async () => {
    const result = await call('hints.rehearse', { run: trial.run, text: trial.text });
    return { phase: 'done', result };
  });
}

/** Ends the model call under way; the cost stays on the screen. */
export function cancelTrial(): void {
  const { trial } = useTrial.getState();
  if (trial?.phase !== 'running') return;
  turn += 1;
  useTrial.setState({ trial: { ...trial, phase: 'priced' } });
  call('hints.cancelRehearsal', { run: trial.run }).catch((thrown: unknown) => toastFailure(thrown));
}

/** Leaves the trial; a model call under way is ended. */
export function closeTrial(): void {
  cancelTrial();
  turn += 1;
  useTrial.setState({ trial: null });
}

/** Takes what `work` found into the trial, unless a newer step has overtaken it. */
async function step(mine: number, work: () => Promise<Partial<Trial>>): Promise<void> {
  let change: Partial<Trial>;
  try {
    change = await work();
  } catch (thrown) {
    change = { phase: 'failed', failure: failureOf(thrown) };
  }
  const { trial } = useTrial.getState();
  if (mine === turn && trial !== null) useTrial.setState({ trial: { ...trial, ...change } });
}
