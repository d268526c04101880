import { z } from 'zod';
import type { StepEvidence } from '../../labels/evidence';
import type { ImageBytes } from '../../log/image-part';
import { stepQuerySchema } from '../step-query';
import type { LabelStack, PromptView, QueryView, SegmentView, StepDetail, StepHead, Tile } from '../views';
import { atStep, direction, inRun, returns, run, step } from './parts';

export interface StepFacets {
  tools: { value: string; count: number }[];
  rules: { value: string; count: number }[];
  computers: { value: string; count: number }[];
}

/** What happened in a run: timeline, steps, files, queries. */
export const timelineCommands = {
  'timeline.heads': { input: z.object({ run, from: step, to: step }), output: returns<StepHead[]>() },
  /** The nearest step from `from` on for which one of the queries holds, and for how many steps one does. */
  'timeline.find': {
    input: z.object({
      run,
      queries: z.array(stepQuerySchema).min(1).max(8),
      from: z.int().positive(),
      direction,
    }),
    output: returns<{ step: number | null; total: number }>(),
  },
  /** Numbers of all steps that match, ascending. */
  'timeline.matches': {
    input: z.object({ run, query: stepQuerySchema }),
    output: returns<{ steps: number[] }>(),
  },
  'timeline.count': {
    input: z.object({ run, query: stepQuerySchema }),
    output: returns<{ total: number }>(),
  },
  /** What filters can be set to in this run, the most frequent first. */
  'timeline.facets': { input: inRun, output: returns<StepFacets>() },
  'timeline.tiles': { input: inRun, output: returns<Tile[]>() },
  'timeline.segments': { input: inRun, output: returns<SegmentView[]>() },
  'step.detail': { input: atStep, output: returns<StepDetail>() },
  'step.prompt': { input: atStep, output: returns<PromptView>() },
  /** An image that the run's log names, by the hash of its file. */
  'step.image': {
    input: z.object({ run, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    output: returns<ImageBytes>(),
  },
  /** What speaks for or against the step: looks at its files, score, GPUs, what followed. */
  'step.evidence': { input: atStep, output: returns<StepEvidence>() },
  'step.labels': { input: atStep, output: returns<LabelStack>() },
  'queries.list': { input: inRun, output: returns<QueryView[]>() },
} as const;
