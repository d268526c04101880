import { call, listen } from '../../api';
import type { FeedSource } from './terminal-feed';
import { unwatchOwn, unwatchSession, watchOwn, watchSession } from './watched-terminals';

/** A session of a run, from the store. */
export function sessionSource(run: string, uid: string): FeedSource {
  return {
    read: (offset, maxBytes, live) => call('sessions.read', { run, uid, offset, maxBytes, live }),
    listen: (listener) =>
      listen('live.session', (frame) => {
        if (frame.run === run && frame.uid === uid) listener(frame);
      }),
    seen: (offset) => call('sessions.seen', { run, uid, offset }),
    watch: () => watchSession(run, uid),
    unwatch: () => unwatchSession(run, uid),
  };
}

/** A terminal of the person's own, from its computer. */
export function ownSource(id: string): FeedSource {
  return {
    read: (offset, maxBytes, live) => call('own.read', { id, offset, maxBytes, live }),
    listen: (listener) =>
      listen('live.own', (frame) => {
        if (frame.id === id) listener(frame);
      }),
    seen: (offset) => call('own.seen', { id, offset }),
    watch: () => watchOwn(id),
    unwatch: () => unwatchOwn(id),
  };
}
