import type { StepHead, StepNote } from '@shared/contract/views';
import type { StepMark } from '@shared/labels/labels';

/** Rows the fold produces; the projection writes them. All are derived from stored events alone. */
export interface HeadRow
  extends Pick<
    StepHead,
    | 'step'
    | 'segment'
    | 'at'
    | 'kind'
    | 'tool'
    | 'title'
    | 'observation'
    | 'done'
    | 'ok'
    | 'errorCode'
    | 'exitCode'
    | 'bytes'
    | 'score'
    | 'imitatesHuman'
    | 'guards'
  > {
  seq0: number;
  seq1: number;
  stepId: string;
  /** Computer of the first call that names one, or of the first file the step changed; '' = none. */
  computer: string;
  hinted: boolean;
  /** Its observations show an image. */
  pictured?: true;
}

/** A note as stored: hint numbers are added on read, from the hint's own row. */
export type StoredNote =
  | Exclude<StepNote, { kind: 'hint' }>
  | { kind: 'hint'; hints: { id: string; text: string }[] };

export interface FileRow {
  seq: number;
  step: number;
  computer: string;
  path: string;
  before: string | null;
  after: string | null;
  size: number;
  by: 'action' | 'shell';
}

export interface FoldSink {
  /**
   * A step's row has changed and may change further; write it at the end of the transaction. A step that still
   * acts lives in the run's state alone until it is done or `settled`: half as many pages per step.
   */
  head(row: HeadRow, settled: boolean): void;
  note(row: { seq: number; step: number; note: StoredNote }): void;
  segment(row: {
    seq: number;
    segment: number;
    firstStep: number;
    carried: { from: number; to: number } | null;
  }): void;
  file(row: FileRow): void;
  query(row: {
    seq: number;
    step: number;
    tool: string;
    query: string;
    place: string;
    hits: number | null;
  }): void;
  evaluation(row: {
    seq: number;
    step: number;
    attempt: number | null;
    forced: boolean;
    score: number | null;
  }): void;
  /** An event that `WorkingTime` counts by; `previousAt` is the stamp of the event before it. */
  timing(row: { seq: number; kind: string; at: number; previousAt: number; body: unknown }): void;
  sessionOpened(row: {
    seq: number;
    uid: string;
    computer: string;
    session: string;
    rows: number;
    cols: number;
  }): void;
  sessionEnded(row: { uid: string; exitCode: number | null; lost: boolean }): void;
  /** What an observation says about an open session; null = nothing new. */
  sessionActivity(row: { uid: string; command: string | null; state: string | null }): void;
}

/** Bits of `step_head.flags`, which the filter index holds. An error is a failed action, a non-zero exit code or an answer without a valid call. */
export const HeadFlag = { error: 1, hint: 2 } as const;

/** Bits of `step_head.marks`, which no filter asks for. */
export const HeadMark = { done: 1, ok: 2, imitatesHuman: 4, pictured: 8 } as const;

/** Bits of `step_head.label_flags`. */
export const LabelFlag = {
  disagreement: 1,
  flagged: 2,
  humansDiffer: 4,
  judgesDiffer: 8,
  ruleAndJudgeDiffer: 16,
  rulesDiffer: 32,
  lowConfidence: 64,
  unconfirmed: 128,
  confirmed: 256,
  commented: 512,
  corrected: 1024,
  /** Some person's decision stands, whatever holds. */
  decided: 2048,
} as const;

/** Bit of `step_head.label_flags` for each mark. */
export const markFlags: Record<StepMark, number> = {
  disagreement: LabelFlag.disagreement,
  humans_differ: LabelFlag.humansDiffer,
  judges_differ: LabelFlag.judgesDiffer,
  rule_and_judge_differ: LabelFlag.ruleAndJudgeDiffer,
  rules_differ: LabelFlag.rulesDiffer,
  low_confidence: LabelFlag.lowConfidence,
  unconfirmed: LabelFlag.unconfirmed,
  confirmed: LabelFlag.confirmed,
  flagged: LabelFlag.flagged,
  commented: LabelFlag.commented,
  corrected: LabelFlag.corrected,
};

export function headFlags(row: HeadRow): number {
  const error = row.errorCode !== null || (row.exitCode ?? 0) !== 0 || row.kind === 'null';
  return (error ? HeadFlag.error : 0) + (row.hinted ? HeadFlag.hint : 0);
}

export function headMarks(row: HeadRow): number {
  return (
    (row.done ? HeadMark.done : 0) +
    (row.ok ? HeadMark.ok : 0) +
    (row.imitatesHuman ? HeadMark.imitatesHuman : 0) +
    (row.pictured === true ? HeadMark.pictured : 0)
  );
}
