import type { Settings } from '@shared/settings';
import type { RunState, RunSummary } from '@shared/views';
import { Notification } from 'electron';

export interface RunNoticesOptions {
  settings(): Settings['notifications'];
  /** Words for a run that came to rest. */
  words(title: string, state: string): string;
  /** False while a person looks at the window: nothing needs saying then. */
  away(): boolean;
  silent: boolean;
}

/** Notifications of the system: a run ended, waits or failed while nobody looked. Each state of a run is said once. */
export class RunNotices {
  readonly #options: RunNoticesOptions;
  readonly #said = new Map<string, RunState>();

  constructor(options: RunNoticesOptions) {
    this.#options = options;
  }

  changed(summary: RunSummary): void {
    const before = this.#said.get(summary.id);
    this.#said.set(summary.id, summary.state);
    if (before === summary.state || !this.#wanted(summary.state) || !this.#options.away()) return;
    this.say(this.#options.words(summary.title, summary.message || summary.state));
  }

  /** Something waits for a person who does not look, if they want to hear of that. */
  needed(body: string): void {
    if (this.#options.settings().waiting && this.#options.away()) this.say(body);
  }

  say(body: string): void {
    if (this.#options.silent || !Notification.isSupported()) return;
    new Notification({ title: 'Waymark', body }).show();
  }

  #wanted(state: RunState): boolean {
    const { finished, waiting, failed } = this.#options.settings();
    if (state === 'finished' || state === 'stopped') return finished;
    if (state === 'waiting_human' || state === 'paused') return waiting;
    return state === 'failed' && failed;
  }
}
