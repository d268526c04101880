import { largestPart, shortenLargest, shortenMany } from '@shared/context/context-shorten';
import { summaryTool } from '@shared/context/summary';
import { planSummary, type SummaryPlan, summaryRequestTokens } from '@shared/context/summary-plan';
import type { EventBody, NewEvent } from '@shared/log/events';
import { budgetTail } from './budget';
import { pauseRun } from './come-to-rest';
import type { Lap, Loop } from './loop-types';
import { closingText } from './summarise-texts';

/** After so many rounds that did not make the context fit, the run pauses (semantics, Context). */
const MOST_ROUNDS = 3;

/** A shortened observation leaves room for the next steps: the share of the limit that the context may then take. */
const AIM = 0.9;

/**
 * Makes the context smaller: a summary turn begins, or the largest observation is shortened where there is nothing to
 * summarise. `why`: our estimate is over the limit, or the endpoint said that the prompt is too long.
 */
export async function makeRoom(loop: Loop, why: 'limit' | 'model'): Promise<Lap> {
  const { state, ports, options } = loop;
  const { context } = state;
  const tokens = context.tokens({ tail: budgetTail(loop) });
  if (context.rounds >= MOST_ROUNDS) {
    return pauseFull(loop, tokens, why);
  }
  const plan = planSummary(context);
  if (plan !== null) {
    return beginSummary(loop, plan, { tokens, why });
  }
  // An endpoint that takes less than we believe does not say how much less.
  const aim = why === 'limit' ? options.contextTokens * AIM : Math.min(tokens, options.contextTokens) / 2;
  const shortened = shortenLargest(context, Math.ceil(tokens - aim));
  if (shortened === null) {
    return pauseFull(loop, tokens, why);
  }
  await ports.recorder.record([{ kind: 'context.shortened', body: shortened.body }]);
  return 'next';
}

/** The endpoint will not even read the part that is to be summarised: its largest observation is shortened. */
export async function shortenSummarised(loop: Loop, started: EventBody<'summary.started'>): Promise<Lap> {
  const { context } = loop.state;
  const tokens = context.tokens({ tail: '' });
  const shortened = shortenLargest(context, Math.ceil(tokens / 2), started);
  if (shortened === null) {
    return pauseFull(loop, tokens, 'model');
  }
  await loop.ports.recorder.record([{ kind: 'context.shortened', body: shortened.body }]);
  return 'next';
}

async function beginSummary(
  loop: Loop,
  plan: SummaryPlan,
  { tokens, why }: { tokens: number; why: 'limit' | 'model' },
): Promise<Lap> {
  const { state, ports, options } = loop;
  const { context, run } = state;
  const { entries, pair, steps, carried, hints } = plan;
  const base = context.pair === null ? context.storedHead() : context.storedHead().slice(0, -2);
  const task = base.flatMap(({ role, content }) => (role === 'user' ? [{ role, content }] : []));
  const started: EventBody<'summary.started'> = {
    step: run.step + 1,
    segment: context.segment,
    entries,
    pair,
    steps,
    carried,
    tokens,
    why,
    limit: options.contextTokens,
    hints: hints.map(({ id }) => id),
    head: [{ role: 'system', content: options.summary.system }, ...task],
    closing: closingText(options.summary, plan),
    tools: [summaryTool],
    request: context.request,
  };
  const excess = summaryRequestTokens(context, started) - options.contextTokens;
  const { bodies, left } = shortenMany(context, excess, started);
  if (left > 0) {
    return pauseFull(loop, tokens, why);
  }
  const shortened = bodies.map((body): NewEvent => ({ kind: 'context.shortened', body }));
  await ports.recorder.record([{ kind: 'summary.started', body: started }, ...shortened]);
  return 'next';
}

function pauseFull(loop: Loop, tokens: number, why: 'limit' | 'model'): Promise<Lap> {
  const { context } = loop.state;
  const { step, tokens: size } = largestPart(context);
  const what = step === 0 ? 'the task and what stands before the first step' : `step ${step}`;
  const spell = (value: number) => value.toLocaleString('en-US');
  const limit =
    why === 'limit'
      ? `The context holds about ${spell(tokens)} tokens; its limit is ${spell(loop.options.contextTokens)}.`
      : `The model says that a prompt of about ${spell(tokens)} tokens is too long for it.`;
  return pauseRun(
    loop,
    'context_full',
    `${limit} Summarising and shortening did not make it fit; ${what} takes about ${spell(size)} of them. Choose a model with a longer context and resume the run.`,
  );
}
