import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, toFailure } from '@shared/contract/errors';
import type { BatchCounts } from '@shared/judging/batch';
import { frameOf } from '@shared/judging/judge-request';
import type { ModelFailure, ModelPort } from '../agent/ports';
import { mendedRequest } from '../agent/refused-parameter';
import { backOffMs } from '../base/back-off';
import { costOf, mostCostOf, type Price } from '../model/client';
import { unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';
import type { Judged, JudgeTask } from './judge-task';
import { PreparedRequest, type PreparedTask, preparedAhead, type TokenCounts } from './prepared-request';
import { type Answered, type AnswerStore, StoredAnswers } from './stored-answers';

export interface BatchOptions {
  /** As votes are signed. */
  judge: string;
  /** Its verdicts are kept apart, as no votes; default false. */
  isTrial?: boolean | undefined;
  /** Begun, and held by this process. */
  batch: HeldBatch;
  model: ModelPort;
  /** Of the endpoint; null: unknown, so that no cost can be told or limited. */
  price: Price | null;
  /** In the currency of the price; null: no limit. Asking ends before a request that could exceed it. */
  maxCost: number | null;
  /** What earlier processes of the batch have spent already; default 0. */
  spent?: number | undefined;
  /** Looked at before each request: it throws where an answer could not be stored. */
  refuseWithoutRoom?: (() => void) | undefined;
  /** Requests under way at a time. */
  together: number;
  /** How often turns that are missing from an answer are asked for again, and a failed request is sent again. */
  tries: number;
  firstPauseMs: number;
  /** Gives up what is under way. */
  signal: AbortSignal;
  /** Ends the batch once what is under way has been answered and stored. */
  stopping?: AbortSignal | undefined;
}

/** What this process has added to the batch. */
export interface BatchResult extends Omit<BatchCounts, 'knownCost'> {
  /** What a limit on money counts, over all processes of the batch. */
  spent: number;
  /** Why the batch ended early; null: it did not. */
  ended: { why: 'cost' | 'cancelled' } | { why: 'failed'; failure: Pick<Failure, 'code' | 'message'> } | null;
}

type JudgedStore = AnswerStore & Pick<Store, 'subscribe'> & { reader: Pick<Store['reader'], 'judgedTurns'> };

/** How long what was read to be shown may lie, ms: after that it is looked at once more whether it may still be sent. */
const FRESH_MS = 1_000;
/** The same for a request that was made ahead: what other processes do is noticed about as fast. */
const JUST_MADE_MS = 100;

/** Failures that may be due to what one window shows; after so many in a row they are the endpoint's. */
const OF_THE_WINDOW: readonly ModelFailure['code'][] = ['model_malformed', 'context_full'];
const UNANSWERED_IN_A_ROW = 3;

/** Answers in a row that hold nothing but votes that cannot be read: such a judge is asked no more. */
const UNPARSABLE_IN_A_ROW = 12;

/**
 * Asks a judge about every task, several at a time, and stores each answer with its votes in one transaction. A place asks on while
 * its last answer is being stored, and keeps no second one waiting. What is stored is not asked again: after a kill, only requests
 * that were under way, and answers that came in the same moment, are paid twice.
 */
export async function runBatch(
  store: JudgedStore,
  tasks: AsyncGenerator<JudgeTask>,
  options: BatchOptions,
): Promise<BatchResult> {
  const batch = new Batch(store, options);
  const unsubscribe = store.subscribe(({ kind }) => {
    if (kind === 'foreign') batch.noteChange();
  });
  const prepared = preparedAhead(
    tasks,
    options.together,
    options.price !== null,
    () => batch.result.ended !== null,
  );
  const work = async () => {
    const place = new Place();
    try {
      while (batch.result.ended === null) {
        const next = await prepared.next();
        if (next.done === true || next.value === null) break;
        await batch.judge(next.value, place);
      }
      await place.stored;
    } catch (thrown) {
      await place.stored.catch(() => undefined);
      batch.fail(thrown);
    }
  };
  // A fault in one place ends the others too, and what they have under way is stored first.
  const places = await Promise.allSettled(Array.from({ length: options.together }, work));
  unsubscribe();
  // Nothing is read for it any more.
  await prepared.return(undefined);
  await tasks.return(undefined);
  for (const place of places) if (place.status === 'rejected') throw place.reason;
  return batch.result;
}

/** Where one request at a time is under way. */
class Place {
  /** Its last answer is in the store. */
  stored: Promise<void> = Promise.resolve();

  /** Once the answer before is stored. The caller goes on meanwhile; what fails is thrown by the next call, or to whoever awaits. */
  async store(put: () => Promise<void>): Promise<void> {
    await this.stored;
    this.stored = put();
    this.stored.catch(() => undefined);
  }
}

class Batch {
  readonly result: BatchResult;
  /** What requests under way may cost at most, by estimate. */
  private underWay = 0;
  private requests = 0;
  /** Those who wait until a request has been answered. */
  private waiting: (() => void)[] = [];
  /** Windows in a row that came to no verdict. */
  private unanswered = 0;
  private readonly answers: StoredAnswers;
  /** Answers in a row of which no vote could be read. */
  private unparsable = 0;
  /** Parameters that the endpoint does not take, by what it said. */
  private readonly refusals: ModelFailure[] = [];
  /** Nothing more is sent: nobody waits any longer to try again. */
  private readonly ending = new AbortController();
  private readonly begun = performance.now();
  /** A run was removed or purged, or another process has written: what was read before may be gone. */
  private hasChanged = false;

  constructor(
    private readonly store: JudgedStore,
    private readonly options: BatchOptions,
  ) {
    this.answers = new StoredAnswers(store, options);
    const counts = { asked: 0, votes: 0, against: 0, unparsable: 0, missing: 0 };
    const tokens = { inputTokens: 0, outputTokens: 0 };
    for (const each of [options.signal, options.stopping])
      each?.addEventListener('abort', () => this.ending.abort(), { once: true });
    this.result = {
      ...counts,
      ...tokens,
      cost: options.price === null ? null : 0,
      spent: options.spent ?? 0,
      ended: null,
    };
  }

  async judge(prepared: PreparedTask, place: Place): Promise<void> {
    const { task, whole } = prepared;
    let open = this.answers.openOf(task);
    const asked = open;
    for (let round = 0; round <= this.options.tries && open.length > 0; round += 1) {
      const request = this.mended(
        open.length === task.open.length
          ? whole
          : new PreparedRequest(task.requestFor(open), task.outputTokens(open.length)),
      );
      const answered = await this.ask(prepared, open, request, place);
      if (answered === null || answered === 'gone') return;
      if (answered === 'unanswered') break;
      const judged = task.read(answered, open);
      if (judged.length > 0) this.unanswered = 0;
      else if (round === this.options.tries && open.length === asked.length) this.missVerdicts();
      await place.store(() => this.keep(task, answered, judged));
      this.count(judged);
      open = open.filter((step) => !judged.some((each) => each.step === step));
    }
    this.result.missing += open.length;
  }

  /**
   * One answer; `unanswered`: there is none that can be read, for this task alone; `gone`: what it shows was removed or purged; null:
   * the batch has ended.
   */
  private async ask(
    prepared: PreparedTask,
    open: number[],
    whole: PreparedRequest,
    place: Place,
  ): Promise<Answered | 'unanswered' | 'gone' | null> {
    const { tries, firstPauseMs, signal, price, maxCost } = this.options;
    const { task } = prepared;
    let sent = whole;
    for (let failures = 0; ; ) {
      const most = price === null ? 0 : mostCostOf(sent.estimate, price);
      if (this.result.ended !== null) return null;
      if (signal.aborted || this.options.stopping?.aborted === true) return this.end({ why: 'cancelled' });
      if (maxCost !== null && this.result.spent + this.underWay + most > maxCost) {
        // What is under way may cost less than it could.
        if (this.requests === 0) return this.end({ why: 'cost' });
        await new Promise<void>((wake) => this.waiting.push(wake));
        continue;
      }
      const answered = await this.send(prepared, open, sent, most);
      if (answered === 'gone') {
        this.release(most);
        return 'gone';
      }
      const { sha256, request } = sent;
      if (answered.ok) {
        // Without a report that can be true the estimate holds, so that a limit on money still ends the batch, or a later process.
        const told = sent.plausible(answered.answer.usage);
        const cost = price === null ? null : (costOf(told, price) ?? most);
        const { inputTokens, outputTokens } = told ?? sent.estimate;
        const tokens = { inputTokens, outputTokens };
        this.paid(cost, tokens);
        this.release(most);
        const { text, reasoning, calls } = answered.answer;
        return { text, reasoning, calls, sha256, frame: frameOf(request), asked: open, cost, ...tokens };
      }
      const { failure } = answered;
      // What had come before an answer broke off, or was given up, is paid for.
      const { outputTokens } = failure;
      try {
        if (outputTokens !== undefined)
          await place.store(() => this.keepBroken(task, open, sent, outputTokens));
      } finally {
        this.release(most);
      }
      if (signal.aborted) return this.end({ why: 'cancelled' });
      if (mendedRequest(request, failure) !== null) {
        this.refusals.push(failure);
        sent = this.mended(sent);
        continue;
      }
      failures += 1;
      if (!failure.retryable || failures > tries) {
        this.unanswered += OF_THE_WINDOW.includes(failure.code) ? 1 : UNANSWERED_IN_A_ROW;
        if (this.unanswered < UNANSWERED_IN_A_ROW) return 'unanswered';
        return this.end({ why: 'failed', failure });
      }
      const wait = backOffMs(failures, { firstMs: firstPauseMs, longestMs: 60_000 }, 1);
      const longer = Math.max(wait, failure.retryAfterMs ?? 0);
      await pause(longer, undefined, { signal: this.ending.signal }).catch(() => undefined);
    }
  }

  /**
   * The request counts as under way from before it is looked at until what it cost is counted (`release`): of several that are looked at
   * together, each knows what the others may cost.
   */
  private async send(
    prepared: PreparedTask,
    open: readonly number[],
    { body, sha256 }: PreparedRequest,
    most: number,
  ): Promise<Awaited<ReturnType<ModelPort['ask']>> | 'gone'> {
    const { model, signal, refuseWithoutRoom } = this.options;
    this.underWay += most;
    this.requests += 1;
    try {
      if (!(await this.maySend(prepared, open))) return 'gone';
      refuseWithoutRoom?.();
      return await model.ask({ body, sha256 }, () => undefined, signal);
    } catch (thrown) {
      this.release(most);
      throw thrown;
    }
  }

  private release(most: number): void {
    this.underWay -= most;
    this.requests -= 1;
    this.wake();
  }

  /** Windows wait for their turn, and a request to be sent again: nothing is sent of what was removed or purged meanwhile. */
  private async maySend({ task, madeAt }: PreparedTask, open: readonly number[]): Promise<boolean> {
    const now = performance.now();
    if (!this.hasChanged && now - this.begun < FRESH_MS && now - madeAt < JUST_MADE_MS) return true;
    const { context, judged } = task.shown(open, '');
    // A purge is of a whole run, so one step of each is looked at.
    const looked = task.owners.flatMap(({ from, to }) => {
      const shown = [...context, ...judged].find((range) => range.from <= to && from <= range.to);
      return shown === undefined ? [] : [Math.max(from, shown.from)];
    });
    for (const step of looked) {
      const found = await unlessRemoved(this.store.reader.judgedTurns(task.run, step, step));
      if (found === null || found.length === 0) return false;
    }
    return true;
  }

  noteChange(): void {
    this.hasChanged = true;
  }

  private paid(cost: number | null, { inputTokens, outputTokens }: TokenCounts) {
    this.result.asked += 1;
    this.result.inputTokens += inputTokens;
    this.result.outputTokens += outputTokens;
    this.result.spent += cost ?? 0;
    if (cost !== null) this.result.cost = (this.result.cost ?? 0) + cost;
  }

  /** An answer that broke off, counted by estimate and kept without votes: a limit on money holds in the next process too. */
  private async keepBroken(
    task: JudgeTask,
    asked: readonly number[],
    { request, sha256, estimate: { inputTokens } }: PreparedRequest,
    outputTokens: number,
  ): Promise<void> {
    const { price } = this.options;
    const cost = price === null ? null : mostCostOf({ inputTokens, outputTokens }, price);
    this.paid(cost, { inputTokens, outputTokens });
    const answered = { sha256, frame: frameOf(request), asked, cost, inputTokens, outputTokens };
    await this.keep(task, { ...answered, text: '', reasoning: '', calls: [] }, []);
  }

  /** Without what the endpoint has refused so far. */
  private mended(prepared: PreparedRequest): PreparedRequest {
    const { request } = prepared;
    const mended = this.refusals.reduce((now, failure) => mendedRequest(now, failure) ?? now, request);
    return mended === request ? prepared : prepared.as(mended);
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
    const message = `${this.options.judge} answers without a verdict that can be read. A judge has to call the tool it is offered, about the turns it was asked about: choose another model.`;
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

  /** Stores the answer and its votes, whole or not at all. What cannot be stored ends the batch at once, before more is paid for. */
  private async keep(task: JudgeTask, answered: Answered, judged: readonly Judged[]): Promise<void> {
    try {
      const { votes, against, unparsable } = await this.answers.put(task, answered, judged);
      this.result.votes += votes;
      this.result.against += against;
      this.result.unparsable += unparsable;
    } catch (thrown) {
      this.end({ why: 'failed', failure: toFailure(thrown) });
      throw thrown;
    }
  }

  /** A judge that never says anything that can be read would be paid for nothing. */
  private count(judged: readonly Judged[]): void {
    if (judged.length === 0) return;
    this.unparsable = judged.every(({ unparsable }) => unparsable) ? this.unparsable + 1 : 0;
    if (this.unparsable < UNPARSABLE_IN_A_ROW) return;
    const message = `The last ${UNPARSABLE_IN_A_ROW} answers of ${this.options.judge} end without \\boxed{1} or \\boxed{-1}. Choose another model or rubric.`;
    this.end({ why: 'failed', failure: { code: 'model_malformed', message } });
  }
}
