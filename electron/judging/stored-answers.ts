import { setTimeout as pause } from 'node:timers/promises';
import { WaymarkError } from '@shared/contract/errors';
import type { BatchCounts, JudgeAnswer } from '@shared/judging/batch';
import { judgeAuthor } from '@shared/log/annotations';
import type { ModelAnswer } from '../agent/ports';
import { unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';
import type { Judged, JudgeTask } from './judge-task';
import type { TokenCounts } from './prepared-request';

/** How long an answer waits for another program to let go of the workspace, and how often it tries, ms. */
const LOCKED_MS = 120_000;
const LOCKED_PAUSE_MS = 500;

/** An answer, what it took, and the request that it answers. */
export interface Answered extends Pick<ModelAnswer, 'text' | 'reasoning' | 'calls'>, TokenCounts {
  sha256: string;
  frame: string;
  asked: readonly number[];
  cost: number | null;
}

export interface AnswerStore {
  writer: Pick<Store['writer'], 'judgeAnswered' | 'judgeTried'>;
  reader: Pick<Store['reader'], 'run'>;
}

interface Vote extends Judged {
  /** In whose log the step stands. */
  run: string;
}

/** Stores the answers of one batch, each with its votes in one transaction. */
export class StoredAnswers {
  /** Runs that turned out to be removed: nothing more is asked about their steps. */
  private readonly removed = new Set<string>();

  /** `isTrial`: verdicts are kept apart, as no votes. */
  constructor(
    private readonly store: AnswerStore,
    private readonly about: { batch: HeldBatch; judge: string; isTrial?: boolean | undefined },
  ) {}

  /** Those of the task's steps whose runs have not turned out to be removed. */
  openOf(task: JudgeTask): number[] {
    return task.open.filter((step) => !this.removed.has(ownerOf(task, step)?.run ?? ''));
  }

  /** Whole or not at all; what was stored. Of a run that was removed meanwhile nothing is said. @throws WaymarkError */
  async put(
    task: JudgeTask,
    answered: Answered,
    judged: readonly Judged[],
  ): Promise<Pick<BatchCounts, 'votes' | 'against' | 'unparsable'>> {
    const { asked, sha256, frame, cost, inputTokens, outputTokens } = answered;
    let votes = this.votesOf(task, judged, sha256);
    for (;;) {
      const counts = {
        votes: votes.length,
        against: votes.filter((each) => each.against).length,
        unparsable: votes.filter((each) => each.unparsable).length,
      };
      const request = task.shown(asked, frame);
      try {
        await this.onceUnlocked({ sha256, request, ...counts, cost, inputTokens, outputTokens }, votes);
        return counts;
      } catch (thrown) {
        const left = isMissing(thrown) ? await this.notRemoved(votes) : votes;
        if (left.length === votes.length) throw thrown;
        votes = left;
      }
    }
  }

  /** What is said of steps whose runs are there, with what was asked. */
  private votesOf(task: JudgeTask, judged: readonly Judged[], request: string): Vote[] {
    const batch = this.about.batch.id;
    const votes: Vote[] = [];
    for (const { step, op, against, unparsable } of judged) {
      const owner = ownerOf(task, step);
      if (owner !== undefined)
        votes.push({ run: owner.run, step, op: { ...op, request, batch }, against, unparsable });
    }
    return votes;
  }

  /** An answer is paid for: while another program holds the workspace it waits, and its place asks no more. */
  private async onceUnlocked(answer: JudgeAnswer, votes: readonly Vote[]): Promise<void> {
    for (const end = performance.now() + LOCKED_MS; ; ) {
      try {
        return await this.write(answer, votes);
      } catch (thrown) {
        const isLocked = thrown instanceof WaymarkError && thrown.code === 'workspace_locked';
        if (!isLocked || performance.now() > end) throw thrown;
        await pause(LOCKED_PAUSE_MS);
      }
    }
  }

  private async write(answer: JudgeAnswer, votes: readonly Vote[]): Promise<void> {
    const { batch, judge, isTrial } = this.about;
    const { writer } = this.store;
    if (isTrial === true) {
      const tried = votes.flatMap(({ run, step, op }) => (op.op === 'judge' ? [{ run, step, op }] : []));
      await writer.judgeTried(batch, answer, judge, tried);
      return;
    }
    const said = votes.map(({ run, step, op }) => ({ target: { run, from: step, to: step }, op }));
    await writer.judgeAnswered(batch, answer, judgeAuthor(judge), said);
  }

  private async notRemoved(votes: readonly Vote[]): Promise<Vote[]> {
    for (const run of new Set(votes.map((vote) => vote.run))) {
      if ((await unlessRemoved(this.store.reader.run(run))) === null) this.removed.add(run);
    }
    return votes.filter(({ run }) => !this.removed.has(run));
  }
}

/** In whose log the step stands, unless that run was removed before the task was made. */
const ownerOf = ({ owners }: JudgeTask, step: number) =>
  owners.find(({ from, to, gone }) => !gone && from <= step && step <= to);

const isMissing = (thrown: unknown) => thrown instanceof WaymarkError && thrown.code === 'not_found';
