import { imageTypeOf } from '@shared/context/image-header';
import { limitsSchema, toolSchema, usageSchema } from '@shared/log/event-parts';
import { storedStatus } from '@shared/log/events';
import { imagePartSchema, imageTypes, MAX_IMAGE_BYTES } from '@shared/log/image-part';
import { z } from 'zod';
import { fileRevision } from './files';
import { effectiveLabel, labelStack, marks } from './labels';
import { at, count, listOf, number, range, run, scalars, step, steps, text, texts } from './parts';

const score = number.nullable();
const note = <K extends string>(kind: K) => ({ kind: z.literal(kind) });

const stepNote = z.discriminatedUnion('kind', [
  z.object({ ...note('hint'), hints: listOf(z.object({ id: text, number: count, text })) }),
  z.object({ ...note('status'), status: storedStatus, reason: text.nullable(), message: text }),
  z.object({
    ...note('score'),
    score,
    attempt: number.nullable(),
    forced: z.boolean(),
    message: text,
  }),
  z.object({ ...note('suspended'), ms: number }),
  z.object({
    ...note('summary'),
    step,
    steps: range.nullable(),
    pair: z.boolean(),
    carried: range.nullable(),
    tokensBefore: number,
    tokensAfter: number,
    missing: listOf(z.object({ kind: text, text })),
  }),
  z.object({ ...note('shortened'), step, was: number, kept: number }),
  z.object({ ...note('images_left_out'), images: count, left: count }),
  z.object({ ...note('model'), model: text, by: text }),
  z.object({ ...note('limits'), limits: limitsSchema, by: text }),
  z.object({
    ...note('checkpoint'),
    checkpoint: text,
    step,
    why: text,
    note: text,
    bytes: number.nullable(),
  }),
  z.object({ ...note('branch'), parent: z.object({ run, step }), message: text }),
  z.object({ ...note('gpu'), computer: text, state: text, since: number }),
  z.object({ ...note('gap'), computer: text, session: text, from: number, to: number }),
  z.object({ ...note('unfollowed'), computer: text, session: text, offset: number, message: text }),
]);

const answerKind = z.enum(['act', 'think', 'null', 'summary']);

const imageRef = imagePartSchema.omit({ data: true });

const stepHead = z.object({
  run,
  step,
  id: text,
  segment: count,
  at,
  kind: answerKind,
  tool: text,
  title: text,
  observation: text,
  done: z.boolean(),
  ok: z.boolean(),
  errorCode: text.nullable(),
  exitCode: number.nullable(),
  bytes: number,
  score,
  imitatesHuman: z.boolean(),
  guards: texts,
  label: effectiveLabel,
  rules: texts,
  by: texts,
  decided: texts,
  marks,
  judge: z
    .object({ value: z.enum(['mask', 'keep']), confidence: number.nullable(), differ: z.boolean() })
    .nullable(),
  computer: text,
  withheld: z.boolean(),
  flagged: z.boolean(),
  comments: count,
  inheritedFrom: run.nullable(),
  image: imageRef.optional(),
  after: listOf(stepNote),
});

const observation = z.object({
  call: count,
  callId: text,
  name: text,
  args: scalars.nullable(),
  rawArguments: text,
  invalid: text.nullable(),
  ok: z.boolean().nullable(),
  error: z.object({ code: text, message: text, detail: text.optional() }).nullable(),
  text,
  data: z.record(z.string(), z.unknown()),
  durationMs: number.nullable(),
  closedBy: text.nullable(),
  // A server from before there were images has none.
  images: listOf(imageRef).default(() => []),
  guards: listOf(z.object({ rule: text, level: text, message: text })),
});

const stepDetail = z.object({
  head: stepHead,
  text,
  reasoning: text,
  usage: usageSchema.nullable(),
  cost: number.nullable(),
  durationMs: number,
  model: text,
  observations: listOf(observation),
  shortened: listOf(z.object({ was: number, kept: number })),
  taught: text.nullable(),
  hintText: text.nullable(),
  files: listOf(fileRevision),
  labels: labelStack,
  scoreThen: score,
  offsets: z.record(z.string(), number),
  imported: z.object({ source: text, unknown: z.record(z.string(), z.unknown()) }).nullable(),
});

const prompt = z.object({
  run,
  step,
  sha256: text,
  rebuiltSha256: text,
  verified: z.boolean(),
  bytes: number,
  messages: listOf(
    z.object({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      json: text,
      content: text,
      images: listOf(imageRef).optional(),
      tokens: number,
      step,
    }),
  ),
  tools: listOf(toolSchema),
  request: z.record(z.string(), z.unknown()),
  tail: text,
  line: text,
});

/** What the bytes are is read off them, whatever the server says. */
const image = z
  .object({ mediaType: z.enum(imageTypes), bytes: z.instanceof(Uint8Array) })
  .refine(({ bytes }) => bytes.byteLength <= MAX_IMAGE_BYTES, 'larger than an image may be')
  .refine(({ mediaType, bytes }) => imageTypeOf(bytes) === mediaType, 'not the kind of image it says');

const evidence = z.object({
  run,
  step,
  files: listOf(
    z.object({
      computer: text,
      path: text,
      sight: z.enum(['new', 'seen', 'stale', 'never', 'unknown']),
      lookedAt: step.nullable(),
      changedBy: steps,
      changes: count,
    }),
  ),
  moreFiles: count,
  since: step,
  score: z.object({ last: score, best: score }),
  gpus: listOf(
    z.object({
      computer: text,
      state: z.enum(['idle', 'busy', 'unknown']),
      step,
      gpus: listOf(z.object({ index: number, utilization: number, memoryUsedMb: number })),
    }),
  ),
  workingMs: number.nullable(),
  next: z
    .object({ step, tool: text, ok: z.boolean(), exitCode: number.nullable(), errorCode: text.nullable() })
    .nullable(),
});

const facets = listOf(z.object({ value: text, count }));
const total = z.object({ total: count });

export const timelineAnswers = {
  'timeline.heads': listOf(stepHead),
  'timeline.find': total.extend({ step: step.nullable() }),
  'timeline.matches': z.object({ steps }),
  'timeline.count': total,
  'timeline.facets': z.object({ tools: facets, rules: facets, computers: facets }),
  'timeline.tiles': listOf(
    z.object({
      first: step,
      n: count,
      train: count,
      mask: count,
      undecided: count,
      hints: count,
      errors: count,
      score,
    }),
  ),
  'timeline.segments': listOf(
    z.object({
      segment: count,
      firstStep: step,
      summaryStep: step.nullable(),
      lastStep: step,
      carried: range.nullable(),
      counts: z.object({ train: count, mask: count, undecided: count, disagreement: count }),
    }),
  ),
  'step.detail': stepDetail,
  'step.prompt': prompt,
  'step.image': image,
  'step.evidence': evidence,
  'queries.list': listOf(z.object({ step, tool: text, query: text, where: text, hits: number.nullable() })),
};
