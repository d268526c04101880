import type { LinkHealth } from '@shared/contract/computers';
import type { IconName } from '../components/Icon';
import type { Text } from './en';

export interface HealthWords {
  icon: IconName;
  /** "good 21 ms", "stalled 12 s", "down, next try in 8 s". */
  word: string;
  tone: 'plain' | 'attention' | 'danger';
}

/** How a host's link is at `now` (ms since 1970), in words; `undefined` when nothing is known of it. */
export function healthWords(health: LinkHealth | undefined, text: Text, now: number): HealthWords {
  const words = text.computers.health;
  const { format } = text.common;
  if (health === undefined) return { icon: 'question', word: words.unknown, tone: 'plain' };
  const span = (ms: number) => format.duration(Math.max(0, Math.floor(ms / 1000)) * 1000);
  const trip = health.roundTripMs === null ? null : shortSpan(health.roundTripMs, text);
  switch (health.state) {
    case 'idle':
      return { icon: 'minus', word: words.idle, tone: 'plain' };
    case 'connecting':
      return { icon: 'working', word: words.connecting(health.tries), tone: 'plain' };
    case 'good':
      return { icon: 'check', word: words.good(trip), tone: 'plain' };
    case 'degraded':
      return { icon: 'warning', word: words.degraded(trip), tone: 'attention' };
    case 'stalled':
      return {
        icon: 'warning',
        word: words.stalled(span(now - (health.lastByteAt ?? health.since))),
        tone: 'attention',
      };
    case 'down':
      return { icon: 'unlinked', word: downWord(health, text, now), tone: 'danger' };
    case 'blocked':
      return { icon: 'lock', word: words.blocked, tone: 'danger' };
  }
}

function downWord(health: LinkHealth, text: Text, now: number): string {
  const words = text.computers.health;
  if (health.retryAt === null)
    return words.down(
      text.common.format.duration(
        Math.max(0, Math.floor((now - (health.lastByteAt ?? health.since)) / 1000)) * 1000,
      ),
    );
  const rest = Math.ceil((health.retryAt - now) / 1000);
  return rest <= 0 ? words.downTrying : words.downNext(text.common.format.duration(rest * 1000));
}

/** A time of an answer: whole milliseconds below a second, where they say something. */
export function shortSpan(ms: number, text: Text): string {
  const whole = Math.max(1, Math.round(ms));
  return whole < 1000 ? text.computers.milliseconds(whole) : text.common.format.duration(whole);
}
