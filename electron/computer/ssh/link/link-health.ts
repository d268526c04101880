import type { LinkHealth, LinkState } from '@shared/contract/computers';
import type { LinkClock } from '../../../clock';
import * as words from './link-words';

/** A round trip above this is slow, ms. */
const slowMs = 500;

/** What is known of one link and what is said about it. Times are our clock, ms since 1970. */
export class LinkRecord {
  lastByteAt: number | null = null;
  private state: LinkState = 'idle';
  private message = '';
  private since: number;
  private roundTripMs: number | null = null;
  private retryAt: number | null = null;
  private tries = 0;
  /** Since when the host cannot be reached; null while it can, or nobody tried. */
  private lostAt: number | null = null;

  constructor(
    readonly alias: string,
    private readonly clock: LinkClock,
    private readonly onChange: () => void,
  ) {
    this.since = clock.now();
  }

  idle(): void {
    this.lostAt = null;
    this.retryAt = null;
    this.tries = 0;
    this.show('idle', '');
  }

  connecting(): void {
    this.tries += 1;
    this.retryAt = null;
    this.asking(false);
  }

  /** Whether a person is asked something for the connection that is being made. */
  asking(asked: boolean): void {
    const { alias } = this;
    if (asked) this.show('connecting', words.askingWords(alias));
    else if (this.lostAt === null) this.show('connecting', words.connectingWords(alias));
    else this.show('connecting', words.reconnectingWords(alias, this.lostAt));
  }

  up(): void {
    this.lostAt = null;
    this.lastByteAt = this.clock.now();
    this.roundTripMs = null;
    this.tries = 0;
    this.show('good', '');
  }

  answered(roundTripMs: number): void {
    this.roundTripMs = roundTripMs;
    if (roundTripMs > slowMs) this.show('degraded', words.slowWords(this.alias, roundTripMs));
    else this.show('good', '');
  }

  stalled(): void {
    this.show('stalled', words.stalledWords(this.alias, this.lastByteAt ?? this.since));
  }

  recovered(): void {
    this.show('degraded', words.pausedWords(this.alias));
  }

  /** The link that was up is no more. */
  lost(): void {
    this.lostAt = this.lastByteAt;
  }

  /** The next try comes in `waitMs`. */
  down(cause: string, waitMs: number): void {
    this.lostAt ??= this.clock.now();
    this.retryAt = this.clock.now() + waitMs;
    this.because(cause);
  }

  /** More is known of why it is down. */
  because(cause: string): void {
    const { alias, retryAt, tries } = this;
    this.show('down', words.downWords(alias, cause, this.lostAt, retryAt, tries));
  }

  blocked(cause: string): void {
    this.show('blocked', words.blockedWords(this.alias, cause));
  }

  view(): LinkHealth {
    return {
      alias: this.alias,
      state: this.state,
      lastByteAt: this.lastByteAt,
      roundTripMs: this.roundTripMs,
      since: this.since,
      retryAt: this.retryAt,
      tries: this.tries,
      message: this.message,
    };
  }

  /** Tells about it also when only a figure has changed. */
  private show(state: LinkState, message: string): void {
    if (state !== this.state) this.since = this.clock.now();
    this.state = state;
    this.message = message;
    this.onChange();
  }
}

/** What is said of an alias that nobody has asked for. */
export function neverUsed(alias: string, since: number): LinkHealth {
  return {
    alias,
    state: 'idle',
    lastByteAt: null,
    roundTripMs: null,
    since,
    retryAt: null,
    tries: 0,
    message: '',
  };
}
