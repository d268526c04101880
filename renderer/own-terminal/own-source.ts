import type { FeedSource } from '../features/terminals/terminal-feed';
import { attempt } from '../state/toasts';
import { callView, listenView } from './view-api';

let watched: string | null = null;

/** A terminal of the person's own, from its computer; one at a time is looked at. */
export function ownSource(id: string): FeedSource {
  return {
    read: (offset, maxBytes, live) => callView('own.read', { id, offset, maxBytes, live }),
    listen: (listener) =>
      listenView('live.own', (frame) => {
        if (frame.id === id) listener(frame);
      }),
    seen: (offset) => callView('own.seen', { id, offset }),
    watch: () => {
      watched = id;
      return callView('own.watch', { ids: [id] });
    },
    unwatch: () => {
      if (watched !== id) return;
      watched = null;
      attempt(() => callView('own.watch', { ids: [] }));
    },
  };
}
