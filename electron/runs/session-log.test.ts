import type { NewEvent } from '@shared/events';
import { describe, expect, it } from 'vitest';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { Computer, SessionHost } from '../computer/port';
import type { SessionChunk as StoredChunk } from '../store/api';
import { systemClock } from '../system-clock';
import { eventually } from '../testing/deadline';
import { SessionLog } from './session-log';

type Follow = SessionHost['follow'];
type OnChunk = Parameters<Follow>[2];
type OnGap = NonNullable<Parameters<Follow>[4]>;

/** A host as far as following goes: what each following does is written down by the test. */
class FollowedHost {
  readonly starts: number[] = [];
  readonly told: number[] = [];
  endOffset = 1e12;
  id = 'u1';
  storedFails: Error | null = null;

  constructor(private readonly acts: ((onChunk: OnChunk, onGap: OnGap, signal: AbortSignal) => unknown)[]) {}

  readonly sessions = {
    find: async () => ({ id: this.id, endOffset: this.endOffset }),
    follow: async (...[, offset, onChunk, signal, onGap]: Parameters<Follow>) => {
      this.starts.push(offset);
      const act = this.acts[this.starts.length - 1];
      if (act) await act(onChunk, onGap ?? (() => undefined), signal);
      return { reason: 'ended' as const, offset };
    },
    stored: async (_name: string, upTo: number) => {
      if (this.storedFails) throw this.storedFails;
      this.told.push(upTo);
    },
    state: async () => ({ endOffset: 0 }),
  };
}

function stand(acts: ConstructorParameters<typeof FollowedHost>[0]) {
  const host = new FollowedHost(acts);
  const chunks: StoredChunk[] = [];
  const events: NewEvent[] = [];
  const failures: string[] = [];
  const links = { wanted: 0 };
  const log = new SessionLog({
    store: {
      writer: {
        sessionBytes: async (_run: string, _uid: string, chunk: StoredChunk) => void chunks.push(chunk),
      } as never,
    },
    run: 'run',
    computers: new Map([['box', { name: 'box', sessions: host.sessions } as unknown as Computer]]),
    record: async (recorded) => void events.push(...recorded),
    back: {
      clock: systemClock,
      random: () => 0.5,
      // The link is back as soon as somebody asks for it.
      back: async () => {
        links.wanted += 1;
      },
    },
    failed: (session, error) => void failures.push(`${session}: ${String(error)}`),
  });
  return { host, chunks, events, failures, links, log };
}

const chunk = (offset: number, length: number) => ({
  ...{ offset, bytes: new Uint8Array(length), receivedAt: 2.4, hostAt: 1.6 },
});
const away = () => {
  throw new ComputerUnavailable('box', 'The connection to box was lost.');
};

describe('following the sessions of a run', () => {
  it('goes on from the stored offset whenever the link is back, and names what was dropped', async () => {
    const { host, chunks, events, failures, links, log } = stand([
      async (take) => {
        await take(chunk(5, 10));
        away();
      },
      away,
      async (take, gap) => {
        await gap({ from: 15, to: 40 });
        await take(chunk(40, 2));
      },
    ]);
    log.follow('box', 'main', 'u1', 5);
    await eventually('it was followed three times', () => host.starts.length === 3);
    await log.drain();
    expect(host.starts).toEqual([5, 15, 15]);
    expect(links.wanted).toBeGreaterThanOrEqual(2);
    expect(
      chunks.map(({ offset, bytes, receivedAt, hostAt }) => [offset, bytes.length, receivedAt, hostAt]),
    ).toEqual([
      [5, 10, 2, 2],
      [40, 2, 2, 2],
    ]);
    expect(events).toEqual([
      {
        kind: 'session.gap',
        body: { computer: 'box', session: 'main', uid: 'u1', from: 15, to: 40, reason: 'limit' },
      },
    ]);
    expect(failures).toEqual([]);
    await log.stop();
  });

  it('tells the host rarely what is stored, and goes on when it cannot', async () => {
    const mega = 1024 * 1024;
    const { host, chunks, failures, log } = stand([
      async (take) => {
        for (let at = 0; at < 130; at += 1) await take(chunk(at * mega, mega));
        host.storedFails = new ComputerUnavailable('box', 'Away.');
        for (let at = 130; at < 200; at += 1) await take(chunk(at * mega, mega));
        host.storedFails = null;
        await take(chunk(200 * mega, mega));
      },
    ]);
    log.follow('box', 'main', 'u1', 0);
    await eventually('all of it is stored', () => chunks.length === 201);
    await log.drain();
    expect(host.told).toEqual([64 * mega, 128 * mega, 201 * mega]);
    log.applyEvent(observed(0));
    expect(host.told).toHaveLength(3);
    expect(failures).toEqual([]);
    await log.stop();
  });

  it('tells it at the end of a command, once there is something worth it', async () => {
    const { host, chunks, log } = stand([(take) => take(chunk(0, 2 * 1024 * 1024))]);
    log.follow('box', 'main', 'u1', 0);
    await eventually('it is stored', () => chunks.length === 1);
    log.applyEvent(observed(0));
    expect(host.told).toEqual([2 * 1024 * 1024]);
    await log.stop();
  });

  it('says so when the host holds less than is stored here, and takes nothing of another life', async () => {
    const { host, failures, log } = stand([]);
    host.endOffset = 10;
    log.follow('box', 'main', 'u1', 11);
    log.follow('box', 'main', 'another', 0);
    await log.drain();
    expect(failures).toEqual([expect.stringMatching(/holds 10 bytes, but 11 are stored here/)]);
    expect(host.starts).toEqual([]);
    await log.stop();
  });

  it('ends with the session', async () => {
    const { failures, log } = stand([
      () => {
        throw new SessionError('session_not_found', 'main', 'It is gone.');
      },
    ]);
    log.follow('box', 'main', 'u1', 0);
    await log.drain();
    expect(failures).toEqual([]);
    await log.stop();
  });
});

function observed(exitCode: number): NewEvent {
  return {
    kind: 'action.observed',
    body: {
      ...{ step: 1, call: 0, callId: 'x', name: 'run_command', ok: true, error: null, text: '' },
      ...{ data: { sessionId: 'u1', exitCode }, offsets: {}, durationMs: 1, closedBy: 'run' },
      imitatesHuman: false,
    },
  };
}
