import { z } from 'zod';

/**
 * The outbox: what humans want a run to hear or do. Many writers (window, command line, other processes);
 * the driver polls it and applies it. Entries are append-only.
 */
const ulid = z.string().length(26);

export const hintCategory = z.enum(['strategy', 'correction', 'information', 'question', 'other']);
export type HintCategory = z.infer<typeof hintCategory>;

export const outboxOps = z.discriminatedUnion('op', [
  z.object({ op: z.literal('hint.queued'), hint: ulid, text: z.string().min(1), category: hintCategory }),
  z.object({ op: z.literal('hint.edited'), hint: ulid, text: z.string().min(1) }),
  /** Puts the hint before another queued one; null = to the end. */
  z.object({ op: z.literal('hint.moved'), hint: ulid, before: ulid.nullable() }),
  z.object({ op: z.literal('hint.withdrawn'), hint: ulid }),
  z.object({ op: z.literal('run.pause'), mode: z.enum(['after_step', 'now']) }),
  z.object({ op: z.literal('run.stop') }),
  z.object({ op: z.literal('run.wake') }),
  z.object({ op: z.literal('approval.decided'), approval: ulid, decision: z.enum(['allow', 'deny']) }),
]);
export type OutboxOp = z.infer<typeof outboxOps>;

export interface OutboxEntry {
  /** Commit order within the workspace. */
  id: number;
  ulid: string;
  run: string;
  at: number;
  /** Display name of the person. */
  author: string;
  body: OutboxOp;
}

export const hintStates = ['queued', 'delivered', 'withdrawn', 'undelivered'] as const;
export type HintState = (typeof hintStates)[number];

/** Fold of outbox and run log for one hint. */
export interface HintView {
  id: string;
  /** 1-based per run, in the order of first queueing; what a person sees as "Hint 7". */
  number: number;
  text: string;
  category: HintCategory;
  state: HintState;
  author: string;
  queuedAt: number;
  /** Step whose observation carries it; null until delivered; 0 = joined the task. */
  step: number | null;
  deliveredAt: number | null;
  /** 1-based position in the queue while queued, else null. */
  position: number | null;
}
