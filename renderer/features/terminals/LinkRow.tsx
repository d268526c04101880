import { call } from '../../api';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import type { Shown } from '../../state/sessions-shown';
import { nameOf } from '../../state/sessions-shown';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { isAway, useShownHost } from './shown-host';

/** Over a terminal whose computer is away: what is wrong, that what runs there goes on, and when it is tried again. */
export function LinkRow({ shown, now }: { shown: Shown; now: number }) {
  const text = useText();
  const words = text.terminals.link;
  const { format } = text.common;
  const { name, alias, health } = useShownHost(shown);
  if (alias === null || health === undefined || !isAway(health)) return null;
  const whole = (ms: number) => format.duration(Math.max(0, Math.floor(ms / 1000)) * 1000);
  const title = {
    connecting: words.connecting(name),
    stalled: words.stalled(name, whole(now - (health.lastByteAt ?? health.since))),
    down: words.down(name, whole(now - health.since)),
    blocked: words.blocked(name),
  }[health.state as 'connecting' | 'stalled' | 'down' | 'blocked'];
  const goesOn =
    shown.kind === 'own'
      ? words.ownGoesOn
      : words.goesOn(nameOf(shown), format.count(shown.session.endOffset));
  const rest = health.retryAt === null ? null : Math.ceil((health.retryAt - now) / 1000);
  const severe = health.state === 'down' || health.state === 'blocked';
  return (
    <div className="terminal-row" data-health={health.state}>
      <Banner
        tone={severe ? 'danger' : 'attention'}
        icon={health.state === 'blocked' ? 'lock' : severe ? 'unlinked' : 'warning'}
        title={title}
        actions={
          <Button small onClick={() => attempt(() => call('computers.retryNow', { alias }))}>
            {words.tryNow}
          </Button>
        }
      >
        {`${health.message} ${goesOn} `.trimStart()}
        {health.tries > 0 && (
          // Counting down is for the eye: a live region would say every second.
          <span className="tabular" aria-hidden="true">
            {words.tries(health.tries, rest === null || rest <= 0 ? null : format.duration(rest * 1000))}
          </span>
        )}
      </Banner>
    </div>
  );
}
