import { commands } from '@shared/contract/ipc';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Handlers } from '../commands/dispatch';
import { ServeClient } from '../remote/serve-client';
import { streamPair } from '../testing/agent-host/stream-pair';
import { calls, inTurn, PageAttackStand, type Reply } from '../testing/page-attack-stand';
import { protocolVersion } from './protocol';
import { ServeSession } from './serve-session';

vi.mock('electron', () => ({ dialog: {}, shell: {} }));

let stand: PageAttackStand;
let client: ServeClient;
let session: ServeSession;
let over: Promise<string>;

beforeAll(async () => {
  stand = await PageAttackStand.open(inject('storeWorkers'));
  const [ours, theirs] = streamPair();
  const handlers: Partial<Handlers> = Object.fromEntries(
    Object.entries(stand.handlers).filter(
      ([name]) => commands[name as keyof typeof commands].place === 'workspace',
    ),
  );
  session = new ServeSession({
    input: theirs,
    output: theirs,
    version: 'test',
    open: async () => ({
      folder: '/srv',
      handlers,
      answered: async () => null,
      withEntry: (_entry, work) => work(),
      close: async () => undefined,
    }),
    report: (command, { message, detail }) => stand.bugs.push(`${command}: ${message} ${detail ?? ''}`),
  });
  over = session.run();
  client = new ServeClient(ours, () => undefined);
  const author = { uuid: 'u-1', name: 'Mallory' };
  await client.hello({
    kind: 'hello',
    protocol: protocolVersion,
    version: 'test',
    author,
    device: 'd',
    endpoints: [],
  });
});
afterAll(async () => {
  session.end('The test is over.');
  await over;
  await stand.close();
});

/** What a frame can carry of a value. */
function carried(input: unknown): unknown {
  const text = JSON.stringify(input, (_key, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each,
  );
  return text === undefined ? undefined : JSON.parse(text);
}

async function send(name: string, input: unknown): Promise<Reply> {
  return (await client.ask(name as never, carried(input) as never)) as Reply;
}

describe('a window that was taken over, at the other end of `serve` (P11)', () => {
  it.each(inTurn)(`${calls} calls of %s get typed answers and nothing that was planted`, async (name) => {
    await stand.attack(name, send, carried);
    if (commands[name].place !== 'workspace')
      expect(await send(name, undefined)).toMatchObject({ ok: false });
  }, 600_000);

  it('made, changed and removed nothing outside, and sent no key elsewhere', async () => {
    expect([...stand.taken].filter((name) => commands[name].place !== 'workspace')).toEqual([]);
    expect(stand.taken.size).toBeGreaterThan(55);
    await stand.nothingElseHappened();
  });
});
