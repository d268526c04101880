import { call } from '../../api';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { healthWords } from '../../text/health-words';
import { useText } from '../../text/language';
import type { Shown } from './sessions-shown';
import { nameOf } from './sessions-shown';
import { isAway, useShownHost } from './shown-host';

/** Over a terminal whose computer is away: what is wrong, that what runs there goes on, and when it is tried again. */
export function LinkRow({ shown, now }: { shown: Shown; now: number }) {
  const text = useText();
  const words = text.terminals.link;
  const { name, alias, health } = useShownHost(shown);
  if (alias === null || health === undefined || !isAway(health)) return null;
  const goesOn =
    shown.kind === 'own'
      ? words.ownGoesOn
      : words.goesOn(nameOf(shown), text.common.format.count(shown.session.endOffset));
  const { icon, word } = healthWords(health, text, now);
  const severe = health.state === 'down' || health.state === 'blocked';
  return (
    <div className="terminal-row" data-health={health.state}>
      <Banner
        tone={severe ? 'danger' : 'attention'}
        icon={icon}
        title={words.title(name, word)}
        actions={
          <Button small onClick={() => attempt(() => call('computers.retryNow', { alias }))}>
            {words.tryNow}
          </Button>
        }
      >
        {`${health.message} ${goesOn}`.trimStart()}
      </Banner>
    </div>
  );
}
