import { maskTrajectory } from '@shared/context/mask';
import { type Trajectory, TrajectoryFold } from '@shared/context/trajectory';
import type { VerifyProblem } from '@shared/contract/views';
import type { ChatMessage } from '@shared/log/chat';
import type { RunEvent } from '@shared/log/events';
import type { RebuiltRequest } from './prompt-check';

/** Problems of one row that are worth naming. */
const ENOUGH = 5;

interface Asked {
  step: number;
  request: RebuiltRequest;
}

/** What rows are made of, by the code that makes them. */
export type RowSource = Pick<TrajectoryFold, 'apply' | 'end'>;

/**
 * Rebuilds the rows of a run as an export would and compares them, message by message, with every request that was answered
 * and whose bytes are proved by their hash. What a segment's requests share is compared once. Steps of imports were never asked
 * for here and have nothing to be compared with.
 */
export class RowCheck {
  private latest: RebuiltRequest | null = null;
  private asked: Asked[] = [];

  constructor(private readonly rows: RowSource = new TrajectoryFold({ reasoning: 'as-sent' })) {}

  /** `rebuilt`: what the event asked the model, where it did. */
  apply(event: RunEvent, rebuilt: RebuiltRequest | null): VerifyProblem[] {
    const problems = this.compare(event.run, this.rows.apply(event));
    if (event.kind === 'segment.started') {
      this.asked = [];
    } else if (event.kind === 'model.requested') {
      this.latest = rebuilt;
    } else if (event.kind === 'model.answered' && this.latest?.step === event.body.step) {
      this.asked.push({ step: event.body.step, request: this.latest });
      this.latest = null;
    }
    return problems;
  }

  /** The rows of the segment that is open. */
  end(run: string): VerifyProblem[] {
    return this.compare(run, this.rows.end());
  }

  private compare(run: string, trajectories: readonly Trajectory[]): VerifyProblem[] {
    return trajectories.flatMap((trajectory) => {
      const own = new Set(trajectory.own);
      const asked = this.asked.filter(({ step }) => own.has(step));
      return new RowComparison(trajectory).problems(asked).map(({ message, text }) => ({
        what: 'row_not_sent',
        where: `run ${run} ${trajectory.kind === 'react' ? 'segment' : 'summary of segment'} ${trajectory.segment} message ${message}`,
        message: text,
      }));
    });
  }
}

interface RowProblem {
  /** Place in the row, from 0. */
  message: number;
  text: string;
}

class RowComparison {
  private readonly found: RowProblem[] = [];
  /** Each message of the row as it would stand in a request. */
  private readonly row: string[];

  constructor(private readonly trajectory: Trajectory) {
    const { messages } = maskTrajectory(trajectory, { carried: 'once', maskOf: () => 1 });
    this.row = messages.map((message) => JSON.stringify({ ...message, step_loss_mask: undefined }));
  }

  problems(asked: readonly Asked[]): RowProblem[] {
    let shared: readonly string[] | null = null;
    let [chunks, at] = [0, 0];
    for (const { step, request } of asked) {
      if (this.found.length >= ENOUGH) break;
      if (request.closed !== shared) {
        shared = request.closed;
        this.tools(step, shared[0] ?? '');
        [chunks, at] = [1, 0];
      }
      at += this.messages(step, at, shared.slice(chunks, request.length).join(''));
      chunks = request.length;
      this.length(step, at + this.messages(step, at, request.open.slice(0, -']}'.length)));
    }
    return this.found.slice(0, ENOUGH);
  }

  private tools(step: number, begin: string): void {
    const { tools = [] }: { tools?: unknown } = JSON.parse(`${begin}]}`);
    if (JSON.stringify(tools) !== JSON.stringify(this.trajectory.tools)) {
      this.found.push({
        message: 0,
        text: `The tools of this row are not those that step ${step} was asked with.`,
      });
    }
  }

  /** Compares messages of a request from place `at` on; returns how many there are. */
  private messages(step: number, at: number, json: string): number {
    const sent = JSON.parse(`[${json.startsWith(',') ? json.slice(1) : json}]`) as ChatMessage[];
    for (const [index, message] of sent.entries()) {
      const place = at + index;
      if (this.row[place] === JSON.stringify(message) || this.isNamed(step, place)) continue;
      this.found.push({
        message: place,
        text: `${this.nameOf(place)} is not the one that step ${step} was asked with.`,
      });
    }
    return sent.length;
  }

  /** A request ends where the answer to it begins. */
  private length(step: number, sent: number): void {
    const answer = this.trajectory.messages.findIndex((each) => each.step === step);
    if (answer === sent) return;
    this.found.push({
      message: Math.min(answer, sent),
      text: `Step ${step} was asked with ${sent} messages; the row has ${answer} before its answer.`,
    });
  }

  /** The row says itself that this step was asked with another form of the message. */
  private isNamed(step: number, place: number): boolean {
    return (
      step !== this.trajectory.own.at(-1) &&
      this.trajectory.notAsSent.some((each) => each.messages.includes(place) && each.steps.includes(step))
    );
  }

  private nameOf(place: number): string {
    const of = this.trajectory.messages[place]?.step ?? 0;
    return of === 0 ? 'This message of the row' : `This message of the row, of step ${of},`;
  }
}
