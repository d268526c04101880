/**
 * A set-up step that cannot go on. The scripts print it in three lines: which step, why, what to do.
 */
export class StepFailure extends Error {
  /**
   * @param {string} step name of the step as the progress line shows it
   * @param {string} cause what went wrong, to what
   * @param {string} next the next action, a command where there is one
   */
  constructor(step, cause, next) {
    super(`${step}: ${cause}`);
    this.name = 'StepFailure';
    this.step = step;
    this.reason = cause;
    this.next = next;
  }

  /** @returns {string} the lines for a terminal */
  describe() {
    return `Set-up stopped at: ${this.step}\n  Cause: ${this.reason}\n  Next:  ${this.next}`;
  }
}
