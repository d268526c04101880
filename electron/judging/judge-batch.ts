import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { estimateTokens } from '@shared/context/tokens';
import { type Failure, toFailure } from '@shared/contract/errors';
import { readVerdicts, type Verdict } from '@shared/judging/verdicts';
import { judgeAuthor } from '@shared/log/annotations';
import type { ModelFailure, ModelPort } from '../agent/ports';
import { mendedRequest } from '../agent/refused-parameter';
import { backOffMs } from '../base/back-off';
import { costOf, type Price } from '../model/client';
import { unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import type { JudgeTask } from './judge-work';

export interface BatchOptions {
  /** As votes are signed. */
  judge: string;
  model: ModelPort;
  /** Of the endpoint; null: unknown, so that no cost can be told or limited. */
  price: Price | null;
  /** In the currency of the price; null: no limit. Asking ends before a request that could exceed it. */
  maxCost: number | null;
  /** Requests under way at a time. */
  together: number;
  /** How often turns that are missing from an answer are asked for again, and a failed request is sent again. */
  tries: number;
  firstPauseMs: number;
  signal: AbortSignal;
}

export interface BatchResult {
  /** Requests that were answered. */
  asked: number;
  votes: number;
  masks: number;
  /** Steps that were asked about and got no verdict; they stay as they were. */
  missing: number;
  /** Null: the endpoint has no price, or an answer came without its usage. */
  cost: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Why the batch ended early; null: it did not. */
  ended: { why: 'cost' | 'cancelled' } | { why: 'failed'; failure: Pick<Failure, 'code' | 'message'> } | null;
}

/** Failures that may be due to what one window shows; after so many in a row they are the endpoint's. */
const OF_THE_WINDOW: readonly ModelFailure['code'][] = ['model_malformed', 'context_full'];
const UNANSWERED_IN_A_ROW = 3;

/** Estimated tokens of a verdict on one turn. */
const TOKENS_PER_VERDICT = 90;

/**
 * Asks a judge about every task, several at a time, and stores the votes of each answer before that place asks again. What is
 * stored is not asked again by the next batch (`judgeTasks`): after a kill, only requests that were under way are paid twice.
 */
export async function runBatch(
  store: { writer: Pick<Store['writer'], 'annotateEach'> },
  tasks: AsyncGenerator<JudgeTask>,
  options: BatchOptions,
): Promise<BatchResult> {
  const batch = new Batch(store, options);
  const work = async () => {
    try {
      while (batch.result.ended === null) {
        const next = await tasks.next();
        if (next.done === true) return;
        await batch.judge(next.value);
      }
    } catch (thrown) {
      batch.fail(thrown);
    }
  };
  await Promise.all(Array.from({ length: options.together }, work));
  return batch.result;
}

class Batch {
  readonly result: BatchResult;
  /** What requests under way may cost at most, by estimate. */
  private underWay = 0;
  private spent = 0;
  private requests = 0;
  /** Those who wait until a request has been answered. */
  private waiting: (() => void)[] = [];
  /** Windows in a row that came to no verdict. */
  private unanswered = 0;
  /** Parameters that the endpoint does not take, by what it said. */
  private readonly refusals: ModelFailure[] = [];

  constructor(
    private readonly store: { writer: Pick<Store['writer'], 'annotateEach'> },
    private readonly options: BatchOptions,
  ) {
    const counts = { asked: 0, votes: 0, masks: 0, missing: 0, inputTokens: 0, outputTokens: 0 };
    this.result = { ...counts, cost: options.price === null ? null : 0, ended: null };
  }

  async judge(task: JudgeTask): Promise<void> {
    let open = task.open;
    for (let round = 0; round <= this.options.tries && open.length > 0; round += 1) {
      const verdicts = await this.ask(task, open);
      if (verdicts === null) return;
      if (verdicts === 'unanswered') break;
      if (verdicts.length > 0) this.unanswered = 0;
      else if (round === this.options.tries && open.length === task.open.length) this.missVerdicts();
      await this.keep(task, verdicts);
      open = open.filter((step) => !verdicts.some((verdict) => verdict.step === step));
    }
    this.result.missing += open.length;
  }

  /** The verdicts of one answer; `unanswered`: there is none that can be read, for this window alone; null: the batch has ended. */
  private async ask(task: JudgeTask, open: number[]): Promise<Verdict[] | 'unanswered' | null> {
    const { model, tries, firstPauseMs, signal, price, maxCost } = this.options;
    let body = this.mended(task.bodyFor(open));
    const most = estimatedCost(body, open.length, price) ?? 0;
    for (let failures = 0; ; ) {
      if (this.result.ended !== null) return null;
      if (signal.aborted) return this.end({ why: 'cancelled' });
      if (maxCost !== null && this.spent + this.underWay + most > maxCost) {
        // What is under way may cost less than it could.
        if (this.requests === 0) return this.end({ why: 'cost' });
        await new Promise<void>((wake) => this.waiting.push(wake));
        continue;
      }
      this.underWay += most;
      this.requests += 1;
      const sha256 = createHash('sha256').update(body).digest('hex');
      const answered = await model
        .ask({ body, sha256 }, () => undefined, signal)
        .finally(() => {
          this.underWay -= most;
          this.requests -= 1;
        });
      if (answered.ok) {
        const { usage, calls } = answered.answer;
        this.result.asked += 1;
        this.result.inputTokens += usage?.inputTokens ?? 0;
        this.result.outputTokens += usage?.outputTokens ?? 0;
        // Without a report the estimate holds, so that a limit on money still ends the batch.
        this.spent += costOf(usage, price) ?? most;
        if (price !== null) this.result.cost = this.spent;
        this.wake();
        return readVerdicts(calls, task.window, open);
      }
      this.wake();
      if (signal.aborted) return this.end({ why: 'cancelled' });
      const { failure } = answered;
      if (mendedRequest(JSON.parse(body), failure) !== null) {
        this.refusals.push(failure);
        body = this.mended(body);
        continue;
      }
      failures += 1;
      if (!failure.retryable || failures > tries) {
        this.unanswered += OF_THE_WINDOW.includes(failure.code) ? 1 : UNANSWERED_IN_A_ROW;
        if (this.unanswered < UNANSWERED_IN_A_ROW) return 'unanswered';
        return this.end({ why: 'failed', failure });
      }
      const wait = backOffMs(failures, { firstMs: firstPauseMs, longestMs: 60_000 }, 1);
      await pause(Math.max(wait, failure.retryAfterMs ?? 0), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Without what the endpoint has refused so far. */
  private mended(body: string): string {
    if (this.refusals.length === 0) return body;
    const request: Record<string, unknown> = JSON.parse(body);
    return JSON.stringify(
      this.refusals.reduce((mended, failure) => mendedRequest(mended, failure) ?? mended, request),
    );
  }

  /** The batch ends with the reason; what is stored stays. @throws what is a fault of ours */
  fail(thrown: unknown): void {
    const failure = toFailure(thrown);
    this.end({ why: 'failed', failure });
    if (failure.code === 'bug') throw thrown;
  }

  private missVerdicts(): void {
    this.unanswered += 1;
    if (this.unanswered < UNANSWERED_IN_A_ROW) return;
    const message = `${this.options.judge} answers without a verdict that can be read. A judge has to call the tool it is offered: choose a model that calls tools.`;
    this.end({ why: 'failed', failure: { code: 'model_malformed', message } });
  }

  private end(ended: NonNullable<BatchResult['ended']>): null {
    this.result.ended ??= ended;
    this.wake();
    return null;
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async keep({ owners, rubric }: JudgeTask, verdicts: readonly Verdict[]): Promise<void> {
    const said = verdicts.flatMap(({ step, value, confidence, reason, why, steps }) => {
      const owner = owners.find(({ from, to, gone }) => !gone && from <= step && step <= to);
      if (owner === undefined) return [];
      const op = { op: 'judge', value, confidence, reason, why, steps, rubric } as const;
      return [{ target: { run: owner.run, from: step, to: step }, op }];
    });
    const author = judgeAuthor(this.options.judge);
    const annotate = (each: typeof said) => unlessRemoved(this.store.writer.annotateEach(author, each));
    let stored = said;
    if ((await annotate(said)) === null) {
      // A run was removed while its steps were judged: what was said of the others is kept.
      stored = [];
      for (const { run } of owners) {
        const each = said.filter(({ target }) => target.run === run);
        if (each.length > 0 && (await annotate(each)) !== null) stored.push(...each);
      }
    }
    this.result.votes += stored.length;
    this.result.masks += stored.filter(({ op }) => op.value === 'mask').length;
  }
}

export interface BatchEstimate {
  requests: number;
  steps: number;
  inputTokens: number;
  outputTokens: number;
  /** Null: the endpoint has no price. */
  cost: number | null;
}

/** What a batch would ask and cost, by estimate: every turn is answered at the first try. Nothing is sent. */
export async function estimateBatch(
  tasks: AsyncGenerator<JudgeTask>,
  price: Price | null,
): Promise<BatchEstimate> {
  const estimate = { requests: 0, steps: 0, inputTokens: 0, outputTokens: 0 };
  let cost = 0;
  for await (const { open, bodyFor } of tasks) {
    const body = bodyFor(open);
    estimate.requests += 1;
    estimate.steps += open.length;
    estimate.inputTokens += estimateTokens(body);
    estimate.outputTokens += open.length * TOKENS_PER_VERDICT;
    cost += estimatedCost(body, open.length, price) ?? 0;
  }
  return { ...estimate, cost: price === null ? null : cost };
}

function estimatedCost(body: string, turns: number, price: Price | null): number | null {
  if (price === null) return null;
  const usage = {
    inputTokens: estimateTokens(body),
    cachedTokens: 0,
    outputTokens: turns * TOKENS_PER_VERDICT,
    reasoningTokens: 0,
  };
  return costOf(usage, price);
}
