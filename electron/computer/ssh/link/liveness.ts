import type { LinkClock } from '../../../clock';

/** A keepalive leaves this long after the last ping, ms. */
const everyMs = 4000;
/** How long without any byte after a ping makes a missed answer, and a second one the end. With the wait for the ping
 * that is 4 + 4.5 + 4.5 = 13 s at most; 15 s are promised, also by a machine that is busy. */
const keepalive = { stalledMs: 4500, deadMs: 9000 };
/** The same after a person typed: noticed within 6 s. */
const typing = { stalledMs: 2000, deadMs: 4000 };
/** After the machine slept or a person asked: the channel is not trusted for long. */
const doubt = { stalledMs: 1000, deadMs: 2000 };
/** A timer that fires this late fires in a process that was stopped: what it waited for may lie unread. */
const lateMs = 1000;
/** Wall and monotonic time that part by more than this: the machine slept. */
const jumpMs = 3000;
/**
 * On a slow way up, answers wait behind what was written before. What no answer has vouched for yet, but for a few keys'
 * worth, is given time at this rate (bytes per millisecond), up to a limit (ms).
 */
const uplinkBytesPerMs = 32;
const unnoticedBytes = 16 * 1024;
const uplinkPatienceMs = 20_000;

export interface LivenessEvents {
  /** Asks the host for a sign of life; resolves with its answer, rejects when the channel is gone. */
  ping(): Promise<unknown>;
  /** Bytes written to the channel since it was made. */
  bytesSent(): number;
  answered(roundTripMs: number): void;
  /** An answer is missing. */
  stalled(): void;
  /** Something was heard after all. */
  recovered(): void;
  /** Nothing was heard for too long; the last thing this object says. */
  dead(): void;
}

/** What was asked and when patience ends, in monotonic ms. */
interface Question {
  stalledAt: number;
  deadAt: number;
  stalled: boolean;
}

/**
 * Whether the other end of one channel still answers. Any byte is a sign of life; silence is judged only after a ping.
 * Ends with `stop` or `dead`.
 */
export class Liveness {
  private question: Question | undefined;
  private pingedAt: number;
  private typedAt = Number.NEGATIVE_INFINITY;
  /** Of the bytes written, those that the other end is known to have. */
  private arrived = 0;
  private wallOffset: number;
  private stopped = false;
  private due = 0;
  private cancelTimer: () => void = () => undefined;

  constructor(
    private readonly clock: LinkClock,
    private readonly events: LivenessEvents,
  ) {
    this.pingedAt = clock.monotonic();
    this.wallOffset = clock.now() - clock.monotonic();
  }

  /** The first ping leaves at once: it measures the round trip. */
  start(): void {
    this.ask(keepalive);
  }

  /** A byte arrived. */
  heard(): void {
    const { question } = this;
    if (question === undefined || this.stopped) return;
    this.question = undefined;
    // What was on its way when a key was pressed says nothing about the time after it.
    if (this.typedAt > this.pingedAt) this.ask(typing);
    else this.arm();
    if (question.stalled) this.events.recovered();
  }

  /** A person typed and looks at the screen. */
  typed(): void {
    if (this.stopped) return;
    this.typedAt = this.clock.monotonic();
    if (this.question === undefined) this.ask(typing);
    else this.hurry(this.question, typing);
  }

  /** Something happened that channels often do not survive: asks at once and waits 2 s. */
  doubt(): void {
    if (this.stopped) return;
    // What the clocks say of a sleep is known herewith.
    this.slept(this.clock.monotonic());
    if (this.question === undefined || this.question.deadAt <= this.clock.monotonic()) this.ask(doubt);
    else this.hurry(this.question, doubt);
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
  }

  private ask(patience: typeof keepalive): void {
    const askedAt = this.clock.monotonic();
    this.question = {
      stalledAt: askedAt + patience.stalledMs,
      deadAt: askedAt + patience.deadMs,
      stalled: this.question?.stalled ?? false,
    };
    this.arm();
    this.ping();
  }

  private hurry(question: Question, patience: typeof keepalive): void {
    const now = this.clock.monotonic();
    question.stalledAt = Math.min(question.stalledAt, now + patience.stalledMs);
    question.deadAt = Math.min(question.deadAt, now + patience.deadMs);
    this.arm();
  }

  private ping(): void {
    const sentAt = this.clock.monotonic();
    const sentBytes = this.events.bytesSent();
    this.pingedAt = sentAt;
    this.events.ping().then(
      () => {
        if (this.stopped) return;
        this.arrived = Math.max(this.arrived, sentBytes);
        this.events.answered(this.clock.monotonic() - sentAt);
      },
      // The channel is gone; its owner hears of that from the channel itself.
      () => undefined,
    );
  }

  private arm(): void {
    this.cancelTimer();
    this.due = this.nextAt();
    this.cancelTimer = this.clock.after(Math.max(0, this.due - this.clock.monotonic()), () => this.look());
  }

  /** When there is something to do next, monotonic ms. */
  private nextAt(): number {
    const { question } = this;
    if (question === undefined) return this.pingedAt + everyMs;
    const behind = Math.max(0, this.events.bytesSent() - this.arrived - unnoticedBytes);
    return (
      (question.stalled ? question.deadAt : question.stalledAt) +
      Math.min(uplinkPatienceMs, behind / uplinkBytesPerMs)
    );
  }

  private look(): void {
    const now = this.clock.monotonic();
    const { question } = this;
    if (now - this.due > lateMs || this.slept(now)) {
      this.ask(doubt);
    } else if (question === undefined) {
      this.ask(keepalive);
    } else if (this.nextAt() > now + 1) {
      this.arm();
    } else if (!question.stalled) {
      question.stalled = true;
      this.arm();
      this.ping();
      this.events.stalled();
    } else {
      this.stop();
      this.events.dead();
    }
  }

  private slept(now: number): boolean {
    const offset = this.clock.now() - now;
    const jumped = Math.abs(offset - this.wallOffset) > jumpMs;
    this.wallOffset = offset;
    return jumped;
  }
}
