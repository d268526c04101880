import { callSchema } from '@shared/log/event-parts';
import { hintCategory, hintDelivery, hintStates, hintVerdict } from '@shared/log/outbox';
import { z } from 'zod';
import { at, count, listOf, nothing, number, run, step, text } from './parts';

const hint = z.object({
  id: run,
  number: count,
  text,
  category: hintCategory,
  state: z.enum(hintStates),
  author: text,
  queuedAt: at,
  deliver: hintDelivery,
  due: text.nullable(),
  verdict: hintVerdict.nullable(),
  step: step.nullable(),
  prompt: step.nullable(),
  deliveredAt: at.nullable(),
  position: count.nullable(),
});

const waitsFor = z.enum([
  ...['model', 'action', 'sleep', 'paused', 'undriven', 'ended', 'condition', 'host'],
  ...['model_away', 'human'],
] as const);

const cost = { step, inputTokens: number, outputTokens: number, cost: number.nullable(), model: text };
const action = z.object({ text, reasoning: text, calls: listOf(callSchema) });

export const hintAnswers = {
  'hints.list': z.object({
    run,
    hints: listOf(hint),
    textToSend: text,
    waitsFor: z.object({ reason: waitsFor, until: at.nullable() }).nullable(),
  }),
  'hints.queue': hint,
  'hints.edit': nothing,
  'hints.move': nothing,
  'hints.withdraw': nothing,
  'hints.verdict': nothing,
  'hints.rehearsalCost': z.object(cost),
  'hints.rehearse': z.object({ ...cost, without: action, with: action, paid: number.nullable() }),
  'hints.cancelRehearsal': nothing,
  'labels.dismissRetroMask': nothing,
};
