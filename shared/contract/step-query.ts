import { z } from 'zod';
import { stepMarks } from '../labels/labels';

/**
 * Which steps of a run are asked for. All fields that are given must hold; of a list one is enough. `text` is a query of the
 * search index, `file` a part of a path the step changed or looked at.
 */
export const stepQuerySchema = z.strictObject({
  label: z.array(z.enum(['train', 'mask', 'undecided'])).optional(),
  source: z.array(z.enum(['adjudication', 'human', 'judge', 'rule', 'none'])).optional(),
  marks: z.array(z.enum(stepMarks)).optional(),
  rule: z.array(z.string().max(80)).max(40).optional(),
  tool: z.array(z.string().max(80)).max(60).optional(),
  computer: z.array(z.string().max(120)).max(40).optional(),
  kind: z.array(z.enum(['act', 'think', 'null', 'summary'])).optional(),
  error: z.boolean().optional(),
  hint: z.boolean().optional(),
  file: z.string().max(400).optional(),
  text: z.string().max(400).optional(),
  from: z.int().positive().optional(),
  to: z.int().positive().optional(),
});
export type StepQuery = z.infer<typeof stepQuerySchema>;
