import { WaymarkError } from '@shared/contract/errors';
import type { BatchChoices, BatchEnd, JudgeAnswer } from '@shared/judging/batch';
import { type Author, judgeAuthor } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import type { Job } from '../log/group-commit';
import { type HeldBatch, JudgeBatches } from '../log/judge-batches';
import { type NewRubric, writeRubric } from '../log/rubric-settings';
import { readTried, TrialVerdicts, type Tried, type TriedBy } from '../log/trial-verdicts';
import type { Said } from '../values';
import type { AnnotationDesk } from './annotation-desk';

interface BatchDeskOptions {
  /** @throws WaymarkError not_found: it is unknown, or was removed */
  refuseMissing(run: string): void;
  /** Ms since 1970, whole. */
  now(): number;
  write<T>(job: Job<T>): Promise<T>;
}

/** Votes of a trial that are taken over in one transaction. */
const TOGETHER = 200;

/** Everything that is written about batches of judges, and about what they go by. */
export class BatchDesk {
  private readonly batches: JudgeBatches;
  private readonly trials: TrialVerdicts;

  constructor(
    private readonly statements: Statements,
    private readonly annotations: AnnotationDesk,
    private readonly options: BatchDeskOptions,
  ) {
    this.batches = new JudgeBatches(statements);
    this.trials = new TrialVerdicts(statements);
  }

  begin(held: HeldBatch, choices: BatchChoices): Promise<void> {
    return this.options.write({ run: () => this.batches.begin(held, choices, this.options.now()) });
  }

  resume(held: HeldBatch, maxCost: number | null): Promise<void> {
    return this.options.write({ run: () => this.batches.resume(held, maxCost, this.options.now()) });
  }

  async answered(held: HeldBatch, answer: JudgeAnswer, author: Author, said: readonly Said[]): Promise<void> {
    await this.annotations.annotateEach(author, said, () => this.batches.answered(held, answer));
  }

  /** As `answered`, of a batch that tries a rubric: the verdicts are kept apart. */
  tried(held: HeldBatch, answer: JudgeAnswer, judge: string, tried: readonly Tried[]): Promise<void> {
    return this.options.write({
      run: () => {
        for (const run of new Set(tried.map((each) => each.run))) this.options.refuseMissing(run);
        this.batches.answered(held, answer);
        for (const each of tried) this.trials.put(judge, each);
      },
    });
  }

  /** Makes verdicts of a trial on steps of the run the judge's votes, each once; how many. They were paid for. */
  async adopt(run: string, by: TriedBy): Promise<number> {
    let adopted = 0;
    for (;;) {
      const some = readTried(this.statements, run, by, 1, TOGETHER);
      if (some.length === 0) return adopted;
      const said = some.map(({ step, op }) => ({ target: { run, from: step, to: step }, op }));
      await this.annotations.annotateEach(judgeAuthor(by.judge), said, () => {
        // Another process may have taken them over since they were read.
        if (readTried(this.statements, run, by, 1, some.length).length < some.length) throw takenOver(by);
        for (const { step } of some) this.trials.take(run, by, step);
      });
      adopted += some.length;
    }
  }

  /** @param before as of `writeRubric` */
  keepRubric(rubric: NewRubric, before?: string | null): Promise<void> {
    return this.options.write({
      run: () => writeRubric(this.statements, { ...rubric, at: this.options.now() }, before),
    });
  }

  askStop(batch: string): Promise<void> {
    return this.options.write({ run: () => this.batches.askStop(batch, this.options.now()) });
  }

  end(held: HeldBatch, end: Omit<BatchEnd, 'at'>): Promise<void> {
    return this.options.write({ run: () => this.batches.end(held, { ...end, at: this.options.now() }) });
  }
}

const takenOver = ({ judge }: TriedBy) =>
  new WaymarkError(
    'conflict',
    `Another process is making the tried verdicts of ${judge} count at this moment. Wait a moment and save again.`,
  );
