import type { EventFacts, Finding } from './rule';

/** The calls of one answer, taken together: a keep lifts the masks of the whole step, so no call of it may speak against it. */
export class StepKeep {
  private finding: Finding | null = null;
  private against = false;

  /** What one call says: a finding, nothing, or that the step must not be kept. Returns the step's finding with its last call. */
  take(said: Finding | 'nothing' | 'against', { last }: Pick<EventFacts, 'last'>): Finding[] {
    if (said === 'against') this.against = true;
    else if (said !== 'nothing') this.finding ??= said;
    if (!last) return [];
    const found = this.finding !== null && !this.against ? [this.finding] : [];
    this.finding = null;
    this.against = false;
    return found;
  }
}
