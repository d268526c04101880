import { z } from 'zod';
import { callSchema, count, headSchema, hintIdSchema, step, toolSchema, usageSchema } from './event-parts';

/** Events of the context: summaries, observations shortened and images left out in it (semantics, Context; APOLLO §3.1.3). */
export const contextEvents = {
  /**
   * A summary turn begins; `step` is the number its answer will have. Its requests are `model.requested` of that step, and
   * their body is made of `head`, the messages of the summarised steps as they stand in the context, and `closing` (a user
   * message), with `tools` and `request`. What a repeated try adds is that request's `tail`.
   */
  'summary.started': z.object({
    step,
    /** The segment whose context is full. */
    segment: z.int().positive(),
    /** Context entries summarised, the summary pair at the front counting as one: k of Algorithm 1. */
    entries: z.int().positive(),
    /** Whether the pair of an earlier summary is among them. */
    pair: z.boolean(),
    /** Summarised steps; null when only an earlier summary pair is summarised. */
    steps: z.object({ from: step, to: step }).nullable(),
    /** Steps that stay in the context. */
    carried: z.object({ from: step, to: step }).nullable(),
    /** Estimated tokens of the request that did not fit, and the limit. */
    tokens: count,
    limit: z.int().positive(),
    /** `limit`: η·L was passed; `model`: the endpoint said the prompt is too long. */
    why: z.enum(['limit', 'model']),
    /** Hints inside the summarised part or of an earlier summary in it: each needs a reflection that names it. */
    hints: z.array(hintIdSchema),
    head: headSchema,
    closing: z.string(),
    tools: z.array(toolSchema),
    request: z.record(z.string(), z.unknown()),
  }),
  /** An answer that is no usable summary: empty, cut off, without all parts, too few reflections. It was paid for. */
  'summary.rejected': z.object({
    step,
    attempt: z.int().positive(),
    problem: z.string(),
    text: z.string(),
    reasoning: z.string(),
    calls: z.array(callSchema),
    finishReason: z.string().nullable(),
    model: z.string(),
    usage: usageSchema.nullable(),
    cost: z.number().nullable(),
    durationMs: count,
  }),
  /** Ends a summary turn: what the summary no longer mentions, by exact string. In one transaction with the new segment. */
  'summary.ended': z.object({
    step,
    tokensBefore: count,
    tokensAfter: count,
    missing: z.array(
      z.object({ kind: z.enum(['hint', 'path', 'session', 'score', 'url']), text: z.string() }),
    ),
  }),
  /**
   * One observation is shortened in the context only; the log keeps the whole text. `step` 0: the observation in the head
   * of the segment. Characters (UTF-16) of the text in the context, hints not counted.
   */
  'context.shortened': z.object({
    segment: z.int().positive(),
    step: count,
    call: count,
    keepStart: count,
    keepEnd: count,
    was: count,
    /** Cut between lines, and the sentence in its place says how to see the rest; absent in logs from before. */
    lines: z.literal(true).optional(),
  }),
  /**
   * From here on requests only name the images of the head and of all observations up to that of `call` in `step` (0: of the
   * head alone): together with newer ones they are more than a request may hold. The log keeps them.
   */
  'context.images_left_out': z.object({
    segment: z.int().positive(),
    step: count,
    call: count,
    /** Images that were shown until now, and those that stay. */
    images: z.int().positive(),
    left: count,
  }),
} as const;
