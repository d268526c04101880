import { WaymarkError } from '@shared/contract/errors';
import type { remoteCommands } from '@shared/contract/ipc/remote';
import type { RemoteDesk, RemotePlace } from '../remote/remote-desk';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof remoteCommands>;

/** A workspace on a server, in place of the one on this machine. `confirm` asks natively: a program is started there. */
export function remoteHandlers(
  desk: Pick<RemoteDesk, 'open' | 'status' | 'dismiss' | 'close'>,
  confirm: (place: RemotePlace) => Promise<boolean>,
): Group {
  return {
    'remote.open': async (place) => {
      if (await confirm(place)) return desk.open(place);
      throw new WaymarkError('cancelled', `Nothing was started on ${place.alias}.`);
    },
    'remote.status': async () => desk.status(),
    'remote.dismiss': async ({ id }) => desk.dismiss(id),
    'remote.close': () => desk.close(),
  };
}
