import type { RemoteStatus } from '@shared/contract/ipc/remote';
import { useEffect } from 'react';
import { Button, IconButton } from '../../components/Button';
import type { IconName } from '../../components/Icon';
import { useNow } from '../../components/useNow';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { RemoteDialog } from './RemoteDialog';
import { askRemote, startRemote, useRemote } from './remote';
import './remote.css';

const icons: Record<RemoteStatus['state'], IconName> = {
  connecting: 'working',
  up: 'globe',
  down: 'unlinked',
  refused: 'warning',
};

/** Which workspace is open: nothing to say on this machine, else the computer, how its link is and what waits for it. */
export function RemoteMark() {
  const text = useText();
  const words = text.remote;
  const { status, since, asking } = useRemote();
  const now = useNow(10_000);
  useEffect(startRemote, []);
  useCommand('app.remote', () => askRemote(true));
  const word = status === null ? '' : words.state(status.state);
  const time = text.common.format.duration(Math.max(0, Math.floor((now - since) / 60_000) * 60_000));
  const long = now - since >= 60_000;
  return (
    <>
      {status === null ? (
        <IconButton small icon="globe" label={words.open} onClick={() => askRemote(true)} />
      ) : (
        <Button
          look="ghost"
          small
          icon={icons[status.state]}
          className={`remote-mark remote-${status.state}`}
          title={[words.mark(status.alias), status.folder, status.message].filter(Boolean).join('\n')}
          data-testid="remote"
          data-state={status.state}
          onClick={() => askRemote(true)}
        >
          <span className="cut">{status.alias}</span>
          {status.state !== 'up' && (
            <span className="remote-word">{long ? words.since(word, time) : word}</span>
          )}
          {status.waiting > 0 && <span className="chip chip-attention">{words.waiting(status.waiting)}</span>}
        </Button>
      )}
      {asking && <RemoteDialog />}
    </>
  );
}
