import { exportVariants } from '@shared/contract/export-request';
import { ruleIds, ruleSettingsSchema, ruleValueSchema } from '@shared/contract/rules/rule-settings';
import { attentionKinds } from '@shared/runs/attention/attention';
import { stepFamilies } from '@shared/runs/run-stats';
import { z } from 'zod';
import { at, count, labelValue, listOf, nothing, number, run, step, steps, text } from './parts';

const kind = z.enum(attentionKinds);
const urgency = z.union([z.literal(1), z.literal(2), z.literal(3)]);
const item = z.object({
  id: text,
  run,
  kind,
  urgency,
  step: step.nullable(),
  steps,
  seq: count,
  at,
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  open: z.boolean(),
});
const counts = z.partialRecord(kind, count);
const score = number.nullable();

const effect = z.enum(['mask', 'keep']);
const rule = z.enum(ruleIds);
const precedence = z.enum(['union', 'judge_over_rule']);
const standing = z.object({ train: count, mask: count, undecided: count });
const example = z.object({
  run,
  step,
  why: text,
  steps,
  now: labelValue.nullable(),
  conflict: z.boolean(),
});

const exportRow = z.object({
  run,
  segment: count,
  kind: z.enum(['react', 'summary']),
  index: count,
  title: text,
  tokens: number,
  trained: count,
  masked: count,
  split: z.enum(['train', 'validation']),
  firstStep: step,
  lastStep: step,
});

const exportPreview = z.object({
  rows: count,
  steps: count,
  trained: count,
  masked: count,
  undecided: listOf(z.object({ run, steps, total: count })),
  dropped: listOf(z.object({ reason: text, count })),
  noTools: listOf(z.object({ run, rows: count })),
  inherited: listOf(z.object({ run, steps: count })),
  bySource: listOf(z.object({ source: text, value: labelValue, count })),
  tokens: number,
  variants: listOf(
    z.object({
      variant: z.enum(exportVariants),
      records: count,
      rows: count,
      trained: count,
      masked: count,
      trainedTokens: number,
      maskedTokens: number,
      tokens: number,
      byReason: listOf(
        z.object({ source: text, reason: text, value: labelValue, steps: count, tokens: number }),
      ),
      dropped: listOf(z.object({ reason: text, count })),
    }),
  ),
  snapshot: text,
  unfinished: count,
  filtered: listOf(z.object({ by: text, runs: count, rows: count })),
  longest: listOf(exportRow),
  duplicates: listOf(z.object({ run, kept: run })),
  split: z.object({ train: count, validation: count }).nullable(),
});

const redaction = z.object({
  findings: listOf(
    z.object({
      name: text,
      rule: text,
      kind: z.enum(['secret', 'user', 'host', 'home']),
      placeholder: text,
      excerpt: text,
      count,
      places: listOf(z.object({ run, step: count, field: text })),
      allowed: z.boolean(),
    }),
  ),
  scannedBytes: count,
});

/** A server of a version before sends none. */
const workingMs = number.nullable().default(null);

const runStats = z.object({
  run,
  title: text,
  seq: count,
  steps: count,
  startedAt: at.nullable(),
  endedAt: at.nullable(),
  workingMs,
  points: listOf(z.object({ step, at, workingMs, cost: number.nullable(), input: number, output: number })),
  evaluations: listOf(
    z.object({ step, at, workingMs, attempt: number.nullable(), score, forced: z.boolean() }),
  ),
  hints: listOf(z.object({ step, at, workingMs, count })),
  segments: listOf(
    z.object({
      segment: count,
      firstStep: step,
      steps: count,
      input: number,
      cached: number,
      output: number,
    }),
  ),
  buckets: listOf(z.object({ from: step, to: step, counts: z.partialRecord(z.enum(stepFamilies), count) })),
  tools: listOf(z.object({ tool: text, calls: count, errors: count, ms: number })),
  masks: listOf(
    z.object({
      value: z.enum(['train', 'mask', 'undecided']),
      source: z.enum(['adjudication', 'human', 'rule', 'judge', 'none']),
      reason: text,
      steps: count,
    }),
  ),
  rules: listOf(z.object({ rule: text, effect, steps: count })),
  people: listOf(
    z.object({
      uuid: text,
      name: text,
      decided: count,
      points: listOf(z.object({ at, decided: count })),
    }),
  ),
});

export const findingAnswers = {
  'attention.list': listOf(
    z.object({
      run,
      title: text,
      seenSeq: count,
      seenAt: at.nullable(),
      newSteps: count,
      items: listOf(item),
      counts,
      behind: count,
    }),
  ),
  'attention.seen': nothing,
  'attention.looked': nothing,
  'attention.report': z.object({
    from: at,
    to: at,
    runs: listOf(
      z.object({
        run,
        title: text,
        steps: count,
        workingMs: number,
        cost: number,
        tokens: number,
        scores: z.object({ before: score, after: score, best: score }),
        stoodStillMs: number,
        hintsDelivered: count,
        state: text,
        items: listOf(item),
      }),
    ),
  }),
  'rules.ofRun': z.object({
    run,
    task: text,
    precedence,
    otherwise: precedence,
    rules: listOf(
      z.object({
        id: rule,
        version: number,
        effect,
        hard: z.boolean(),
        text,
        citation: text,
        on: z.boolean(),
        otherwise: z.boolean(),
        parameters: listOf(
          z.object({
            name: text,
            value: ruleValueSchema,
            otherwise: ruleValueSchema,
            from: z.enum(['rule', 'task', 'workspace']),
          }),
        ),
      }),
    ),
    setting: z.object({ task: text, settings: ruleSettingsSchema, at, author: text }).nullable(),
    counts: z.partialRecord(rule, count),
    detectors: listOf(item.pick({ kind: true, step: true, steps: true })),
  }),
  'rules.preview': z.object({
    runs: listOf(run),
    rules: listOf(
      z.object({
        rule,
        effect,
        total: count,
        newly: count,
        noLonger: count,
        now: standing,
        conflicts: count,
        examples: listOf(example),
        gone: listOf(example),
      }),
    ),
    labels: z.object({ toTrain: count, toMask: count, toUndecided: count, total: count }),
    events: count,
    superseded: z.boolean(),
  }),
  'rules.apply': nothing,
  'rules.progress': z.object({
    task: text,
    runs: count,
    behind: count,
    waiting: listOf(text),
    events: z.object({ done: count, total: count }),
  }),
  'export.preview': exportPreview,
  'export.rows': z.object({ rows: listOf(exportRow), of: count }),
  'export.findings': redaction,
  'stats.run': runStats,
};
