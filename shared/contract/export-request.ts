import { z } from 'zod';
import { rowReasonings } from '../context/trajectory';
import { idSchema } from './id';

/** What a dataset can be written for; a row of `electron/dataset/targets/table.ts` each. */
export const exportFormats = [
  'slime',
  'openai',
  'axolotl',
  'ms-swift',
  'trl',
  'trl-completion',
  'dpo',
  'rm',
  'prm',
  'llamafactory-sharegpt',
  'llamafactory-openai',
  'llamafactory-v1',
  'verl-sft',
  'verl-rl',
  'agenttraj',
  'atif',
  'rlanything-policy',
  'rlanything-reward',
  'steps',
  'steps-parquet',
] as const;
export type ExportFormat = (typeof exportFormats)[number];

/**
 * Whose opinions make the masks (APOLLO, Table 2): `all` as labels combine; `rules`, `judge`, `human`: only theirs, and every
 * other step trains; `unmasked`: every step trains. All variants of one export rest on one label snapshot.
 */
export const exportVariants = ['all', 'rules', 'judge', 'human', 'unmasked'] as const;
export type ExportVariant = (typeof exportVariants)[number];

/** How records are stored: a line each, one JSON array, rows of a Parquet file, a file each. */
export const encodings = ['jsonl', 'array', 'parquet', 'documents'] as const;
export type Encoding = (typeof encodings)[number];

/** In what a data file is packed. One frame of zstd: some readers stop at the second. */
export const compressions = ['none', 'gzip', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

/** What is taken out of texts: `strict` secrets, user names, host names and home paths; `names` the last three; `off` nothing. */
export const redactions = ['strict', 'names', 'off'] as const;
export type Redaction = (typeof redactions)[number];

/**
 * What a step's reward is made of where a dataset holds rewards (RLAnything): the run's `outcome`, the judges' votes on the `step`,
 * or both, `integrated`.
 */
export const rewardSignals = ['outcome', 'step', 'integrated'] as const;
export type RewardSignal = (typeof rewardSignals)[number];

const words = z.array(z.string().min(1).max(200)).max(1_000);

/** Which runs and rows are taken; an absent field takes all. A run or row must pass every one that is there. */
export const exportFilter = z.strictObject({
  tasks: words.optional(),
  domains: words.optional(),
  experiments: words.optional(),
  arms: words.optional(),
  /** Lowest final score. */
  minScore: z.number().optional(),
  /** Only runs whose final score reaches `success_at` of their task. */
  successful: z.boolean().optional(),
  /** Names of people: rows with a step whose label is theirs. */
  annotators: words.optional(),
  /** Names of judges: only their votes are heard, in masks and rewards. It takes out votes, and no run or row by itself. */
  judges: words.optional(),
  /** Rows with a step whose label comes from one of these. */
  sources: z.array(z.enum(['adjudication', 'human', 'rule', 'judge'])).optional(),
  kinds: z.array(z.enum(['react', 'summary'])).optional(),
  /** Estimated length of a row, tokens. */
  minTokens: z.int().nonnegative().optional(),
  maxTokens: z.int().positive().optional(),
  /** When the run began, ms since 1970: from this moment on, and before that one. */
  after: z.int().optional(),
  before: z.int().optional(),
});
export type ExportFilter = z.infer<typeof exportFilter>;

/** What the window sends and the command line makes of its options. Everything that has a default may be left out. */
export const exportRequestSchema = z.object({
  format: z.enum(exportFormats).default('slime'),
  /** Full run ids; empty = all. */
  runs: z.array(idSchema).default([]),
  filter: exportFilter.default({}),
  variants: z.array(z.enum(exportVariants)).min(1).default(['all']),
  undecided: z.enum(['refuse', 'train', 'mask']).default('refuse'),
  noTools: z.enum(['refuse', 'allow']).default('refuse'),
  preset: z.enum(['default', 'apollo']).default('default'),
  /** Default of these two: as the preset says. */
  carried: z.enum(['once', 'paper']).optional(),
  reasoning: z.enum(rowReasonings).optional(),
  /** Share of tasks whose rows go to `validation`, and the seed that chooses them: all rows of a task go to one side. */
  split: z.object({ share: z.number().gt(0).lt(1), seed: z.int().nonnegative() }).optional(),
  /** One run for each task and sample: the one with the best final score. */
  deduplicate: z.boolean().default(false),
  /** Default: the target's first. */
  encoding: z.enum(encodings).optional(),
  compression: z.enum(compressions).default('none'),
  /** Form of a call's arguments; `auto`: as the target's template wants it, see `tokenizer`. */
  arguments: z.enum(['auto', 'string', 'object']).default('auto'),
  /** Of the formats with rewards; others do not read it. */
  rewards: z.enum(rewardSignals).default('integrated'),
  redact: z.enum(redactions).default('strict'),
  /** Findings that a person lets stand, by the name that the report gives them. */
  allowed: z.array(z.string().max(200)).max(10_000).default([]),
});
export type ExportOptions = z.infer<typeof exportRequestSchema>;
