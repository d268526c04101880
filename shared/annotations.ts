import { z } from 'zod';

/**
 * The annotation log: what people decide about steps. Many writers, also offline; the union of two logs is a
 * valid log. `supersedes` names the entries on the target that the author had seen; the fold reads heads of
 * that graph, never clocks. Undo is an entry that takes another one out of the fold; redo undoes the undo.
 */
const ulid = z.string().length(26);

export const labelValue = z.enum(['train', 'mask']);
export type LabelValue = z.infer<typeof labelValue>;

export const annotationOps = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('label'),
    value: z.enum(['train', 'mask', 'clear']),
    reason: z.string().nullable(),
  }),
  z.object({ op: z.literal('adjudicate'), value: labelValue, reason: z.string().nullable() }),
  z.object({ op: z.literal('comment'), text: z.string().min(1) }),
  z.object({ op: z.literal('flag'), on: z.boolean() }),
  /** What became of a hint; on the step that carries it (1 for the task). `null` takes the word back. */
  z.object({ op: z.literal('hint'), hint: ulid, verdict: z.enum(['acted_on', 'ignored']).nullable() }),
  z.object({ op: z.literal('undo'), entry: ulid }),
]);
export type AnnotationOp = z.infer<typeof annotationOps>;

/** Steps `from..to` of a run, inclusive, by per-run number. A range is one entry. */
export const targetSchema = z.object({
  run: ulid,
  from: z.int().positive(),
  to: z.int().positive(),
});
export type AnnotationTarget = z.infer<typeof targetSchema>;

export interface Author {
  /** Stable identity of the person on this installation. */
  uuid: string;
  name: string;
}

export interface AnnotationEntry {
  ulid: string;
  at: number;
  author: Author;
  /** Identity of the installation; `deviceSeq` counts its entries without gaps. */
  device: string;
  deviceSeq: number;
  target: AnnotationTarget;
  supersedes: string[];
  body: AnnotationOp;
}
