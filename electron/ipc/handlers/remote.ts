import type { RemoteDesk } from '../../remote/remote-desk';
import type { Handlers } from '../register';

type Group = Pick<Handlers, 'remote.open' | 'remote.status' | 'remote.dismiss' | 'remote.close'>;

/** A workspace on a server, in place of the one on this machine. */
export function remoteHandlers(desk: Pick<RemoteDesk, 'open' | 'status' | 'dismiss' | 'close'>): Group {
  return {
    'remote.open': (place) => desk.open(place),
    'remote.status': async () => desk.status(),
    'remote.dismiss': async ({ id }) => desk.dismiss(id),
    'remote.close': () => desk.close(),
  };
}
