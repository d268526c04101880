import { WaymarkError } from '@shared/contract/errors';
import type { CommandParsed } from '@shared/contract/ipc';
import type { RemoteStatus, remoteCommands } from '@shared/contract/ipc/remote';
import type { HandlersOf } from './dispatch';

type RemotePlace = CommandParsed<'remote.open'>;

/** Which workspace the window shows (`electron/remote/remote-desk.ts`). */
interface ShownWorkspace {
  open(place: RemotePlace): Promise<RemoteStatus>;
  status(): RemoteStatus | null;
  dismiss(id: string): Promise<void>;
  close(): Promise<void>;
}

/** A workspace on a server, in place of the one on this machine. `confirm` asks natively: a program is started there. */
export function remoteHandlers(
  desk: ShownWorkspace,
  confirm: (place: RemotePlace) => Promise<boolean>,
): HandlersOf<typeof remoteCommands> {
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
