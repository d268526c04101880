import type { BatchChoices, BatchEnd, JudgeAnswer } from '@shared/judging/batch';
import type { AnnotationEntry, Author } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import type { Job } from '../log/group-commit';
import { type HeldBatch, JudgeBatches } from '../log/judge-batches';
import type { Said } from '../values';
import type { AnnotationDesk } from './annotation-desk';

interface BatchDeskOptions {
  /** Ms since 1970, whole. */
  now(): number;
  write<T>(job: Job<T>): Promise<T>;
}

/** Everything that is written about batches of judges. */
export class BatchDesk {
  private readonly batches: JudgeBatches;

  constructor(
    statements: Statements,
    private readonly annotations: AnnotationDesk,
    private readonly options: BatchDeskOptions,
  ) {
    this.batches = new JudgeBatches(statements);
  }

  begin(held: HeldBatch, choices: BatchChoices): Promise<void> {
    return this.options.write({ run: () => this.batches.begin(held, choices, this.options.now()) });
  }

  resume(held: HeldBatch, maxCost: number | null): Promise<void> {
    return this.options.write({ run: () => this.batches.resume(held, maxCost, this.options.now()) });
  }

  answered(
    held: HeldBatch,
    answer: JudgeAnswer,
    author: Author,
    said: readonly Said[],
  ): Promise<AnnotationEntry[]> {
    return this.annotations.annotateEach(author, said, () => this.batches.answered(held, answer));
  }

  end(held: HeldBatch, end: Omit<BatchEnd, 'at'>): Promise<void> {
    return this.options.write({ run: () => this.batches.end(held, { ...end, at: this.options.now() }) });
  }
}
