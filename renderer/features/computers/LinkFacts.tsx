import type { LinkHealth } from '@shared/contract/computers';
import { shortSpan } from '../../text/health-words';
import { useText } from '../../text/language';

export interface LinkFactsProps {
  health: LinkHealth;
  now: number;
}

/** When the last byte came, how fast it answers, what happens next; with the reason when it is not well. */
export function LinkFacts({ health, now }: LinkFactsProps) {
  const words = useText();
  const text = words.computers;
  const { format } = words.common;
  const span = (ms: number) => format.duration(Math.max(0, Math.floor(ms / 1000)) * 1000);
  const facts: [string, string][] = [];
  if (health.state !== 'idle') {
    facts.push(
      [text.state, text.sinceClock(format.clockSeconds(health.since), span(now - health.since))],
      [text.lastByte, health.lastByteAt === null ? text.never : text.agoAt(span(now - health.lastByteAt))],
      [text.roundTrip, health.roundTripMs === null ? text.never : shortSpan(health.roundTripMs, words)],
    );
    if (health.tries > 0) facts.push([text.tries, format.count(health.tries)]);
    if (health.retryAt !== null)
      facts.push([
        text.nextTry,
        health.retryAt <= now
          ? text.banner.now
          : text.inTime(format.duration(Math.ceil((health.retryAt - now) / 1000) * 1000)),
      ]);
  }
  const troubled = health.state === 'down' || health.state === 'blocked' || health.state === 'stalled';
  return (
    <div className="link-facts">
      {facts.length > 0 && (
        <dl className="host-line tabular">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {health.state === 'idle' && <p className="quiet text-12">{text.idleText}</p>}
      {health.message !== '' && <p className={troubled ? 'host-trouble' : 'soft'}>{health.message}</p>}
    </div>
  );
}
