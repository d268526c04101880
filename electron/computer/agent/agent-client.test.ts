import { describe, expect, it } from 'vitest';
import { FakeHelper, type FakeRequest } from '../../testing/agent-host/fake-helper';
import { streamPair } from '../../testing/agent-host/stream-pair';
import { eventually } from '../../testing/deadline';
import { AgentClient } from './agent-client';
import { ChannelLost } from './agent-failures';

function pair(onRequest?: (request: FakeRequest, helper: FakeHelper) => void) {
  const [near, far] = streamPair();
  return { client: new AgentClient(near), helper: new FakeHelper(far, onRequest), far };
}

const bytes = (content: string) => Buffer.from(content);
const never = new AbortController().signal;

describe('agent client', () => {
  it('matches answers to requests in any order, with fields and bodies as they are', async () => {
    const { client, helper } = pair();
    const first = client.request('one', ['a\tb', '%0A', ''], { body: bytes('in') });
    const second = client.request('two');
    await eventually('both arrived', () => helper.requests.length === 2);
    const [one, two] = helper.requests;
    expect(one).toMatchObject({ op: 'one', args: ['a\tb', '%0A', ''] });
    expect(Buffer.from(one?.body ?? []).toString()).toBe('in');
    helper.say(['=', two?.id ?? '', 'second']);
    helper.say(['=', one?.id ?? '', 'fir\nst', ''], bytes('out'));
    expect((await second).fields).toEqual(['second']);
    const answer = await first;
    expect(answer.fields).toEqual(['fir\nst', '']);
    expect(Buffer.from(answer.body).toString()).toBe('out');
  });

  it('gives a refusal with its code, its words and what more there is', async () => {
    const { client } = pair(({ id }, helper) => helper.say(['!', id, 'conflict', 'no', 'gone']));
    await expect(client.request('x')).rejects.toMatchObject({
      code: 'conflict',
      message: 'no',
      extra: ['gone'],
    });
  });

  it('hands over parts before the last answer', async () => {
    const { client } = pair(({ id }, helper) => {
      helper.say(['+', id], bytes('a'));
      helper.say(['+', id], bytes('b'));
      helper.say(['=', id, '0'], bytes('c'));
    });
    const parts: string[] = [];
    const { body } = await client.request('x', [], {
      onPart: (part) => parts.push(Buffer.from(part).toString()),
    });
    expect([...parts, Buffer.from(body).toString()]).toEqual(['a', 'b', 'c']);
  });

  it('tells the host to stop when a request is given up, and passes over a late answer', async () => {
    const { client, helper } = pair();
    const stop = new AbortController();
    const asked = client.request('slow', [], { signal: stop.signal });
    await eventually('it arrived', () => helper.asked('slow').length === 1);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(client.request('slow', [], { signal: stop.signal })).rejects.toThrow('enough');
    await expect(client.request('slower', [], { timeoutMs: 5 })).rejects.toMatchObject({ code: 'timed_out' });
    await eventually('both are called off', () => helper.asked('cancel').length === 2);
    const ids = [...helper.asked('slow'), ...helper.asked('slower')].map(({ id }) => id);
    expect(helper.asked('cancel').map(({ args }) => args[0])).toEqual(ids);
    for (const id of ids) helper.say(['=', id, 'too late']);
    const next = client.request('next');
    await eventually('it arrived', () => helper.asked('next').length === 1);
    helper.say(['=', helper.asked('next')[0]?.id ?? '', 'fine']);
    expect((await next).fields).toEqual(['fine']);
  });

  it('rejects everything that is asked for when the channel ends, once, and what comes after', async () => {
    const { client, helper } = pair();
    const asked = [client.request('a'), client.request('b'), client.ping()];
    const followed = client.follow('/d', 0, { onChunk: () => undefined, signal: never });
    let woken = 0;
    client.watch('/d', () => {
      woken += 1;
    });
    await eventually('all arrived', () => helper.requests.length === 5);
    helper.end();
    for (const each of [...asked, followed]) await expect(each).rejects.toBeInstanceOf(ChannelLost);
    expect(woken).toBeGreaterThan(0);
    expect((await client.closed).reason).toContain('ended');
    await expect(client.request('c')).rejects.toBeInstanceOf(ChannelLost);
    await expect(client.follow('/d', 0, { onChunk: () => undefined, signal: never })).rejects.toBeInstanceOf(
      ChannelLost,
    );
  });

  it.each([
    ['no frame', 'Welcome to this host!\n'],
    ['an unknown kind', '1 0\nz'],
  ])('gives a channel up that carries %s', async (_what, raw) => {
    const { client, helper } = pair();
    const asked = client.request('a');
    helper.sayRaw(bytes(raw));
    await expect(asked).rejects.toBeInstanceOf(ChannelLost);
  });

  it('measures a round trip and when a byte last came', async () => {
    const { client } = pair(({ id }, helper) => helper.say(['=', id, '1234.5']));
    const before = Date.now();
    const { roundTripMs, now } = await client.ping();
    expect(now).toBe(1234.5);
    expect(roundTripMs).toBeGreaterThan(0);
    expect(client.lastByteAt).toBeGreaterThanOrEqual(before);
  });

  it('lets small requests overtake an upload that waits', async () => {
    const { client, helper, far } = pair();
    far.pause();
    const big = Buffer.alloc(300_000);
    const uploads = [1, 2, 3, 4].map(() => client.request('f.put', [], { body: big }));
    const typed = client.request('input', [], { body: bytes('x') });
    far.resume();
    await eventually('all arrived', () => helper.requests.length === 5);
    expect(helper.requests.map(({ op }) => op).indexOf('input')).toBeLessThan(3);
    for (const { id } of helper.requests) helper.say(['=', id]);
    await Promise.all([...uploads, typed]);
  });
});

describe('following', () => {
  /** A helper that sends `total` bytes of every log, as far as credit goes. */
  function flood(total: number, piece = 65_536) {
    const sent = new Map<string, number>();
    const credit = new Map<string, number>();
    const go = (id: string, helper: FakeHelper) => {
      for (;;) {
        const at = sent.get(id) ?? 0;
        const length = Math.min(piece, total - at, credit.get(id) ?? 0);
        if (length <= 0) break;
        sent.set(id, at + length);
        credit.set(id, (credit.get(id) ?? 0) - length);
        helper.say(['d', id, at, '5.25'], Buffer.alloc(length, at % 251));
      }
      if (sent.get(id) === total && credit.delete(id)) helper.say(['e', id, total]);
    };
    const made = pair(({ id, op, args }, helper) => {
      const [fid = '', ...rest] = args;
      if (op === 'follow') {
        helper.say(['=', id]);
        sent.set(fid, Number(rest[1]));
        credit.set(fid, Number(rest[2]));
        go(fid, helper);
      }
      if (op === 'credit') {
        credit.set(fid, (credit.get(fid) ?? 0) + Number(rest[0]));
        go(fid, helper);
      }
    });
    return { ...made, sent };
  }

  it('takes every byte once and in order, and grants as it goes', async () => {
    const total = 5_000_000;
    const { client } = flood(total);
    let at = 0;
    const end = await client.follow('/d', 0, {
      signal: never,
      onChunk: ({ offset, bytes: chunk, hostAt }) => {
        expect(offset).toBe(at);
        expect(hostAt).toBe(5.25);
        at += chunk.length;
      },
    });
    expect(end).toEqual({ reason: 'ended', offset: total });
    expect(at).toBe(total);
  });

  it('stalls only the one that is slow, and holds no more than its window for it', async () => {
    const total = 20_000_000;
    const { client, sent } = flood(total);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let slowBytes = 0;
    const slow = client.follow('/slow', 0, {
      signal: never,
      onChunk: ({ bytes: chunk }) => {
        slowBytes += chunk.length;
        return held;
      },
    });
    let fastBytes = 0;
    const fast = client.follow('/fast', 0, {
      signal: never,
      onChunk: ({ bytes: chunk }) => {
        fastBytes += chunk.length;
      },
    });
    expect(await fast).toEqual({ reason: 'ended', offset: total });
    expect(fastBytes).toBe(total);
    expect(slowBytes).toBeLessThanOrEqual(524_288);
    expect([...sent.values()].sort((a, b) => a - b)).toEqual([1024 * 1024, total]);
    release();
    expect(await slow).toEqual({ reason: 'ended', offset: total });
    expect(slowBytes).toBe(total);
  });

  it('joins what comes in single bytes while nobody takes it', async () => {
    const total = 20_000;
    const { client, sent } = flood(total, 1);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let calls = 0;
    let seen = '';
    const following = client.follow('/d', 0, {
      signal: never,
      onChunk: ({ offset, bytes: chunk }) => {
        expect(offset).toBe(seen.length);
        seen += Buffer.from(chunk).toString('latin1');
        calls += 1;
        return held;
      },
    });
    await eventually('all of it has been sent', () => [...sent.values()][0] === total);
    release();
    expect(await following).toEqual({ reason: 'ended', offset: total });
    expect(calls).toBeLessThan(200);
    expect(seen).toBe(Array.from({ length: total }, (_, at) => String.fromCharCode(at % 251)).join(''));
  });

  it('tells of a gap before the bytes after it', async () => {
    const { client, helper } = pair();
    const told: unknown[] = [];
    const following = client.follow('/d', 10, {
      signal: never,
      onChunk: ({ offset, bytes: chunk }) => {
        told.push([offset, chunk.length]);
      },
      onGap: (gap) => {
        told.push(gap);
      },
    });
    await eventually('it is asked for', () => helper.asked('follow').length === 1);
    const fid = helper.asked('follow')[0]?.args[0] ?? '';
    helper.say(['=', helper.requests[0]?.id ?? '']);
    helper.say(['g', fid, 10, 4096]);
    helper.say(['d', fid, 4096, 1], bytes('abc'));
    helper.say(['e', fid, 4099]);
    expect(await following).toEqual({ reason: 'ended', offset: 4099 });
    expect(told).toEqual([{ from: 10, to: 4096 }, [4096, 3]]);
  });

  it.each([
    ['skips bytes', ['d', 'fid', 5, 1]],
    ['repeats bytes', ['d', 'fid', 0, 1]],
    ['ends elsewhere', ['e', 'fid', 9]],
    ['tells of a gap that is none', ['g', 'fid', 3, 3]],
  ])('gives the channel up when the host %s', async (_what, frame) => {
    const { client, helper } = pair();
    let taken = 0;
    const following = client.follow('/d', 0, {
      signal: never,
      onChunk: ({ bytes: chunk }) => {
        taken += chunk.length;
      },
    });
    await eventually('it is asked for', () => helper.asked('follow').length === 1);
    const fid = helper.asked('follow')[0]?.args[0] ?? '';
    helper.say(['d', fid, 0, 1], bytes('abc'));
    helper.say(
      frame.map((word) => (word === 'fid' ? fid : word)),
      frame[0] === 'd' ? bytes('abc') : undefined,
    );
    await expect(following).rejects.toBeInstanceOf(ChannelLost);
    expect(taken).toBe(3);
  });

  it('ends without an error when it is called off, after the chunk that is being taken', async () => {
    const { client, helper } = pair();
    const stop = new AbortController();
    let taken = 0;
    const following = client.follow('/d', 0, {
      signal: stop.signal,
      onChunk: async ({ bytes: chunk }) => {
        helper.say(['d', fid, 3, 1], bytes('def'));
        stop.abort();
        await Promise.resolve();
        taken += chunk.length;
      },
    });
    await eventually('it is asked for', () => helper.asked('follow').length === 1);
    const fid = helper.asked('follow')[0]?.args[0] ?? '';
    helper.say(['d', fid, 0, 1], bytes('abc'));
    expect(await following).toEqual({ reason: 'aborted', offset: 3 });
    expect(taken).toBe(3);
    await eventually('the host is told', () => helper.asked('unfollow').length === 1);
  });

  it('passes on what its consumer throws, and a refusal', async () => {
    const { client, helper } = pair(({ id, op, args }, self) => {
      if (op === 'follow' && args[1] === '/none') self.say(['!', id, 'session_not_found', 'none']);
      if (op === 'follow' && args[1] === '/d') self.say(['d', args[0] ?? '', 0, 1], bytes('abc'));
    });
    await expect(
      client.follow('/none', 0, { onChunk: () => undefined, signal: never }),
    ).rejects.toMatchObject({
      code: 'session_not_found',
    });
    const failing = client.follow('/d', 0, {
      signal: never,
      onChunk: () => {
        throw new Error('disk full here');
      },
    });
    await expect(failing).rejects.toThrow('disk full here');
    await eventually('the host is told', () => helper.asked('unfollow').length === 2);
  });
});
