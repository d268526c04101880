import { call, listen } from '../../api';
import type { FeedSource } from './terminal-feed';
import { unwatchSession, watchSession } from './watched-terminals';

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
