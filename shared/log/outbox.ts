import { z } from 'zod';
import { idSchema } from '../contract/id';
import { modelRefSchema } from './event-parts';

/**
 * The outbox: what humans want a run to hear or do. Many writers (window, command line, other processes);
 * the driver polls it and applies it. Entries are append-only.
 */
const ulid = idSchema;

export const hintCategory = z.enum(['strategy', 'correction', 'information', 'question', 'other']);
export type HintCategory = z.infer<typeof hintCategory>;

/**
 * When a hint may be delivered. Conditions are looked at by the driver; only what happens after the hint was queued, or got
 * this condition, counts.
 */
export const hintDelivery = z.discriminatedUnion('when', [
  /** At the next step; a running sleep goes on. */
  z.object({ when: z.literal('next_step') }),
  /** At the next step, and a running sleep ends for it; jobs go on. */
  z.object({ when: z.literal('wake') }),
  /** A session of the run is idle again, or over, after it was busy; empty name = any. */
  z.object({ when: z.literal('session_idle'), computer: z.string().max(120), session: z.string().max(120) }),
  z.object({ when: z.literal('score_changes') }),
  /** The GPUs of a computer were idle for so long without a break; empty name = any. */
  z.object({
    when: z.literal('gpu_idle'),
    computer: z.string().max(120),
    minutes: z.int().min(1).max(1_440),
  }),
  /** So many steps in a row whose action failed, or command exited with an error. */
  z.object({ when: z.literal('error_streak'), steps: z.int().min(2).max(100) }),
]);
export type HintDelivery = z.infer<typeof hintDelivery>;

/** What of a run's limits changes; null takes a limit away. */
export const limitsChangeSchema = z.object({
  maxSteps: z.int().positive().optional(),
  maxWorkingMs: z.int().positive().optional(),
  maxEvals: z.int().nonnegative().optional(),
  maxTrainingMs: z.int().positive().nullable().optional(),
  maxTokens: z.int().positive().nullable().optional(),
  maxCost: z.number().positive().nullable().optional(),
});
export type LimitsChange = z.infer<typeof limitsChangeSchema>;

export const outboxOps = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('hint.queued'),
    hint: ulid,
    text: z.string().min(1),
    category: hintCategory,
    /** Absent = at the next step. */
    deliver: hintDelivery.optional(),
  }),
  z.object({
    op: z.literal('hint.edited'),
    hint: ulid,
    text: z.string().min(1),
    /** Absent = as it was. */
    category: hintCategory.optional(),
    deliver: hintDelivery.optional(),
  }),
  /** Puts the hint before another queued one; null = to the end. */
  z.object({ op: z.literal('hint.moved'), hint: ulid, before: ulid.nullable() }),
  z.object({ op: z.literal('hint.withdrawn'), hint: ulid }),
  z.object({ op: z.literal('run.pause'), mode: z.enum(['after_step', 'now']) }),
  z.object({ op: z.literal('run.stop') }),
  z.object({ op: z.literal('run.wake') }),
  z.object({ op: z.literal('run.model'), model: modelRefSchema }),
  z.object({ op: z.literal('run.limits'), limits: limitsChangeSchema }),
  z.object({ op: z.literal('run.checkpoint'), note: z.string() }),
  z.object({
    op: z.literal('approval.decided'),
    approval: ulid,
    decision: z.enum(['allow', 'deny']),
    /** The kinds that the question names run unasked for the rest of the run. */
    forRun: z.boolean().optional(),
    /** Of a refusal, for the agent. */
    reason: z.string().min(1).max(4_000).optional(),
  }),
  /** One of them is asked about again. */
  z.object({ op: z.literal('approval.withdrawn'), kind: z.string().min(1).max(300) }),
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
  /** Last event of the run when the entry was stored: what came after has a higher one. Absent in entries of older versions. */
  seq?: number;
  body: OutboxOp;
}

export const hintVerdict = z.enum(['acted_on', 'ignored']);
export type HintVerdict = z.infer<typeof hintVerdict>;

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
  deliver: HintDelivery;
  /** Why a condition has come true; null while it has not, or where there is none. */
  due: string | null;
  /** What annotators say became of it; null when nobody says, or people differ. */
  verdict: HintVerdict | null;
  /** Step whose observation carries it; null until delivered; 0 = joined the task. */
  step: number | null;
  /** The first step whose prompt holds it: the next one that is no summary turn. Null until delivered. */
  prompt: number | null;
  deliveredAt: number | null;
  /** 1-based position in the queue while queued, else null. */
  position: number | null;
}
