import type { JudgedRequest } from '@shared/judging/batch';
import type { AnnotationOp } from '@shared/log/annotations';
import type { ModelAnswer } from '../agent/ports';
import type { StepOwner } from '../review/step-owners';

/** What an answer says of one step. */
export interface Judged {
  step: number;
  op: Extract<AnnotationOp, { op: 'judge' | 'reward' }>;
  /** It speaks against the step: MASK, or −1. */
  against: boolean;
  /** It was given and could not be understood. */
  unparsable: boolean;
}

/** One request that is still to be answered. */
export interface JudgeTask {
  /** The run in which the steps were looked at; `owners` says where they were made. */
  run: string;
  owners: readonly StepOwner[];
  /** Steps that are asked about, ascending. */
  open: number[];
  /** Of an answer about so many steps, by estimate. */
  outputTokens(asked: number): number;
  /** The exact request about some of them. */
  requestFor(asked: readonly number[]): Record<string, unknown>;
  /** What such a request shows, for making it again. */
  shown(asked: readonly number[], frame: string): JudgedRequest;
  /** What an answer says of the steps it was asked about; of a step that is not among it, nothing. */
  read(answer: Pick<ModelAnswer, 'text' | 'reasoning' | 'calls'>, asked: readonly number[]): Judged[];
}
