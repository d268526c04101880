import type { EventBody, NewEvent } from '@shared/log/events';
import type { SecretKind } from '@shared/log/run-change-events';
import type { RecorderPort } from '../../agent/ports';
import type { SecretScanner } from '../../secrets/scanner';

/** Secrets remembered per drive, so that one that shows again and again is told once. */
const MOST_TOLD = 10_000;

export interface SecretWatchOptions {
  scanner: SecretScanner;
  record: RecorderPort['record'];
  failed(error: unknown): void;
}

/**
 * Looks for secrets in what the agent saw. It looks after the commit, so no append waits for it, and right then, so what it
 * records stands behind the observation and before whatever the run does next. Kinds and counts go into the log, the secrets do not.
 */
export class SecretWatch {
  private readonly told = new Set<string>();

  constructor(private readonly options: SecretWatchOptions) {}

  /** A listener of the recorder. */
  look(events: readonly NewEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'action.observed') continue;
      const kinds = this.kindsIn(event.body);
      if (kinds.length === 0) continue;
      const { record, failed } = this.options;
      record([{ kind: 'secret.seen', body: { step: event.body.step, kinds } }]).catch(failed);
    }
  }

  /** Of secrets that were not told before. */
  private kindsIn({ text, error }: EventBody<'action.observed'>): EventBody<'secret.seen'>['kinds'] {
    const counts = new Map<SecretKind, number>();
    for (const part of error === null ? [text] : [text, error.message]) {
      for (const { kind, certain, identity } of this.options.scanner.find(part)) {
        if (!certain || this.told.has(identity)) continue;
        if (this.told.size < MOST_TOLD) this.told.add(identity);
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    }
    return [...counts].map(([kind, count]) => ({ kind, count }));
  }
}
