import { call } from '../../api';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { useNow } from '../../components/useNow';
import { openComputers, useComputers } from '../../state/computers';
import { hostsOf } from '../../state/computers-of-run';
import { useCurrentRun } from '../../state/runs';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';

/** Says that a computer of the open run is away, why, what goes on meanwhile, and when it is tried again. */
export function HostBanner() {
  const words = useText();
  const text = words.computers;
  const { format } = words.common;
  const run = useCurrentRun();
  const health = useComputers((state) => state.health);
  const now = useNow(1000);
  if (run === undefined) return null;
  const away = hostsOf(run, health).find(
    ({ health: link }) => link?.state === 'down' || link?.state === 'blocked',
  );
  const link = away?.health;
  if (away?.alias == null || link === undefined) return null;
  const { alias, name } = away;
  const age = format.duration(Math.max(0, Math.floor((now - link.since) / 1000)) * 1000);
  const rest = link.retryAt === null ? null : Math.ceil((link.retryAt - now) / 1000);
  const counting = [
    age,
    ...(link.tries > 0 ? [text.banner.tries(link.tries)] : []),
    ...(rest === null ? [] : [rest <= 0 ? text.banner.now : text.banner.next(format.duration(rest * 1000))]),
  ];
  const details = `${alias}: ${link.state}, ${link.message}`;
  return (
    <Banner
      tone="danger"
      icon={link.state === 'down' ? 'unlinked' : 'lock'}
      title={
        link.state === 'down' ? text.banner.down(name, format.clock(link.since)) : text.banner.blocked(name)
      }
      actions={
        <>
          <Button small onClick={() => attempt(() => call('computers.retryNow', { alias }))}>
            {text.tryNow}
          </Button>
          <Button small look="ghost" onClick={() => openComputers(alias)}>
            {text.banner.look}
          </Button>
          <Button
            small
            look="ghost"
            icon="copy"
            onClick={() => attempt(() => navigator.clipboard.writeText(details))}
          >
            {words.common.copyDetails}
          </Button>
        </>
      }
    >
      {`${link.message} ${text.banner.effect}${run.state === 'waiting_host' ? ` ${text.banner.waits}` : ''} `}
      {/* Counting is for the eye: a live region would say every second. */}
      <span className="tabular" aria-hidden="true">
        {counting.join(', ')}
      </span>
    </Banner>
  );
}
