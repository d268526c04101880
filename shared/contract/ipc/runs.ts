import { z } from 'zod';
import { mostName, mostTitle, oneLine } from '../../base/clean-text';
import { limitsChangeSchema } from '../../log/outbox';
import type { AttentionReport, RunAttention } from '../../runs/attention/attention';
import { hostAliasSchema } from '../computers';
import type { RunningCommand, RunRecord, RunSummary, VerifyReport } from '../views';
import { type CommandRows, inRun, none, returns, run, unisolated } from './parts';

/** More runs of one kind than anybody makes: a larger number is a slip. */
export const mostSample = 1_000_000;

export const startRunSchema = z.object({
  task: z.string().min(1),
  title: oneLine(mostTitle).optional(),
  endpoint: z.string().min(1),
  /** Task computer name → `local` or a host alias; what is not named is where the task says. */
  computers: z.record(z.string().max(64), z.union([z.literal('local'), hostAliasSchema])).default({}),
  maxSteps: z.int().positive().optional(),
  maxWorkingMs: z.int().positive().optional(),
  maxEvals: z.int().nonnegative().max(1_000).optional(),
  /** Absent: as the task says. */
  maxTrainingMs: z.int().positive().optional(),
  /** Absent: as the task says. */
  taskHint: z.enum(['off', 'tool', 'upfront']).optional(),
  approvals: z.enum(['on', 'off']),
  /** Task computer name → approvals there, where they are not as `approvals` says. */
  computerApprovals: z.record(z.string().max(64), z.enum(['on', 'off'])).default({}),
  humanHints: z.boolean().default(true),
  maxTokens: z.int().positive().optional(),
  maxCost: z.number().positive().optional(),
  experiment: oneLine(mostName).nullable().default(null),
  arm: oneLine(mostName).optional(),
  group: oneLine(mostName).optional(),
  sample: z.int().nonnegative().max(mostSample).optional(),
  seed: z.int().nonnegative().optional(),
  /** Folders that a person chose with `runs.pickFolder`, by its names. */
  show: z.array(z.string().max(40)).max(20).default([]),
  /** Of what runs on the machine that drives the run. */
  isolation: z.enum(['sandbox', 'none']).default('sandbox'),
  unisolated,
});

/** A folder of this machine that a person chose to show to a run. */
export interface PickedFolder {
  /** What `runs.start` names it by. */
  id: string;
  path: string;
  /** Whether the run may change it. */
  write: boolean;
}

export interface ApprovalAsked {
  run: string;
  approval: string;
  step: number;
  what: string;
  why: string;
  /** What can be allowed for the rest of the run, in words; absent where only this one action can. */
  kinds?: string[] | undefined;
  /** Computers of the task that it needs; absent in older logs. */
  on?: string[] | undefined;
}

/** Starting, steering and removing runs. */
export const runCommands = {
  'runs.list': {
    input: none,
    output: returns<RunSummary[]>(),
    place: 'workspace',
    consent: 'free',
    asText: true,
  },
  'runs.summary': { input: inRun, output: returns<RunSummary>(), place: 'workspace', consent: 'free' },
  /** What the run was started with besides its limits. */
  'runs.record': { input: inRun, output: returns<RunRecord>(), place: 'workspace', consent: 'free' },
  'runs.start': {
    input: startRunSchema,
    output: returns<{ run: string }>(),
    place: 'workspace',
    consent: 'press',
  },
  'runs.resume': {
    input: inRun.extend({ unisolated }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
  },
  'runs.pause': {
    input: z.object({ run, mode: z.enum(['after_step', 'now']) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
    late: true,
  },
  'runs.stop': { input: inRun, output: returns<void>(), place: 'workspace', consent: 'press', late: true },
  'runs.wake': { input: inRun, output: returns<void>(), place: 'workspace', consent: 'gesture', late: true },
  /** What a run waits for a person's word on; the window asks when it opens, later ones are events. */
  'runs.openApprovals': {
    input: inRun,
    output: returns<ApprovalAsked[]>(),
    place: 'workspace',
    consent: 'free',
  },
  'runs.decideApproval': {
    input: z.object({
      run,
      approval: run,
      decision: z.enum(['allow', 'deny']),
      /** Everything of the kinds that the question names, for the rest of the run. */
      forRun: z.boolean().default(false),
    }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'press',
  },
  /** What runs unasked because a person allowed its kind, oldest first. */
  'runs.allowedKinds': { input: inRun, output: returns<string[]>(), place: 'workspace', consent: 'free' },
  'runs.withdrawKind': {
    input: z.object({ run, kind: z.string().min(1).max(300) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  'runs.remove': {
    input: z.object({ run, mode: z.enum(['run', 'text']) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'press',
  },
  'runs.verify': { input: inRun, output: returns<VerifyReport>(), place: 'workspace', consent: 'free' },
  'demo.start': { input: none, output: returns<{ run: string }>(), place: 'workspace', consent: 'gesture' },
} as const satisfies CommandRows;

export const runChangeCommands = {
  /** What goes on on which computer if the run is paused or stopped now. */
  'runs.running': { input: inRun, output: returns<RunningCommand[]>(), place: 'workspace', consent: 'free' },
  'runs.setLimits': {
    input: z.object({ run, limits: limitsChangeSchema }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
  },
  /** Later steps ask this endpoint's model; recorded at the step boundary. */
  'runs.setModel': {
    input: z.object({ run, endpoint: z.string().min(1) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
  },
} as const satisfies CommandRows;

/** What wants a person's eye. */
export const attentionCommands = {
  'attention.list': { input: none, output: returns<RunAttention[]>(), place: 'workspace', consent: 'free' },
  /** The person has seen the run up to here; what is open stays on the list. */
  'attention.seen': {
    input: z.object({ run, seq: z.int().nonnegative() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The person watches the run, since `at` (wall-clock ms) and for `ms` so far; told again while they do. */
  'attention.looked': {
    input: z.object({ run, at: z.int().nonnegative(), ms: z.int().nonnegative() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  'attention.report': {
    input: z.object({ from: z.int().nonnegative(), to: z.int().nonnegative() }),
    output: returns<AttentionReport>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
