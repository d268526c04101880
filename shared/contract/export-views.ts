import type { Failure } from './errors';
import type { ExportFormat, ExportOptions, ExportVariant } from './export-request';

/** What an export would write, counted over the rows of one variant before any repetition. */
export interface VariantCounts {
  variant: ExportVariant;
  /** Records of the data files, repetition and prefix expansion included. */
  records: number;
  /** Rows of the plan. */
  rows: number;
  /** Steps, each once however often it stands in rows. */
  trained: number;
  masked: number;
  /** Estimates. */
  trainedTokens: number;
  maskedTokens: number;
  tokens: number;
  /** Steps by who decided, why, and what became of them. `reason`: rule id, criterion, initials. */
  byReason: {
    source: string;
    reason: string;
    value: 'train' | 'mask';
    steps: number;
    tokens: number;
  }[];
}

/** What of the chosen runs is in no record, in the order in which it was taken out. */
export interface FilterCount {
  /** Name of the filter field, `split`, `deduplicate`, or the reason of a drop. */
  by: string;
  runs: number;
  rows: number;
}

export interface RowName {
  run: string;
  segment: number;
  kind: 'react' | 'summary';
}

/** One row of the plan, for a list. */
export interface RowView extends RowName {
  index: number;
  title: string;
  tokens: number;
  trained: number;
  masked: number;
  split: 'train' | 'validation';
  firstStep: number;
  lastStep: number;
}

/** A folder with a tokenizer and a chat template that a person chose. */
export interface TokenizerView {
  /** Stable for the same folder; what the window names it by. */
  id: string;
  folder: string;
  name: string;
  /** Family that the template was recognised as, `unknown` otherwise. */
  family: string;
  vocabulary: number;
  /** What the template wants of a call's arguments, found by rendering both. */
  argumentsForm: 'string' | 'object' | 'either' | 'neither';
  /** What cannot be shown exactly, in words. */
  warnings: string[];
}

/**
 * By whose rule tokens get loss. `slime-*`: slime's `--loss-mask-type`, which renders message by message except for `qwen3_5`;
 * `generation`: the template's `{% generation %}` blocks, as TRL and Hugging Face read them; `turn`: from behind the
 * generation prompt to the end of the message; `auto`: as the trainer does under this template.
 */
export const tokenRules = [
  'auto',
  'slime-qwen',
  'slime-qwen3',
  'slime-qwen3_5',
  'slime-distill_qwen',
  'generation',
  'turn',
] as const;
export type TokenRule = (typeof tokenRules)[number];

/** What a token is to training. */
export const tokenLosses = ['trained', 'masked', 'carried', 'context'] as const;
export type TokenLoss = (typeof tokenLosses)[number];

/** One message in the rendered text. Offsets count UTF-16 units of `text`; `[from, to)`. */
export interface TokenMessage {
  index: number;
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** 0: head. */
  step: number;
  from: number;
  to: number;
  loss: TokenLoss;
  /** Rule, criterion or initials; absent where nothing was decided. */
  source?: string;
  reason?: string;
  trainedTokens: number;
  tokens: number;
  /** Parts of the message that the template left out of the text. */
  lost: { part: 'content' | 'reasoning' | 'call' | 'arguments'; name: string; excerpt: string }[];
}

/** A row as a trainer would see it: the rendered text, its tokens, and which of them get loss. */
export interface TokenView {
  row: RowView;
  of: number;
  /** The rule that was followed. */
  rule: Exclude<TokenRule, 'auto'>;
  /** Form of a call's arguments that the template was given. */
  argumentsForm: 'string' | 'object';
  text: string;
  /** First UTF-16 unit of each token in `text`, ascending; the token ends where the next begins. */
  starts: number[];
  ids: number[];
  /** One character a token: `t` trained, `m` masked, `c` carried, `.` context. */
  losses: string;
  messages: TokenMessage[];
  trainedTokens: number;
  maskedTokens: number;
  warnings: string[];
}

/** A secret or a name that was found in what would be exported. */
export interface FindingView {
  /** Stable name of the finding, to allow it by: hash over rule and text. */
  name: string;
  rule: string;
  kind: 'secret' | 'user' | 'host' | 'home';
  /** What stands in its place, as `<<secret:kind:n>>`. */
  placeholder: string;
  /** First characters and length; never the secret. */
  excerpt: string;
  count: number;
  /** The first places. */
  places: { run: string; step: number; field: string }[];
  allowed: boolean;
}

export interface RedactionView {
  findings: FindingView[];
  scannedBytes: number;
}

export type ExportJobState = 'waiting' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled';

/** An export in the tray. Lives on in the folder it writes until it is done, so that it can go on after a kill. */
export interface ExportJob {
  id: string;
  folder: string;
  format: ExportFormat;
  state: ExportJobState;
  /** Events, over all passes. */
  done: number;
  total: number;
  records: number;
  bytes: number;
  /** Events a second, and seconds that are left; null until known. */
  rate: number | null;
  secondsLeft: number | null;
  startedAt: number;
  /** Taken up where a killed process had stopped. */
  resumed: boolean;
  error: Failure | null;
  result: DatasetView | null;
}

/** An export that was written, as its manifest tells it. */
/** One task of a dataset, in the version with this hash: its runs, rows, and steps of the first variant. */
export interface TaskShare {
  task: string;
  hash: string;
  domain: string | null;
  runs: number;
  rows: number;
  trained: number;
  masked: number;
}

export interface DatasetView {
  /** sha256 of the manifest. */
  id: string;
  folder: string;
  format: ExportFormat;
  writtenAt: number;
  /** `missing`: the folder is gone; `changed`: files differ from the manifest; unknown until they were checked. */
  state: 'there' | 'missing' | 'changed';
  snapshot: string;
  variants: ExportVariant[];
  options: ExportOptions;
  records: number;
  trained: number;
  masked: number;
  bytes: number;
  files: { path: string; bytes: number; sha256: string; records: number }[];
  redacted: number;
  /** By domain and task; absent in what was written before it was kept. */
  composition?: TaskShare[] | undefined;
}

/** What differs between two exports, over the steps that either holds. */
export interface DatasetDifference {
  a: string;
  b: string;
  /** Steps whose mask changed; `null` = not in that one. */
  steps: {
    run: string;
    step: number;
    a: 0 | 1 | null;
    b: 0 | 1 | null;
    reasonA: string | null;
    reasonB: string | null;
  }[];
  /** All of them, also those that are not listed. */
  count: number;
}
