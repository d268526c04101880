import type { EventName, EventPayloads } from '@shared/contract/ipc';
import { TerminalFilter } from '@shared/terminal/terminal-filter';
import { expect, test } from 'vitest';
import { eventually } from '../testing/deadline';
import { createRun } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import { TerminalPump } from './terminal-pump';
import { frameBytes, maxBehind } from './terminal-screen';

type Frame = EventPayloads['live.session'];

/** A pump on a real store, and a window that keeps what it is sent. */
async function stand() {
  const store = testStore();
  const run = await createRun(store);
  const frames: Frame[] = [];
  const grown: EventPayloads['session.grew'][] = [];
  const pump = new TerminalPump({
    publish<E extends EventName>(event: E, payload: EventPayloads[E]) {
      if (event === 'live.session') frames.push(payload as Frame);
      if (event === 'session.grew') grown.push(payload as EventPayloads['session.grew']);
    },
  });
  pump.attach(store.reader);
  store.subscribe((notice) => pump.notice(notice));
  const ends = new Map<string, number>();
  const print = async (uid: string, text: string | Uint8Array) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const offset = ends.get(uid) ?? 0;
    ends.set(uid, offset + bytes.length);
    await store.writer.sessionBytes(run, 1, uid, { offset, bytes, receivedAt: 1, hostAt: null });
  };
  const of = (uid: string) => frames.filter((frame) => frame.uid === uid);
  const lastOf = (uid: string) => of(uid).at(-1)?.endOffset ?? 0;
  /** Reads from the start and takes frames until `end`. */
  const takeUntil = (uid: string, end: number) =>
    eventually(`${uid} is shown up to ${end}`, async () => {
      await pump.seen(run, uid, lastOf(uid));
      return lastOf(uid) >= end;
    });
  return { store, run, pump, frames, grown, print, of, lastOf, takeUntil };
}

const textOf = (parts: { bytes: Uint8Array }[]) =>
  Buffer.concat(parts.map(({ bytes }) => bytes)).toString('utf8');

test('page and frames together are exactly what the filter makes of the log', async () => {
  const { run, pump, print, of, takeUntil } = await stand();
  const start = 'line one\r\n\x1b[3';
  const rest = '1mred\x1b[0m 你'.repeat(30_000);
  await pump.watch(run, ['u1']);
  await print('u1', start);
  const page = await pump.read({ run, uid: 'u1', offset: 0, maxBytes: 1000, live: 1 });
  expect(page).toMatchObject({ offset: 0, endOffset: start.length });
  await print('u1', rest);
  const whole = Buffer.from(start + rest);
  await takeUntil('u1', whole.length);
  expect(of('u1')[0]?.offset).toBe(page.endOffset);
  expect(textOf([page, ...of('u1')])).toBe(new TerminalFilter({ unlimited: true }).push(whole));
});

test('one full frame is under way and no more, and another session is not held up', async () => {
  const { run, pump, print, of, lastOf, takeUntil } = await stand();
  await pump.watch(run, ['flood', 'calm']);
  await print('flood', 'start\n');
  await print('calm', 'start\n');
  for (const uid of ['flood', 'calm']) await pump.read({ run, uid, offset: 0, maxBytes: 100, live: 1 });
  const size = 3 * 1024 * 1024;
  await print('flood', Buffer.alloc(size, 'flood of output\n'));
  await eventually('the first frame of the flood came', () => of('flood').length >= 1);
  await print('calm', 'answer\n');
  await eventually('the calm session is shown', () => textOf(of('calm')).includes('answer'));
  // Without a word from the window nothing more of the flood comes.
  expect(of('flood')).toHaveLength(1);
  await takeUntil('flood', 6 + size);
  expect(lastOf('flood')).toBe(6 + size);
  expect(of('flood').every((frame) => frame.endOffset - frame.offset <= frameBytes)).toBe(true);
});

test('a screen that is far behind goes on near the end, at a whole line', async () => {
  const { run, pump, print, of, takeUntil } = await stand();
  await pump.watch(run, ['u1']);
  await print('u1', 'start\n');
  await pump.read({ run, uid: 'u1', offset: 0, maxBytes: 100, live: 1 });
  const line =
    'one hundred bytes of output that nobody can read as fast as it comes, so most of it is skipped ....\n';
  const size = 3 * maxBehind;
  for (let done = 0; done < size; done += 1_000_000) await print('u1', Buffer.alloc(1_000_000, line));
  const end = 6 + Math.ceil(size / 1_000_000) * 1_000_000;
  await takeUntil('u1', end);
  const frames = of('u1');
  const skipped = frames.findIndex(
    (frame, index) => index > 0 && frame.offset !== frames[index - 1]?.endOffset,
  );
  expect(skipped).toBeGreaterThan(0);
  const sent = frames.reduce((sum, frame) => sum + frame.endOffset - frame.offset, 0);
  expect(sent).toBeLessThan(maxBehind + 4 * frameBytes);
  const first = frames[skipped];
  expect(first && Buffer.from(first.bytes).toString().startsWith('one hundred bytes')).toBe(true);
});

test('pages go on where the one before ended, and previews in between disturb neither them nor the live view', async () => {
  const { run, pump, print, of, takeUntil } = await stand();
  const text = 'a\x1b[31mb\x1b[0mc\n'.repeat(20_000);
  await print('u1', text);
  await pump.watch(run, ['u1']);
  const live = await pump.read({ run, uid: 'u1', offset: 0, maxBytes: 1001, live: 1 });
  const pages = [];
  for (let at = 0; at < text.length; ) {
    const page = await pump.read({ run, uid: 'u1', offset: at, maxBytes: 10_007 });
    pages.push(page);
    at = page.endOffset;
    await pump.read({ run, uid: 'u1', offset: at - 500, maxBytes: 500 });
  }
  const filtered = new TerminalFilter({ unlimited: true }).push(Buffer.from(text));
  expect(textOf(pages)).toBe(filtered);
  await takeUntil('u1', text.length);
  expect(textOf([live, ...of('u1')])).toBe(filtered);
});

test('a slice from the middle begins at a whole line', async () => {
  const { run, pump, print } = await stand();
  await print('u1', `${'你'.repeat(10)}\x1b[38;5;1m\nsecond\n`);
  const page = await pump.read({ run, uid: 'u1', offset: 1, maxBytes: 1000 });
  expect(textOf([page])).toBe('second\n');
  const oneLine = await pump.read({ run, uid: 'u1', offset: 1, maxBytes: 20 });
  expect(textOf([oneLine])).toBe('你'.repeat(6));
});

test('growth of every session of the run is told, gathered', async () => {
  const { run, pump, print, grown } = await stand();
  await pump.watch(run, []);
  await print('u1', 'abc');
  await print('u1', 'def');
  await print('u2', 'x');
  await eventually('growth was told', () => grown.length > 0);
  expect(grown).toMatchObject([
    {
      run,
      sessions: [
        { uid: 'u1', endOffset: 6 },
        { uid: 'u2', endOffset: 1 },
      ],
    },
  ]);
});

test('what the pump could not read is told with the next word from the window, and a new start goes on', async () => {
  const { store, run, pump, print, of, lastOf } = await stand();
  let broken = false;
  const reader = Object.create(store.reader, {
    readSession: {
      value: (...order: Parameters<typeof store.reader.readSession>) =>
        broken ? Promise.reject(new Error('the disk is gone')) : store.reader.readSession(...order),
    },
  }) as typeof store.reader;
  pump.attach(reader);
  await pump.watch(run, ['u1']);
  await print('u1', 'abc');
  await pump.read({ run, uid: 'u1', offset: 0, maxBytes: 100, live: 1 });
  broken = true;
  await print('u1', 'def');
  const told = await eventually('the failure is told', () =>
    pump.seen(run, 'u1', lastOf('u1')).then(
      () => false,
      (thrown: Error) => thrown.message,
    ),
  );
  expect(told).toBe('the disk is gone');
  broken = false;
  await pump.read({ run, uid: 'u1', offset: 0, maxBytes: 3, live: 1 });
  await eventually('frames come again', () => lastOf('u1') === 6);
  expect(textOf(of('u1'))).toBe('def');
});
