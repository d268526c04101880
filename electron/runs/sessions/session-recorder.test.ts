import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock';
import { ComputerUnavailable, SessionError } from '../../computer/failures';
import type { Computer, SessionHost } from '../../computer/port';
import type { StoredChunk } from '../../store/values';
import { eventually } from '../../testing/deadline';
import { SessionRecorder } from './session-recorder';

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
  // Where the stored bytes end when they end elsewhere than was thought; what the store does first with a chunk.
  const stored = { end: 0, before: async (_chunk: StoredChunk): Promise<void> => undefined };
  const log = new SessionRecorder({
    store: {
      writer: {
        sessionBytes: async (_run: string, epoch: number, _uid: string, chunk: StoredChunk) => {
          await stored.before(chunk);
          expect(epoch).toBe(7);
          chunks.push(chunk);
        },
      } as never,
      reader: { readSession: async () => ({ endOffset: stored.end }) } as never,
    },
    run: 'run',
    epoch: 7,
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
  return { host, chunks, events, failures, links, log, stored };
}

const chunk = (offset: number, length: number) => ({
  offset,
  bytes: new Uint8Array(length),
  receivedAt: 2.4,
  hostAt: 1.6,
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
    const { host, events, failures, log, stored } = stand([]);
    host.endOffset = 10;
    stored.end = 11;
    log.follow('box', 'main', 'u1', 11);
    log.follow('box', 'main', 'another', 0);
    await log.drain();
    const message = expect.stringMatching(/holds 10 bytes, but 11 are stored here/);
    expect(failures).toEqual([message]);
    expect(events).toEqual([
      {
        kind: 'session.unfollowed',
        body: { computer: 'box', session: 'main', uid: 'u1', offset: 11, message },
      },
    ]);
    expect(host.starts).toEqual([]);
    await log.stop();
  });

  it('goes on from where the stored bytes end when they end elsewhere than was thought', async () => {
    const { host, chunks, events, failures, log, stored } = stand([
      (take) => take(chunk(5, 3)),
      async (take) => {
        await take(chunk(2, 6));
      },
    ]);
    stored.end = 2;
    stored.before = async ({ offset }) => {
      if (offset > stored.end) throw new WaymarkError('conflict', 'A chunk would leave a gap.');
    };
    log.follow('box', 'main', 'u1', 5);
    await eventually('it is stored', () => chunks.length === 1);
    await log.drain();
    expect(host.starts).toEqual([5, 2]);
    expect(chunks.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([[2, 6]]);
    expect([failures, events]).toEqual([[], []]);
    await log.stop();
  });

  it('waits while another program holds the workspace, and loses nothing meanwhile', async () => {
    const { host, chunks, failures, log, stored } = stand([
      (take) => take(chunk(0, 3)),
      (take) => take(chunk(0, 3)),
    ]);
    let held = true;
    stored.before = async () => {
      if (held) {
        held = false;
        throw new WaymarkError('workspace_locked', 'Another program holds the workspace.');
      }
    };
    log.follow('box', 'main', 'u1', 0);
    await eventually('it is stored', () => chunks.length === 1);
    expect(host.starts).toEqual([0, 0]);
    expect(failures).toEqual([]);
    await log.stop();
  });

  it('ends quietly, for every session, once another process drives the run', async () => {
    const { host, chunks, events, failures, log, stored } = stand([
      (take) => take(chunk(0, 3)),
      (_take, _gap, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
    ]);
    stored.before = async () => {
      throw new WaymarkError('run_driven_elsewhere', 'Another process drives the run.');
    };
    log.follow('box', 'main', 'u1', 0);
    log.follow('box', 'other', 'u1-other', 0);
    await log.drain();
    await log.stop();
    log.follow('box', 'third', 'u1-third', 0);
    expect(host.starts.length).toBeLessThanOrEqual(2);
    expect([chunks, events, failures]).toEqual([[], [], []]);
  });

  it('says in the log of the run when something else ends it', async () => {
    const { events, failures, log } = stand([
      () => {
        throw new Error('EIO: i/o error, write');
      },
    ]);
    log.follow('box', 'main', 'u1', 4);
    await log.drain();
    expect(failures).toEqual(['main: Error: EIO: i/o error, write']);
    expect(events).toEqual([
      {
        kind: 'session.unfollowed',
        body: {
          computer: 'box',
          session: 'main',
          uid: 'u1',
          offset: 4,
          message: 'EIO: i/o error, write',
        },
      },
    ]);
    await log.stop();
  });

  it('lets the run go only when the store has answered for all it was given, and takes nothing after that', async () => {
    let saidLate: (error: unknown) => void = () => undefined;
    const late = new Promise<unknown>((resolve) => {
      saidLate = resolve;
    });
    const { chunks, failures, log, stored } = stand([
      async (take, _gap, signal) => {
        // Not waited for: only the store's answer holds the end up.
        void take(chunk(0, 3));
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await Promise.resolve(take(chunk(3, 3))).then(() => saidLate(null), saidLate);
      },
    ]);
    let answer: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      stored.before = () => {
        resolve();
        return new Promise<void>((done) => {
          answer = done;
        });
      };
    });
    log.follow('box', 'main', 'u1', 0);
    await given;
    let stopped = false;
    const stopping = log.stop().then(() => {
      stopped = true;
    });
    expect(await late).toBeInstanceOf(Error);
    expect(stopped).toBe(false);
    answer();
    await stopping;
    expect(chunks.map(({ offset }) => offset)).toEqual([0]);
    expect(failures).toEqual([]);
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
      step: 1,
      call: 0,
      callId: 'x',
      name: 'run_command',
      ok: true,
      error: null,
      text: '',
      data: { sessionId: 'u1', exitCode },
      offsets: {},
      durationMs: 1,
      closedBy: 'run',
      imitatesHuman: false,
    },
  };
}
