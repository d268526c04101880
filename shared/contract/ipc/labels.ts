import { z } from 'zod';
import { type AnnotationEntry, correctionSchema } from '../../log/annotations';
import { idSchema } from '../id';
import { MAX_PARTS, type StepRange } from '../step-range';
import { atStep, type CommandRows, inRun, returns, run, step } from './parts';

const reason = z.string().max(400).nullable();
const parts = z
  .array(z.object({ from: step, to: step }))
  .min(1)
  .max(MAX_PARTS);

/** Steps that a decision would be about, with what holds for them now. */
export interface LabelPreview {
  /** At most `MAX_PARTS`. */
  parts: StepRange[];
  /** Steps in `parts`; the rest is about these. */
  steps: number;
  /** Further steps that would belong to it but lie in more pieces than one decision holds. */
  left: number;
  /** What holds now. */
  now: { train: number; mask: number; undecided: number };
  /** How many of them some person has decided on. */
  decided: number;
}

/** Steps like one step: the same rule fired (or none did) for the same action. */
export interface SimilarSteps extends LabelPreview {
  tool: string;
  rules: string[];
}

/** A range before a hint that the hint contradicts, as far as their words tell (APOLLO appendix E, priority 7). */
export interface RetroMask {
  run: string;
  hint: string;
  number: number;
  text: string;
  /** Step that carries the hint. */
  delivered: number;
  from: number;
  to: number;
  /** What hint and step have in common, by step. */
  evidence: { step: number; words: string[] }[];
}

/** What people decide about steps. */
export const labelCommands = {
  'labels.apply': {
    input: z.object({
      run,
      from: step,
      to: step,
      value: z.enum(['train', 'mask', 'clear']),
      reason,
      /** Time before the decision; sent only by people who share their times. */
      dwellMs: z.int().nonnegative().optional(),
    }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
    late: true,
  },
  /** One decision about steps that lie apart; what was previewed. */
  'labels.applyTo': {
    input: z.object({ run, parts, value: z.enum(['train', 'mask', 'clear']), reason }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
  },
  'labels.similar': { input: atStep, output: returns<SimilarSteps>(), place: 'workspace', consent: 'free' },
  /** The steps of a range that no person has decided on. */
  'labels.rest': {
    input: z.object({ run, from: step, to: step }),
    output: returns<LabelPreview>(),
    place: 'workspace',
    consent: 'free',
  },
  'labels.adjudicate': {
    /** `parts`: one decision about these pieces of the range. */
    input: z.object({
      run,
      from: step,
      to: step,
      parts: parts.optional(),
      reason,
      value: z.enum(['train', 'mask']),
    }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
  },
  'labels.correct': {
    input: atStep.extend({ correction: correctionSchema.nullable() }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
  },
  'labels.comment': {
    input: z.object({ run, step, text: z.string().trim().min(1).max(10_000) }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
    late: true,
  },
  'labels.flag': {
    input: z.object({ run, step, on: z.boolean() }),
    output: returns<AnnotationEntry>(),
    place: 'workspace',
    consent: 'free',
    late: true,
  },
  /**
   * What the person did last in the run, whole, also where its steps were made in other runs; with `entry` what this entry is part
   * of, if it stands. `target`: its last entry, speaking of all its steps.
   */
  'labels.undo': {
    input: inRun.extend({ entry: idSchema.optional() }),
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
    place: 'workspace',
    consent: 'free',
  },
  'labels.redo': {
    input: inRun,
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;

export const retroMaskCommands = {
  'labels.dismissRetroMask': {
    input: inRun.extend({ hint: idSchema }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Delivered hints whose earlier range nobody has accepted, trimmed or dismissed on this machine. */
  'labels.retroMasks': { input: inRun, output: returns<RetroMask[]>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;

/** Steps that people have decided on for one reason. */
export interface DecidedExamples {
  /** As given with the decision: a code of the guideline, or words. */
  reason: string;
  /** The first few, ascending. */
  steps: number[];
  total: number;
}

/** What people have decided so far, as an example for the next decision. */
export const guidelineCommands = {
  'guideline.examples': {
    input: inRun,
    output: returns<DecidedExamples[]>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
