import type { Publisher } from '../ipc/publish';

/** The list of runs is read as a whole: over a link not more often than this, ms. */
const listMs = 1_000;

/**
 * Every commit of a process that drives a run tells that the list may have changed, several times a step. The first word is
 * passed on at once, those that follow within a second together.
 */
export class CalmPublisher implements Publisher {
  private due: NodeJS.Timeout | null = null;
  private again = false;

  constructor(private readonly target: Publisher) {}

  publish: Publisher['publish'] = (event, payload) => {
    if (event !== 'run.listChanged') this.target.publish(event, payload);
    else if (this.due === null) this.tell();
    else this.again = true;
  };

  /** What still waits is dropped: nobody is there any more. */
  stop(): void {
    if (this.due !== null) clearTimeout(this.due);
    this.due = null;
  }

  private tell(): void {
    this.again = false;
    this.target.publish('run.listChanged', {});
    this.due = setTimeout(() => {
      this.due = null;
      if (this.again) this.tell();
    }, listMs);
  }
}
