import { taskWarning } from '@shared/contract/task';
import { checkpointEvents } from '@shared/log/checkpoint-events';
import { storedStatus } from '@shared/log/events';
import { z } from 'zod';
import { at, count, failure, listOf, nothing, number, run, step, terminalPage, text, texts } from './parts';

const runState = z.enum([
  ...['created', 'thinking', 'acting', 'sleeping', 'waiting_host', 'waiting_human', 'paused'],
  ...['finished', 'stopped', 'failed', 'undriven', 'importing', 'import_broken'],
] as const);

const best = number.nullable();
const place = z.object({ run, step });
const session = { computer: text, session: text };

const runSummary = z.object({
  id: run,
  title: text,
  task: z.object({ id: text, title: text, domain: text.nullable() }),
  model: text,
  state: runState,
  stored: storedStatus.nullable(),
  reason: text.nullable(),
  message: text.nullable(),
  until: at.nullable(),
  createdAt: at,
  changedAt: at,
  steps: count,
  events: count,
  seq: count,
  segments: count,
  scores: z.object({
    best,
    final: best,
    last: best,
    tries: count,
    maxTries: count,
    finalUnavailable: z.literal(true).optional(),
  }),
  workingMs: number,
  maxWorkingMs: number,
  maxSteps: number,
  taken: count,
  maxTrainingMs: number.optional(),
  tokens: z.object({ input: number, output: number, cached: number, context: number, contextLimit: number }),
  maxTokens: number.nullable(),
  cost: number,
  maxCost: number.nullable(),
  endpoint: text,
  parent: place.nullable(),
  runningOn: listOf(z.object(session)),
  checkpoints: count,
  hints: z.object({ queued: count, delivered: count, undelivered: count }),
  labels: z.object({ train: count, mask: count, undecided: count, disagreement: count }),
  computers: listOf(
    z.object({
      name: text,
      kind: z.enum(['local', 'ssh']),
      host: text.optional(),
      gpus: number.optional(),
      isolation: z.enum(['bubblewrap']).optional(),
      unisolatedBy: z.enum(['person', 'demo']).optional(),
      network: z.enum(['none']).optional(),
      folders: listOf(z.object({ path: text, write: z.boolean(), source: text.optional() })).optional(),
    }),
  ),
  evaluatorIsolated: z.boolean(),
  protectedChanged: z.object({ evaluations: count, paths: texts }).optional(),
});

export const approvalAsked = z.object({
  run,
  approval: run,
  step,
  what: text,
  why: text,
  kinds: texts.optional(),
  on: texts.optional(),
});

const problem = z.object({ what: text, where: text, message: text, detail: text.optional() });
const onOff = z.enum(['on', 'off']);
const taskRow = z.object({
  id: text,
  title: text,
  domain: text.nullable(),
  hash: text,
  addedAt: at,
  summary: text,
  tools: texts,
  limits: z.object({
    maxSteps: number,
    maxWorkingMs: number,
    maxEvals: number,
    maxTrainingMs: number.nullable().default(null),
  }),
  maxScore: number.default(100),
  taskHint: z.enum(['off', 'tool', 'upfront', 'none']),
  approvals: onOff,
  computers: listOf(
    z.object({
      name: text,
      host: text,
      kind: text,
      gpus: number,
      internet: z.boolean(),
      evaluator: z.boolean(),
      dedicated: z.boolean(),
      approvals: onOff,
      eachSession: texts.default([]),
    }),
  ),
  unsupported: texts,
  warnings: listOf(taskWarning).default([]),
});

const workspaceStatus = z.object({
  folder: text.nullable(),
  defaultFolder: text,
  freeBytes: number.nullable(),
  problem: failure.nullable(),
  unreadable: listOf(failure),
  isReadOnly: z.boolean(),
});

const checkpoint = checkpointEvents['checkpoint.made'].extend({ seq: count, at });

export const runAnswers = {
  'workspace.status': workspaceStatus,
  'tasks.list': listOf(taskRow),
  'demo.start': z.object({ run }),
  'runs.list': listOf(runSummary),
  'runs.summary': runSummary,
  'runs.start': z.object({ run }),
  'runs.resume': nothing,
  'runs.record': z.object({
    taskHint: z.enum(['off', 'tool', 'upfront']),
    humanHints: z.boolean(),
    experiment: text.nullable(),
    arm: text.nullable(),
    group: text.nullable(),
    sample: number.nullable(),
    seed: number.nullable(),
  }),
  'runs.pause': nothing,
  'runs.stop': nothing,
  'runs.setModel': nothing,
  'runs.setLimits': nothing,
  'runs.running': listOf(
    z.object({
      ...session,
      host: text.nullable(),
      command: text.nullable(),
      since: at.nullable(),
      live: z.boolean(),
    }),
  ),
  'runs.wake': nothing,
  'runs.openApprovals': listOf(approvalAsked),
  'runs.decideApproval': nothing,
  'runs.allowedKinds': texts,
  'runs.withdrawKind': nothing,
  'runs.remove': nothing,
  'runs.verify': z.object({
    ok: z.boolean(),
    runs: listOf(
      z.object({
        id: run,
        events: count,
        problems: listOf(problem),
        known: z.exactOptional(listOf(problem)),
        purged: z.exactOptional(z.enum(['text', 'run'])),
      }),
    ),
    workspace: listOf(problem),
  }),
  'checkpoints.list': listOf(checkpoint),
  'checkpoints.size': z.object({
    files: count,
    bytes: count,
    newFiles: count,
    newBytes: count,
    excluded: texts,
    freeBytes: number.nullable(),
  }),
  'checkpoints.make': nothing,
  'branches.plan': z.object({
    run,
    step,
    checkpoint: checkpoint.nullable(),
    stepsAfter: count,
    hints: listOf(z.object({ id: text, number: count, step, text })),
    contextSteps: count,
    contextTokens: number,
    maxCost: number.nullable(),
    notRestarted: listOf(z.object({ ...session, command: text })),
  }),
  'branches.create': z.object({ run }),
  'branches.lineage': z.object({
    nodes: listOf(
      z.object({
        run,
        title: text,
        parent: place.extend({ gone: z.boolean() }).nullable(),
        steps: count,
        state: text,
        best,
        checkpoints: listOf(z.object({ checkpoint: text, step })),
      }),
    ),
  }),
};

const state = z.enum(['idle', 'busy', 'waiting', 'interactive', 'ended', 'lost', 'unknown']);
const seen = { uid: text, endOffset: count, state, exitCode: number.nullable(), command: text.nullable() };

export const terminalAnswers = {
  'sessions.list': listOf(
    z.object({
      ...seen,
      run,
      computer: text,
      session: text,
      rows: count,
      cols: count,
      lastByteAt: at.nullable(),
      gaps: listOf(z.object({ from: count, to: count })),
    }),
  ),
  'sessions.at': listOf(z.object(seen)),
  'sessions.read': terminalPage,
  'sessions.watch': nothing,
  'sessions.seen': nothing,
};
