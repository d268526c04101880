import { z } from 'zod';
import { idSchema } from '../contract/id';
import { MAX_PARTS, type StepRange } from '../contract/step-range';

/**
 * The annotation log: what people and judges say about steps. Many writers, also offline; the union of two logs is a
 * valid log. `supersedes` names the entries on the target that the author had seen; the fold reads heads of
 * that graph, never clocks. Undo is an entry that takes another one out of the fold; redo undoes the undo.
 */
const ulid = idSchema;

export const labelValue = z.enum(['train', 'mask']);
export type LabelValue = z.infer<typeof labelValue>;

/** What the model should have answered: thought and call, `arguments` as JSON text. */
export const correctionSchema = z.object({
  text: z.string().max(100_000),
  call: z.object({ name: z.string().min(1).max(80), arguments: z.string().max(1_000_000) }),
  note: z.string().max(10_000),
});
export type Correction = z.infer<typeof correctionSchema>;

/** Most characters of one answer of a judge. */
export const MOST_JUDGE_TEXT = 100_000;

/** Of a vote that Waymark asked for: the sha256 (hex) of the request's body, and the batch that has what it showed. */
const askedIn = {
  request: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  batch: ulid.optional(),
};

/** A judge's vote; its author is the judge (`judgeAuthor`). `withdrawn` takes the judge's earlier vote back. */
export const judgeVote = z.object({
  op: z.literal('judge'),
  value: z.enum(['mask', 'keep', 'withdrawn']),
  /** 0 to 1; null when the judge gives none. */
  confidence: z.number().min(0).max(1).nullable(),
  /** Criterion the judge names: a code of `reasonCodes` or one of its rubric. */
  reason: z.string().max(80),
  why: z.string().max(10_000),
  /** Steps the judge cites. */
  steps: z.array(z.int().positive()).max(200),
  /** Version of the rubric it judged by. */
  rubric: z.string().max(120),
  ...askedIn,
});

export const annotationOps = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('label'),
    value: z.enum(['train', 'mask', 'clear']),
    reason: z.string().nullable(),
    /** How long the person had the step before them, ms; written only by people who share their times. */
    dwellMs: z.int().nonnegative().optional(),
  }),
  z.object({ op: z.literal('adjudicate'), value: labelValue, reason: z.string().nullable() }),
  z.object({ op: z.literal('comment'), text: z.string().min(1) }),
  z.object({ op: z.literal('flag'), on: z.boolean() }),
  /** What became of a hint; on the step that carries it (1 for the task). `null` takes the word back. */
  z.object({ op: z.literal('hint'), hint: ulid, verdict: z.enum(['acted_on', 'ignored']).nullable() }),
  judgeVote,
  /**
   * One of a judge's votes on whether a step is good (RLAnything, §2), beside its others; its author is the judge. It is no verdict
   * on the mask and changes no label. Votes of another rubric take the place of those its judge had seen.
   */
  z.object({
    op: z.literal('reward'),
    /** 0: the answer could not be understood. */
    value: z.union([z.literal(1), z.literal(-1), z.literal(0)]),
    /** Which of the judge's votes on the step, from 1. */
    vote: z.int().min(1).max(1_000),
    /** What the judge wrote, and what it thought before where the endpoint tells that apart. */
    text: z.string().max(MOST_JUDGE_TEXT),
    reasoning: z.string().max(MOST_JUDGE_TEXT).optional(),
    rubric: z.string().max(120),
    /** It was to weigh what the step does to the outcome. */
    future: z.boolean(),
    ...askedIn,
  }),
  /** The right action for a step, kept beside the original; null takes the author's own one back. One step. */
  z.object({ op: z.literal('correct'), correction: correctionSchema.nullable() }),
  /** Who is to review the target, as one batch; `on` false takes a person off it. Common property, as a flag is. */
  z.object({
    op: z.literal('assign'),
    batch: ulid,
    to: z.object({ uuid: z.string().min(1), name: z.string() }),
    /** The person sees nobody's opinion, machines' included, before they have decided. */
    blind: z.boolean(),
    on: z.boolean(),
  }),
  z.object({ op: z.literal('undo'), entry: ulid }),
]);
export type AnnotationOp = z.infer<typeof annotationOps>;

const part = z.object({ from: z.int().positive(), to: z.int().positive() });

/** Steps without gaps: nothing holds of them together that does not hold of each member. */
export const wholeTarget = z.object({ run: ulid, from: z.int().positive(), to: z.int().positive() });

/**
 * Steps `from..to` of a run, inclusive, by per-run number. A range is one entry. With `parts` the entry speaks only of
 * those pieces: ascending, apart from each other by at least one step, the first at `from` and the last up to `to`.
 */
export const targetSchema = wholeTarget
  .extend({ parts: z.array(part).min(2).max(MAX_PARTS).optional() })
  .refine(hasOrderlyParts, 'The parts of a range must be ascending, apart, and fill it from end to end.');
export type AnnotationTarget = z.infer<typeof targetSchema>;

function hasOrderlyParts({ from, to, parts }: { from: number; to: number; parts?: StepRange[] | undefined }) {
  if (parts === undefined) return true;
  const apart = parts.every((each, index) => {
    const before = parts[index - 1];
    return each.from <= each.to && (before === undefined || each.from > before.to + 1);
  });
  return apart && parts[0]?.from === from && parts.at(-1)?.to === to;
}

const authorSchema = z.object({
  /** Stable identity of the person on this installation. */
  uuid: z.string().min(1),
  name: z.string(),
});
export type Author = z.infer<typeof authorSchema>;

/**
 * What one act of a person wrote together: `id` is the id of its last entry, `run` the run in which it was done, of which some
 * steps may have been made in others. Undo and redo take it as one. Absent: the entry is one by itself, in its target's run.
 */
const gestureSchema = z.object({ id: ulid, run: ulid });
export type Gesture = z.infer<typeof gestureSchema>;

export const annotationEntrySchema = z.object({
  ulid,
  at: z.number(),
  author: authorSchema,
  /** Identity of the installation in its workspace; `deviceSeq` counts its entries without gaps. */
  device: z.string().min(1),
  deviceSeq: z.int().nonnegative(),
  target: targetSchema,
  supersedes: z.array(ulid),
  gesture: gestureSchema.optional(),
  body: annotationOps,
});
export type AnnotationEntry = z.infer<typeof annotationEntrySchema>;

/** The author of a judge's votes: the same judge is the same author on every device. */
export function judgeAuthor(judge: string): Author {
  return { uuid: `judge:${judge}`, name: judge };
}
