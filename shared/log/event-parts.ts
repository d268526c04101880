import { z } from 'zod';
import { idSchema } from '../contract/id';
import { imagePartSchema } from './image-part';

/** Crockford's alphabet, as ids are written. */
const NAME = 'hint-[0-9A-HJKMNP-TV-Z]{6}';

/** Id of a hint, or its name where a branch of the time before knows no more of it than what its summary says. */
export const hintIdSchema = z.union([idSchema, z.string().regex(new RegExp(`^${NAME}$`, 'u'))]);

/** How a summary names a hint: short enough to be written, long enough to be told apart. The name of a name is itself. */
export function hintName(id: string): string {
  return `hint-${id.slice(-6)}`;
}

/** Names of hints in a text, in order, each once. */
export function hintNamesIn(text: string): string[] {
  return [...new Set([...text.matchAll(new RegExp(`\\b${NAME}\\b`, 'gu'))].map(([name]) => name))];
}

export const ulid = idSchema;
export const sha = z.string().length(64);
export const count = z.int().nonnegative();

export const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  detail: z.string().optional(),
});

/** One OpenAI-style tool as offered to the model; `parameters` is JSON Schema. */
export const toolSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});
export type Tool = z.infer<typeof toolSchema>;

/** A call exactly as the model wrote it; `arguments` is its verbatim text, valid JSON or not. */
export const callSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ModelCall = z.infer<typeof callSchema>;

export const usageSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  reasoningTokens: count,
});
export type Usage = z.infer<typeof usageSchema>;

export const modelRefSchema = z.object({
  /** Name of the endpoint in the settings, or of the ad-hoc one given on the command line. */
  endpoint: z.string(),
  baseUrl: z.string(),
  model: z.string(),
  /** Name of the environment variable or key-store entry; never the key itself. */
  keyRef: z.string().nullable(),
  params: z.object({
    temperature: z.number().optional(),
    top_p: z.number().optional(),
    max_tokens: z.int().positive().optional(),
    /** `false` asks for one call per answer; absent: the endpoint's own way. */
    parallel_tool_calls: z.boolean().optional(),
  }),
  /** η·L of APOLLO Algorithm 1, tokens. */
  contextTokens: z.int().positive(),
  sendReasoning: z.boolean(),
  /** The model takes images. Absent: it does not, and is sent none. */
  images: z.boolean().optional(),
});
export type ModelRef = z.infer<typeof modelRefSchema>;

export const limitsSchema = z.object({
  maxSteps: z.int().positive(),
  maxWorkingMs: z.int().positive(),
  maxEvals: count,
  /** Working time one training command may take; absent = no limit. */
  maxTrainingMs: z.int().positive().optional(),
  /** Input and output tokens together; absent = no limit. */
  maxTokens: z.int().positive().optional(),
  /** In the currency of the price table; absent = no limit. Needs an endpoint with a price. */
  maxCost: z.number().positive().optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

export const step = z.int().positive();

/** Why and what of an answered step, as `model.answered` stores it. */
export const answerSchema = z.object({
  step,
  stepId: ulid,
  kind: z.enum(['act', 'think', 'null', 'summary']),
  text: z.string(),
  reasoning: z.string(),
  calls: z.array(callSchema),
  /** Parallel to `calls`: null when the call is valid, else why it is not. */
  invalid: z.array(z.string().nullable()),
  finishReason: z.string().nullable(),
  model: z.string(),
  usage: usageSchema.nullable(),
  cost: z.number().nullable(),
  durationMs: count,
});

export const observationSchema = z.object({
  step,
  call: count,
  callId: z.string(),
  name: z.string(),
  ok: z.boolean(),
  /** Set when the action itself failed: refused, invalid, not found, timed out, exception. */
  error: failureSchema.nullable(),
  /** What the model reads, before `<real_user>` is escaped. */
  text: z.string(),
  /** Facts for rules and window, by action: computer, session, command, exitCode, path, startLine, endLine, query... */
  data: z.record(z.string(), z.unknown()),
  /** End offset of every session at this moment, keyed `computer:session`. */
  offsets: z.record(z.string(), count),
  durationMs: count,
  closedBy: z.enum(['run', 'look', 'interrupted', 'not_run']),
  imitatesHuman: z.boolean(),
  /** What the action shows besides its text, to models that take images. */
  images: z.array(imagePartSchema).optional(),
});

export const deliverySchema = z.object({
  step: count,
  hints: z.array(z.object({ id: ulid, text: z.string() })),
  /** The exact text appended to the context, tags included. */
  text: z.string(),
});

/** The head of a context: messages before the first step that is kept as it was. */
export const headSchema = z.array(
  z.object({
    role: z.enum(['system', 'user', 'assistant']),
    content: z.string(),
    /** Of a user message, before its text: what the last summarised observation shows. */
    images: z.array(imagePartSchema).optional(),
  }),
);
export type HeadMessage = z.infer<typeof headSchema>[number];

/** What was said to the agent of an action once it was over, as a guard that warns: in the observation's `data.notices`. */
const noticesSchema = z.array(z.object({ rule: z.string(), level: z.enum(['warn']), message: z.string() }));

export function noticesOf(data: Record<string, unknown>): z.infer<typeof noticesSchema> {
  if (data.notices === undefined) return [];
  const read = noticesSchema.safeParse(data.notices);
  return read.success ? read.data : [];
}
