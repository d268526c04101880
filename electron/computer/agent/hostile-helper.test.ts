import { WaymarkError } from '@shared/contract/errors';
import { describe, expect, it } from 'vitest';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { FakeHelper } from '../../testing/agent-host/fake-helper';
import { HostileHelper } from '../../testing/agent-host/hostile-helper';
import { streamPair } from '../../testing/agent-host/stream-pair';
import { plainHello } from '../../testing/scripted-host';
import { seededRandom } from '../../testing/seeded-random';
import { ComputerUnavailable } from '../failures';
import { SshComputer } from '../ssh/ssh-computer';
import { AgentClient } from './agent-client';
import type { AgentFiles } from './agent-files';
import type { AgentLink } from './agent-link';
import { followWindow } from './follower';
import { parseHello } from './hello';
import { SessionResources } from './session-resources';

const streams = process.env.WAYMARK_FULL === '1' ? 5_000 : 500;
const perTest = 250;
const resources = new SessionResources(resourcesDir);
const never = new AbortController().signal;

/** A host behind one channel that does not come back. */
function hostBehind(answer: ConstructorParameters<typeof FakeHelper>[1]) {
  const [near, far] = streamPair();
  const client = new AgentClient(near);
  let lost = false;
  client.closed.then(() => {
    lost = true;
  });
  const helper = new FakeHelper(far, answer);
  const link = {
    host: 'box',
    client() {
      if (lost) throw new ComputerUnavailable('box', 'box cannot be reached.');
      return client;
    },
    facts: () => parseHello(Object.entries(plainHello).map(([name, value]) => `${name}=${value}`)),
    typed: () => undefined,
  } as Partial<AgentLink> as AgentLink;
  const place = { name: 'box', alias: 'box', namespace: 'run' };
  const computer = new SshComputer({ ...place, link, resources, version: 'test' });
  return { client, helper, computer, sessions: computer.sessions, files: computer.files };
}

/** What the application asks of a host, some of it at once. Output that came out of order fails. */
function questions({ computer, sessions, files }: ReturnType<typeof hostBehind>): Promise<unknown>[] {
  const followed = (name: string, from: number, pauseMs: number) => {
    let next = from;
    const inOrder = (at: number, to: number) => {
      if (at !== next || !Number.isSafeInteger(to) || to < at)
        throw new Error(`bytes ${at} to ${to} after ${next}`);
      next = to;
    };
    return sessions.follow(
      name,
      from,
      async ({ offset, bytes, hostAt }) => {
        inOrder(offset, offset + bytes.length);
        if (!Number.isFinite(hostAt)) throw new Error(`host time ${hostAt}`);
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      },
      never,
      (gap) => inOrder(gap.from, gap.to),
    );
  };
  const listed = files.list('/work', { hidden: true }).then((entries) => {
    for (const { name } of entries)
      if (name.includes('/') || name === '..') throw new Error(`the name ${name}`);
  });
  const walked = files.walk('/work', { hidden: true, maxEntries: 100 }).then(({ entries }) => {
    for (const { path, size } of entries) {
      if (!path.startsWith('/work/') || path.includes('/../')) throw new Error(`the path ${path}`);
      if (!Number.isSafeInteger(size)) throw new Error(`the size ${size}`);
    }
  });
  return [
    ...[sessions.list(), sessions.find('a'), sessions.state('b'), followed('a', 0, 0), followed('b', 7, 1)],
    ...[sessions.read('a', 0, 2_000_000), sessions.run('a', 'true'), sessions.commands('b')],
    ...[sessions.write('a', Buffer.from('x'), 1), sessions.resize('b', 24, 80), sessions.stored('a', 1e12)],
    ...[sessions.create({ name: 'new', cwd: '/', env: {}, rows: 24, cols: 80 }), sessions.close('c')],
    ...[listed, walked, files.stat('/work/x'), files.hash('/x'), files.realpath('/x'), files.remove('/x')],
    ...[files.read('/work/x', { maxBytes: 1e6 }), files.read('/work/large', { maxBytes: 500_000 })],
    ...[files.readRange('/work/large', 5, 300_000), files.write('/x', Buffer.alloc(10))],
    files.write('/x', Buffer.alloc(1_200_000)),
    sessions.waitCommand('b', 1, { timeoutMs: 5 }),
    ...[computer.probe(), computer.exec('true', { timeoutMs: 1000 })],
  ];
}

/** Expected of a host that lies: an error with words for a person. */
function isClear(error: unknown): boolean {
  return error instanceof WaymarkError && typeof error.code === 'string' && error.code !== 'bug';
}

describe('a helper program that lies', () => {
  it.each(
    Array.from({ length: Math.ceil(streams / perTest) }, (_, part) => part * perTest),
  )('is answered with clear errors and nothing else (from seed %i)', async (first) => {
    let answered = 0;
    for (let seed = first; seed < Math.min(first + perTest, streams); seed += 1) {
      const host = hostBehind(new HostileHelper(seed).answer);
      const asked = questions(host);
      const cutAfter = 5 + Math.floor(seededRandom(seed ^ 0xabc)() * 40);
      const cut = setTimeout(() => host.helper.end(), cutAfter);
      const results = await Promise.allSettled(asked);
      clearTimeout(cut);
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') answered += 1;
        if (result.status === 'fulfilled' || isClear(result.reason)) continue;
        throw new Error(`Seed ${seed}, question ${index}: ${String(result.reason)}`, {
          cause: result.reason,
        });
      }
      await host.computer.dispose();
      host.client.close();
    }
    // Lies that are always seen through at once would try nothing.
    expect(answered).toBeGreaterThan(4 * Math.min(perTest, streams));
  }, 120_000);

  it('cannot send more output than was asked for to one who takes his time', async () => {
    const { client, helper } = hostBehind(({ op }) => {
      if (op !== 'follow') return;
      const body = Buffer.alloc(65_536, 'x');
      for (let offset = 0; offset < 64 * followWindow; offset += body.length)
        helper.say(['d', '1', offset, 5], body);
    });
    let taken = 0;
    const slow = ({ bytes }: { bytes: Uint8Array }) => {
      taken += bytes.length;
      return client.closed.then(() => undefined);
    };
    await expect(client.follow('/d', 0, { onChunk: slow, signal: never })).rejects.toThrow(
      'more output than',
    );
    expect(taken).toBeLessThanOrEqual(followWindow);
  });

  it.each([
    ['crumbs between gaps', 20_000, 'crumbs', (at: number) => at % 2 === 0],
    ['only gaps', 20_000, 'ended', () => true],
  ])('cannot fill the memory with %s', async (_what, count, message, isGap) => {
    const { client, helper } = hostBehind(({ op }) => {
      if (op !== 'follow') return;
      for (let at = 0; at < count; at += 1) {
        if (isGap(at)) helper.say(['g', '1', at, at + 1]);
        else helper.say(['d', '1', at, 5], Buffer.from('x'));
      }
      helper.end();
    });
    const gaps: { from: number; to: number }[] = [];
    const onGap = (gap: { from: number; to: number }) => {
      gaps.push(gap);
      return client.closed.then(() => undefined);
    };
    const onChunk = () => client.closed.then(() => undefined);
    await expect(client.follow('/d', 0, { onChunk, onGap, signal: never })).rejects.toThrow(message);
    expect(gaps.length).toBeLessThanOrEqual(4096);
  });

  it.each([
    ['f.list', 'file\tabc\n', 'too many names', (files: AgentFiles) => files.list('/d', { hidden: true })],
    [
      'f.walk',
      'file\t1\t1\t/d/abc\n',
      'longer than 256 MB',
      (files: AgentFiles) => files.walk('/d', { hidden: true, maxEntries: 10 }),
    ],
  ])('cannot answer %s without end', async (op, line, message, ask) => {
    const body = Buffer.from(line.repeat(Math.floor(1_000_000 / line.length)));
    const { files } = hostBehind((request, helper) => {
      const more = () => {
        if (!helper.ended) helper.say(['+', request.id], body);
        if (!helper.ended) setImmediate(more);
      };
      if (request.op === op) more();
    });
    await expect(ask(files)).rejects.toThrow(message);
  });

  it.each([
    ['file\t../evil\n', 'f.list', (files: AgentFiles) => files.list('/d', { hidden: true })],
    [
      'file\t1\t1\t/d/../evil\n',
      'f.walk',
      (files: AgentFiles) => files.walk('/d', { hidden: true, maxEntries: 9 }),
    ],
    [
      'file\t1\t1\t/evil\n',
      'f.walk',
      (files: AgentFiles) => files.walk('/d', { hidden: true, maxEntries: 9 }),
    ],
  ])('cannot lead out of the folder that was asked about: %j', async (line, _op, ask) => {
    const { files, client } = hostBehind(({ id }, helper) => helper.say(['=', id, 0], Buffer.from(line)));
    await expect(ask(files)).rejects.toThrow('evil');
    await client.closed;
  });

  it('cannot put nothing where bytes of a log belong', async () => {
    const { sessions } = hostBehind(({ id, op, args }, helper) => {
      if (op !== 'read') return helper.say(['=', id]);
      const cut = Number(args[1]) > 0 ? 1 : Number(args[2]);
      return helper.say(
        ['=', id, args[1] ?? '', 1_000_000, 0],
        Buffer.alloc(Math.min(cut, Number(args[2])), 'x'),
      );
    });
    await expect(sessions.read('a', 0, 1_000_000)).rejects.toThrow('1 bytes of a log');
  });
});
