import type { PromptDiff } from '@shared/context/prompt-diff';
import { diffPrompts } from '@shared/context/prompt-diff';
import type { Failure } from '@shared/contract/errors';
import type { PromptView } from '@shared/contract/views';
import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { call, failureOf } from '../../api';
import type { HeadCache } from '../../state/run/head-cache';
import { useTimeline } from '../../state/run/timeline';

interface PromptPane {
  /** The person's choice of room for the prompt; null = large in Watch, in its tab in Review. */
  large: boolean | null;
  /** The step whose prompt was opened for the hint at its end. */
  atHint: number | null;
}

export const usePromptPane = create<PromptPane>()(() => ({ large: null, atHint: null }));

export interface AskedPrompt {
  prompt: PromptView | null;
  /** Why there is none: a step that was never asked for, or a damaged log. */
  failure: Failure | null;
}

/** The newest requests that were read: a prompt is a megabyte, and its diff asks for the same two again. */
const KEEP = 4;
const known = new Map<string, Promise<PromptView>>();

/** @param final The step was answered, so its request can no longer become another one by a retry. */
function readPrompt(run: string, step: number, final: boolean): Promise<PromptView> {
  const key = `${run} ${step}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const asked = call('step.prompt', { run, step });
  if (!final) return asked;
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  for (const old of [...known.keys()].slice(0, -KEEP)) known.delete(old);
  return asked;
}

/**
 * The exact request of a step; `step` 0 asks for none. The answer may name another run: a step that a branch took over was
 * asked for in the run that made it.
 */
export function usePrompt(run: string, step: number): AskedPrompt {
  const key = `${run} ${step}`;
  const [asked, setAsked] = useState<AskedPrompt & { key: string }>({ key, prompt: null, failure: null });
  useEffect(() => {
    if (step === 0) return;
    let current = true;
    const { heads } = useTimeline.getState();
    readPrompt(run, step, heads.get(step)?.done === true).then(
      (prompt) => current && setAsked({ key, prompt, failure: null }),
      (thrown: unknown) => current && setAsked({ key, prompt: null, failure: failureOf(thrown) }),
    );
    return () => {
      current = false;
    };
  }, [run, step, key]);
  return step > 0 && asked.key === key ? asked : nothing;
}

const nothing: AskedPrompt = { prompt: null, failure: null };

/**
 * The step whose request another one is compared with: the last one before it that is no summary turn, because a
 * summariser is asked something else. A summary turn is compared with the step right before it. 0 = there is none.
 */
export function comparedStep(heads: Pick<HeadCache, 'get'>, step: number): number {
  const own = heads.get(step)?.kind === 'summary';
  let before = step - 1;
  while (!own && before > 0 && heads.get(before)?.kind === 'summary') before -= 1;
  return Math.max(0, before);
}

export interface Comparison {
  /** 0 while there is nothing to compare with. */
  step: number;
  before: PromptView | null;
  diff: PromptDiff | null;
  failure: Failure | null;
}

/** Compares a prompt with the request before it, which is read only after the prompt itself is there. */
export function useComparison(run: string, prompt: PromptView | null): Comparison {
  const heads = useTimeline((state) => state.heads);
  useTimeline((state) => state.version);
  const step = prompt === null ? 0 : comparedStep(heads, prompt.step);
  const { prompt: before, failure } = usePrompt(run, step);
  const diff = useMemo(
    () => (prompt === null || before === null ? null : diffPrompts(before, prompt)),
    [prompt, before],
  );
  return { step, before, diff, failure };
}
