import { call } from '../../api';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { CopyDetails } from '../panes/CopyDetails';
import { closeRemote, useRemote } from './remote';

/** Says that the computer with the workspace is away or refuses, what goes on meanwhile, and what it did not take. */
export function RemoteBanner() {
  const text = useText();
  const words = text.remote;
  const status = useRemote((state) => state.status);
  if (status === null) return null;
  const away = status.state === 'down' || status.state === 'refused';
  const [late] = status.refused;
  return (
    <>
      {away && (
        <Banner
          tone={status.state === 'down' ? 'attention' : 'danger'}
          icon={status.state === 'down' ? 'unlinked' : 'warning'}
          title={status.state === 'down' ? words.downTitle(status.alias) : words.refusedTitle(status.alias)}
          actions={
            <>
              <Button small onClick={() => attempt(closeRemote)}>
                {words.back}
              </Button>
              <CopyDetails details={`${status.alias}: ${status.state}, ${status.message}`} />
            </>
          }
        >
          {status.state === 'down' && `${words.downText(status.waiting)} `}
          <span aria-live="off" className="quiet">
            {status.message}
          </span>
        </Banner>
      )}
      {late !== undefined && (
        <Banner
          tone="attention"
          icon="warning"
          title={words.lateTitle(status.refused.length)}
          actions={
            <Button small onClick={() => attempt(() => call('remote.dismiss', { id: late.id }))}>
              {words.seen}
            </Button>
          }
        >
          {words.late(words.write(late.command), late.text, late.failure.message)}
        </Banner>
      )}
    </>
  );
}
