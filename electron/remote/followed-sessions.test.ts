import type { EventPayloads } from '@shared/contract/ipc';
import { expect, test } from 'vitest';
import { protocolVersion } from '../serve/protocol';
import { ServeSession } from '../serve/serve-session';
import { streamPair } from '../testing/agent-host/stream-pair';
import { FollowedSessions } from './followed-sessions';
import { ServeClient } from './serve-client';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const log = Buffer.from('0123456789abcdef');

/** A server whose terminals hold `log`; what it is asked is noted. */
async function channel(asked: unknown[]) {
  const [ours, theirs] = streamPair();
  const session = new ServeSession({
    input: theirs,
    output: theirs,
    version: '1',
    open: async () => ({
      folder: '/srv',
      handlers: {
        'sessions.watch': async (input) => void asked.push(input),
        'sessions.read': async (input) => {
          asked.push(input);
          const bytes = new Uint8Array(log.subarray(input.offset, input.offset + input.maxBytes));
          return { offset: input.offset, endOffset: input.offset + bytes.length, bytes };
        },
      },
      answered: async () => null,
      withEntry: (_entry, work) => work(),
      close: async () => undefined,
    }),
    report: () => undefined,
  });
  const over = session.run();
  const client = new ServeClient(ours, () => undefined);
  const author = { uuid: 'u', name: 'Ada' };
  await client.hello({
    kind: 'hello',
    protocol: protocolVersion,
    version: '1',
    author,
    device: 'd',
    endpoints: [],
  });
  const close = () => {
    ours.end();
    return over;
  };
  return { client, close };
}

test('terminals on the screen go on over a new channel at the byte where the last one ended', async () => {
  const followed = new FollowedSessions();
  followed.watched({ run, uids: ['a', 'b'] });
  followed.read(
    { run, uid: 'a', offset: 0, maxBytes: 4, live: 7 },
    { offset: 0, endOffset: 4, bytes: new Uint8Array(4) },
  );
  followed.frame({ run, uid: 'a', live: 7, offset: 4, endOffset: 10, bytes: new Uint8Array(6) });
  // A frame of a view that was left, a page without more to come, and a terminal nobody watches.
  followed.frame({ run, uid: 'a', live: 6, offset: 10, endOffset: 16, bytes: new Uint8Array(6) });
  followed.read(
    { run, uid: 'b', offset: 0, maxBytes: 4 },
    { offset: 0, endOffset: 4, bytes: new Uint8Array(4) },
  );
  followed.read(
    { run, uid: 'c', offset: 0, maxBytes: 4, live: 1 },
    { offset: 0, endOffset: 4, bytes: new Uint8Array(4) },
  );

  const asked: unknown[] = [];
  const frames: EventPayloads['live.session'][] = [];
  const { client, close } = await channel(asked);
  await followed.goOn('box', client, (frame) => void frames.push(frame));
  expect(asked[0]).toEqual({ run, uids: ['a', 'b'] });
  expect(asked.slice(1)).toMatchObject([{ uid: 'a', offset: 10, live: 7 }]);
  expect(frames).toEqual([
    { run, uid: 'a', live: 7, offset: 10, endOffset: 16, bytes: new Uint8Array(log.subarray(10)) },
  ]);
  await close();

  // Nothing new the next time, and nothing of what is no longer watched.
  const again = await channel(asked);
  await followed.goOn('box', again.client, (frame) => void frames.push(frame));
  expect(frames).toHaveLength(1);
  followed.watched({ run, uids: [] });
  asked.length = 0;
  await followed.goOn('box', again.client, (frame) => void frames.push(frame));
  expect(asked).toEqual([{ run, uids: [] }]);
  await again.close();
});
