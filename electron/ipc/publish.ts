import type { EventName, EventPayloads } from '@shared/ipc';
import type { WebContents } from 'electron';

/** The only `webContents.send`. Events that find no window are dropped: the window fetches state when it opens. */
export interface Publisher {
  publish<E extends EventName>(event: E, payload: EventPayloads[E]): void;
}

/** `target` returns the window's contents, or null while there is none. */
export function createPublisher(target: () => WebContents | null): Publisher {
  return {
    publish(event, payload) {
      const contents = target();
      if (contents && !contents.isDestroyed() && !contents.isCrashed())
        contents.send('event', event, payload);
    },
  };
}
