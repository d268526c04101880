import type { ControlPort, HaltRequest, HumanDecision, PendingChange } from '../../agent/ports';
import type { OutboxFollower } from '../steer/outbox-follower';

/** What a run says that was paused because its application ends. */
const closedWords = 'Paused because Waymark was closed.';

/** Pause, stop, wake and approvals for the loop: humans' requests from the outbox, and the quitting application's own. */
export class RunControl implements ControlPort {
  private readonly halting = new AbortController();
  private readonly haltingThinking = new AbortController();
  private readonly wakeListeners = new Set<() => void>();
  private readonly changed = new Set<() => void>();
  private readonly changeListeners = new Set<() => void>();
  private readonly seenChanges = new Set<string>();
  private readonly seenWakes = new Set<string>();
  private quitting: 'after_step' | 'now' | null = null;
  private quittingWhy = closedWords;

  constructor(private readonly follower: OutboxFollower) {
    follower.onChange(() => this.update());
    this.update();
  }

  get halt(): AbortSignal {
    return this.halting.signal;
  }

  get haltThinking(): AbortSignal {
    return this.haltingThinking.signal;
  }

  /** The application quits: a model request is given up at once, an action under `after_step` may end. */
  quit(mode: 'after_step' | 'now', why = closedWords): void {
    this.quittingWhy = why;
    this.quitting = this.quitting === 'now' ? 'now' : mode;
    this.haltingThinking.abort(new Error('The application is closing.'));
    this.update();
  }

  asked(): HaltRequest | null {
    const { controls } = this.follower;
    const stop = controls.find(({ op }) => op === 'stop');
    if (stop !== undefined) {
      const entries = controls.map(({ entry, op }) => ({ entry, op }));
      return {
        op: 'stop',
        mode: 'now',
        entries,
        message: `Stopped by ${named(stop.author)}, without a final evaluation.`,
      };
    }
    const pauses = controls.filter(({ op }) => op === 'pause');
    const pause = pauses.find(({ mode }) => mode === 'now') ?? pauses[0];
    const entries = controls.map(({ entry, op }) => ({ entry, op }));
    if (pause !== undefined) {
      const mode = this.quitting === 'now' ? 'now' : pause.mode;
      return { op: 'pause', mode, entries, message: `Paused by ${named(pause.author)}.` };
    }
    return this.quitting === null
      ? null
      : {
          op: 'pause',
          mode: this.quitting,
          entries: [],
          message: this.quittingWhy,
        };
  }

  changes(): PendingChange[] {
    return this.follower.changes.waiting;
  }

  onChangeAsked(listener: () => void): () => void {
    this.changeListeners.add(listener);
    return () => void this.changeListeners.delete(listener);
  }

  wakes(): string[] {
    return this.follower.controls.filter(({ op }) => op === 'wake').map(({ entry }) => entry);
  }

  onWake(listener: () => void): () => void {
    this.wakeListeners.add(listener);
    // A hint that is to end a sleep still waits: it ends this one too, also when the driver is new.
    if (this.wakingHints().length > 0) listener();
    return () => void this.wakeListeners.delete(listener);
  }

  decision(approval: string, signal: AbortSignal): Promise<HumanDecision> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.changed.delete(check);
        signal.removeEventListener('abort', check);
        end();
      };
      const check = () => {
        const decided = this.follower.decisions.get(approval);
        if (decided !== undefined) {
          settle(() => resolve(decided));
        } else if (signal.aborted || this.asked() !== null) {
          settle(() => reject(signal.reason ?? new Error('The run is to halt.')));
        }
      };
      this.changed.add(check);
      signal.addEventListener('abort', check);
      check();
    });
  }

  withdrawals() {
    return [...this.follower.withdrawals];
  }

  /** Outbox entries that made a waiting hint one that ends sleeps. */
  private wakingHints(): string[] {
    return this.follower.queue
      .waiting()
      .flatMap(({ deliver, set }) => (deliver.when === 'wake' ? [set.entry] : []));
  }

  private update(): void {
    for (const entry of [...this.wakes(), ...this.wakingHints()]) {
      if (!this.seenWakes.has(entry)) {
        this.seenWakes.add(entry);
        for (const listener of [...this.wakeListeners]) {
          listener();
        }
      }
    }
    const unseen = this.changes().filter(({ entry }) => !this.seenChanges.has(entry));
    if (unseen.length > 0) {
      for (const { entry } of unseen) this.seenChanges.add(entry);
      for (const listener of [...this.changeListeners]) listener();
    }
    if (this.asked()?.mode === 'now') {
      const reason = new Error('The run was paused or stopped.');
      this.halting.abort(reason);
      this.haltingThinking.abort(reason);
    }
    for (const check of [...this.changed]) {
      check();
    }
  }
}

function named(author: string): string {
  return author === '' ? 'a person without a name' : author;
}
