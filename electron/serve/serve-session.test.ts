import type { Duplex } from 'node:stream';
import { WaymarkError } from '@shared/contract/errors';
import { afterEach, expect, test } from 'vitest';
import type { Handlers } from '../commands/dispatch';
import type { Publisher } from '../ipc/publish';
import { ServeClient } from '../remote/serve-client';
import { streamPair } from '../testing/agent-host/stream-pair';
import { encodeFrame } from './frames';
import { type Hello, protocolVersion, requestLimit } from './protocol';
import { type Served, ServeSession } from './serve-session';

const hello: Hello = {
  kind: 'hello',
  protocol: protocolVersion,
  version: '1.2.3',
  author: { uuid: 'u-1', name: 'Ada' },
  device: 'laptop',
  endpoints: [],
};
const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const sessions: ServeSession[] = [];

afterEach(() => {
  for (const session of sessions.splice(0)) session.end('The test is over.');
});

interface Stand {
  ours: Duplex;
  over: Promise<string>;
  closed: boolean;
  publisher: Publisher | null;
  bugs: string[];
}

/** A server over a pipe of this process, with handlers of the test. */
function serve(handlers: Partial<Handlers> = {}, open: () => Promise<void> = async () => undefined): Stand {
  const [ours, theirs] = streamPair();
  const stand: Stand = { ours, over: Promise.resolve(''), closed: false, publisher: null, bugs: [] };
  const session = new ServeSession({
    input: theirs,
    output: theirs,
    version: '9.9.9',
    open: async (_hello, publisher): Promise<Served> => {
      await open();
      stand.publisher = publisher;
      return {
        folder: '/srv/work',
        handlers,
        answered: async () => null,
        withEntry: (_entry, work) => work(),
        close: async () => {
          stand.closed = true;
        },
      };
    },
    report: (command, failure) => void stand.bugs.push(`${command}: ${failure.message}`),
  });
  sessions.push(session);
  stand.over = session.run();
  return stand;
}

function connect(stand: Stand) {
  const events: { name: string; payload: unknown }[] = [];
  const client = new ServeClient(stand.ours, (name, payload) => void events.push({ name, payload }));
  return { client, events };
}

test('greets, answers with bytes, passes events on, and ends with the window', async () => {
  const bytes = new Uint8Array([0, 1, 255]);
  const stand = serve({
    'sessions.read': async ({ offset }) => ({ offset, endOffset: offset + 3, bytes }),
    'runs.pause': async ({ mode }) => {
      throw new WaymarkError('run_ended', `It ended (${mode}).`);
    },
  });
  const { client, events } = connect(stand);
  expect(await client.hello(hello)).toMatchObject({ folder: '/srv/work', version: '9.9.9' });
  expect(await client.ask('sessions.read', { run, uid: 's', offset: 7, maxBytes: 10 })).toEqual({
    ok: true,
    value: { offset: 7, endOffset: 10, bytes },
  });
  expect(await client.ask('runs.pause', { run, mode: 'now' })).toEqual({
    ok: false,
    error: { code: 'run_ended', message: 'It ended (now).' },
  });
  stand.publisher?.publish('run.changed', { run, seq: 3, steps: 1 });
  await client.ping();
  expect(events).toEqual([{ name: 'run.changed', payload: { run, seq: 3, steps: 1 } }]);
  stand.ours.end();
  expect(await stand.over).toBe('The window closed the link.');
  expect(stand.closed).toBe(true);
});

test('parses as the window does: unknown commands, wrong inputs and bugs are answered, and it lives on', async () => {
  const stand = serve({
    'runs.list': async () => {
      throw new Error('secret path /root');
    },
    'runs.summary': async () => {
      throw new WaymarkError('not_found', 'No such run.');
    },
  });
  const { client } = connect(stand);
  await client.hello(hello);
  const code = async (command: string, input?: unknown) => {
    const answer = await client.ask(command, input);
    return answer.ok ? null : answer.error.code;
  };
  expect(await code('fly.away')).toBe('bad_input');
  expect(await code('__proto__')).toBe('bad_input');
  expect(await code('settings.get')).toBe('unsupported');
  expect(await code('runs.summary', { run: 'short' })).toBe('bad_input');
  expect(await code('runs.summary', undefined)).toBe('bad_input');
  expect(await code('runs.summary', { run })).toBe('not_found');
  expect(await client.ask('runs.list', undefined)).toMatchObject({
    ok: false,
    error: { code: 'bug' },
  });
  expect(stand.bugs).toEqual(['runs.list: secret path /root']);
  await expect(client.ask('runs.summary', { run, more: 'x'.repeat(requestLimit) })).rejects.toMatchObject({
    code: 'bad_input',
  });
  await client.ping();
});

test.each([
  ['garbage', () => Buffer.from('hello, is this a shell?\n')],
  ['an oversized frame', () => Buffer.alloc(8, 0x7f)],
  ['a command before hello', () => encodeFrame({ kind: 'request', id: 1, command: 'runs.list' }, 1e6)],
  ['a hello without a person', () => encodeFrame({ ...hello, author: null }, 1e6)],
])('%s ends the session with a reason and opens no workspace', async (_what, bytes) => {
  let opened = false;
  const stand = serve({}, async () => {
    opened = true;
  });
  const { client } = connect(stand);
  stand.ours.write(bytes());
  expect(await stand.over).not.toBe('');
  expect(await client.closed).toMatch(/protocol|hello/);
  expect(opened).toBe(false);
});

test('garbage after hello ends it too, once what was begun is done', async () => {
  let release: () => void = () => undefined;
  const stand = serve({
    'runs.wake': () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  });
  const { client } = connect(stand);
  await client.hello(hello);
  const waiting = client.ask('runs.wake', { run });
  await client.ping();
  stand.ours.write(Buffer.from('garbage garbage garbage'));
  await expect(waiting).rejects.toThrow(/protocol/);
  expect(stand.closed).toBe(false);
  release();
  expect(await stand.over).toMatch(/protocol/);
  expect(stand.closed).toBe(true);
});

test('another protocol is refused by either side, with both named', async () => {
  const stand = serve();
  const { client } = connect(stand);
  const other = protocolVersion + 6;
  await expect(client.hello({ ...hello, protocol: other })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(new RegExp(`protocol ${other} .*protocol ${protocolVersion} `)),
  });
  await stand.over;

  const [ours, theirs] = streamPair();
  const window = new ServeClient(ours, () => undefined);
  const greeted = window.hello(hello);
  theirs.write(`Welcome to gpu-03!\nwaymark-serve protocol ${other} version 7.0.0\n`);
  await expect(greeted).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining(`protocol ${other} (Waymark 7.0.0)`),
  });
});

test('what a login shell prints first is skipped; a program that is not there is named', async () => {
  const [ours, theirs] = streamPair();
  const client = new ServeClient(ours, () => undefined);
  const greeted = client.hello(hello);
  theirs.write('Last login: today\nbash: waymark: command not found\n');
  theirs.end();
  await expect(greeted).rejects.toThrow(/ended.*It printed: .*command not found/);
});

test('a workspace that cannot be opened is refused with its own reason', async () => {
  const stand = serve({}, async () => {
    throw new WaymarkError('workspace_newer', 'This workspace was made by a newer Waymark.');
  });
  const { client } = connect(stand);
  await expect(client.hello(hello)).rejects.toMatchObject({ code: 'workspace_newer' });
  expect(await stand.over).toContain('newer Waymark');
});

test('a window that takes nothing is not run full: events are joined, and reading stops', async () => {
  let asked = 0;
  const stand = serve({
    'files.text': async () => {
      asked += 1;
      return { kind: 'text' as const, text: 'x'.repeat(200_000), size: 200_000, sha256: null };
    },
  });
  const { client, events } = connect(stand);
  await client.hello(hello);
  stand.ours.pause();
  const answers = Array.from({ length: 300 }, () =>
    client.ask('files.text', { run, computer: 'local', path: '/a', revision: 1 }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  for (let seq = 1; seq <= 5_000; seq += 1) stand.publisher?.publish('run.changed', { run, seq, steps: seq });
  // Whoever asks more than is answered at once waits in the pipe.
  expect(asked).toBeLessThan(150);
  stand.ours.resume();
  expect((await Promise.all(answers)).every(({ ok }) => ok)).toBe(true);
  await client.ping();
  expect(events.length).toBeLessThan(100);
  expect(events.at(-1)).toEqual({ name: 'run.changed', payload: { run, seq: 5_000, steps: 5_000 } });
});
