import { createHash } from 'node:crypto';
import { estimateTokens } from '@shared/context/tokens';
import type { Usage } from '@shared/log/event-parts';
import type { JudgeTask } from './judge-task';
import { readAhead } from './read-ahead';

export type TokenCounts = Pick<Usage, 'inputTokens' | 'outputTokens'>;

/** A request as it is sent. */
export class PreparedRequest {
  readonly body: string;
  readonly sha256: string;
  private inputTokens: number | null = null;

  /** `outputTokens`: of its answer, by estimate. */
  constructor(
    readonly request: Readonly<Record<string, unknown>>,
    private readonly outputTokens: number,
  ) {
    this.body = JSON.stringify(request);
    this.sha256 = createHash('sha256').update(this.body).digest('hex');
  }

  /** What it and its answer will take. Counted when somebody asks: most endpoints report it, and not every one has a price. */
  get estimate(): TokenCounts {
    this.inputTokens ??= estimateTokens(this.body);
    return { inputTokens: this.inputTokens, outputTokens: this.outputTokens };
  }

  /** Another request in its place. */
  as(request: Readonly<Record<string, unknown>>): PreparedRequest {
    return new PreparedRequest(request, this.outputTokens);
  }

  /** The report if it can be true: numbers at all, and a tenth of the estimated tokens at least. Less was not read, whatever is reported. */
  plausible(usage: Usage | null): Usage | null {
    if (usage === null) return null;
    const { inputTokens, outputTokens, cachedTokens } = usage;
    const areCounts = [inputTokens, outputTokens, cachedTokens].every(
      (each) => Number.isSafeInteger(each) && each >= 0,
    );
    // No text has more tokens than characters, by estimate.
    const isEnough = inputTokens * 10 >= this.body.length || inputTokens * 10 >= this.estimate.inputTokens;
    return areCounts && cachedTokens <= inputTokens && isEnough ? usage : null;
  }
}

export interface PreparedTask {
  task: JudgeTask;
  /** About all its open steps. */
  whole: PreparedRequest;
  /** When, on the clock of `performance`. */
  madeAt: number;
}

/**
 * The tasks, each with its request made: up to `most` of them while others are under way, so that a place that has its answer sends
 * the next request at once. `isPriced`: what they may cost will be asked for. `hasEnded`: nothing more is read.
 */
export function preparedAhead(
  tasks: AsyncGenerator<JudgeTask>,
  most: number,
  isPriced: boolean,
  hasEnded: () => boolean,
): AsyncGenerator<PreparedTask | null> {
  return readAhead(eachPrepared(tasks, isPriced, hasEnded), most);
}

/** Null once there is none left. */
function* eachPrepared(
  tasks: AsyncGenerator<JudgeTask>,
  isPriced: boolean,
  hasEnded: () => boolean,
): Generator<Promise<PreparedTask | null>, void> {
  let isOver = false;
  // One at a time: a batch that ends waits for no more than the one that is being read.
  let before: Promise<unknown> = Promise.resolve();
  while (!isOver) {
    const next = before.then(() => (hasEnded() ? ({ done: true, value: undefined } as const) : tasks.next()));
    before = next.catch(() => undefined);
    yield next.then(({ done, value: task }) => {
      if (done === true) {
        isOver = true;
        return null;
      }
      const whole = new PreparedRequest(task.requestFor(task.open), task.outputTokens(task.open.length));
      if (isPriced) void whole.estimate;
      return { task, whole, madeAt: performance.now() };
    });
  }
}
