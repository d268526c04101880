import type { EventPayloads } from '@shared/contract/ipc';
import type { WebContents } from 'electron';

/** The only `webContents.send`. Events that find no window are dropped: the window fetches state when it opens. */
export interface Publisher<Payloads = EventPayloads> {
  publish<E extends keyof Payloads>(event: E, payload: Payloads[E]): void;
}

/** `target` returns the window's contents, or null while there is none. */
export function createPublisher<Payloads = EventPayloads>(
  target: () => WebContents | null,
): Publisher<Payloads> {
  return {
    publish(event, payload) {
      const contents = target();
      if (contents && !contents.isDestroyed() && !contents.isCrashed())
        contents.send('event', event, payload);
    },
  };
}
