import type { LinkHealth, LinkState } from '@shared/contract/computers';
import { waitsForModel } from '@shared/runs/run-status';
import { call } from '../../api';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { openComputers, useComputers } from '../../state/computers';
import { hostsOf } from '../../state/computers-of-run';
import { useCurrentRun } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { CopyDetails } from '../panes/CopyDetails';

/**
 * Down, blocked, or tried again after tries that failed: the banner does not come and go with each try. A run that
 * waits lacks its host in any other state as well.
 */
function isAway({ state, tries }: LinkHealth, waiting: boolean): boolean {
  if (state === 'down' || state === 'blocked') return true;
  return (state === 'connecting' && (waiting || tries > 1)) || (state === 'stalled' && waiting);
}

/** Says that a computer of the open run is away, why, what goes on meanwhile, and when it is tried again. */
export function HostBanner() {
  const words = useText();
  const text = words.computers;
  const run = useCurrentRun();
  const health = useComputers((state) => state.health);
  if (run === undefined) return null;
  const waiting = run.state === 'waiting_host' && !waitsForModel(run);
  const away = hostsOf(run, health).find(
    ({ health: known }) => known !== undefined && isAway(known, waiting),
  );
  const link = away?.health;
  if (away?.alias == null || link === undefined) return null;
  const { alias, name } = away;
  return (
    <Banner
      tone="danger"
      icon={link.state === 'blocked' ? 'lock' : 'unlinked'}
      title={titleOf(link.state, name, text)}
      actions={
        <>
          <Button small onClick={() => attempt(() => call('computers.retryNow', { alias }))}>
            {text.tryNow}
          </Button>
          <Button small look="ghost" onClick={() => openComputers(alias)}>
            {text.banner.look}
          </Button>
          <CopyDetails details={`${alias}: ${link.state}, ${link.message}`} />
        </>
      }
    >
      {waiting && `${text.banner.waits} `}
      {/* Each try changes the sentence; it is read when a person gets there, not called out every time. */}
      <span aria-live="off">{link.message}</span>
    </Banner>
  );
}

function titleOf(state: LinkState, name: string, text: Text['computers']): string {
  if (state === 'blocked') return text.banner.blocked(name);
  if (state === 'stalled') return text.banner.stalled(name);
  return state === 'down' ? text.banner.down(name) : text.banner.connecting(name);
}
