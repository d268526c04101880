import { z } from 'zod';
import type { StepEvidence } from '../../labels/evidence';
import type { ImageBytes } from '../../log/image-part';
import type { RunStats } from '../../runs/run-stats';
import { stepQuerySchema } from '../step-query';
import type { LabelStack, PromptView, QueryView, SegmentView, StepDetail, StepHead, Tile } from '../views';
import { atStep, type CommandRows, direction, inRun, returns, run, step } from './parts';

export interface StepFacets {
  tools: { value: string; count: number }[];
  rules: { value: string; count: number }[];
  computers: { value: string; count: number }[];
}

/** What happened in a run: timeline, steps, files, queries. */
export const timelineCommands = {
  'timeline.heads': {
    input: z.object({ run, from: step, to: step }),
    output: returns<StepHead[]>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The nearest step from `from` on for which one of the queries holds, and for how many steps one does. */
  'timeline.find': {
    input: z.object({
      run,
      queries: z.array(stepQuerySchema).min(1).max(8),
      from: z.int().positive(),
      direction,
    }),
    output: returns<{ step: number | null; total: number }>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Numbers of all steps that match, ascending. */
  'timeline.matches': {
    input: z.object({ run, query: stepQuerySchema }),
    output: returns<{ steps: number[] }>(),
    place: 'workspace',
    consent: 'free',
  },
  'timeline.count': {
    input: z.object({ run, query: stepQuerySchema }),
    output: returns<{ total: number }>(),
    place: 'workspace',
    consent: 'free',
  },
  /** What filters can be set to in this run, the most frequent first. */
  'timeline.facets': { input: inRun, output: returns<StepFacets>(), place: 'workspace', consent: 'free' },
  'timeline.tiles': { input: inRun, output: returns<Tile[]>(), place: 'workspace', consent: 'free' },
  'timeline.segments': {
    input: inRun,
    output: returns<SegmentView[]>(),
    place: 'workspace',
    consent: 'free',
  },
  'step.detail': { input: atStep, output: returns<StepDetail>(), place: 'workspace', consent: 'free' },
  'step.prompt': { input: atStep, output: returns<PromptView>(), place: 'workspace', consent: 'free' },
  /** An image that the run's log names, by the hash of its file. */
  'step.image': {
    input: z.object({ run, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    output: returns<ImageBytes>(),
    place: 'workspace',
    consent: 'free',
  },
  /** What speaks for or against the step: looks at its files, score, GPUs, what followed. */
  'step.evidence': { input: atStep, output: returns<StepEvidence>(), place: 'workspace', consent: 'free' },
  'step.labels': { input: atStep, output: returns<LabelStack>(), place: 'workspace', consent: 'free' },
  'queries.list': { input: inRun, output: returns<QueryView[]>(), place: 'workspace', consent: 'free' },
  'stats.run': { input: inRun, output: returns<RunStats>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;
