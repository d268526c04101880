import { join } from 'node:path';
import type { HostResolution } from '@shared/contract/computers';
import { commands, type EventName, type EventPayloads } from '@shared/contract/ipc';
import { settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { answerCommand, type Handlers } from '../commands/dispatch';
import { ConnectFailure, type HostTransport } from '../computer/ssh/transport';
import { ServeSession } from '../serve/serve-session';
import { streamPair } from '../testing/agent-host/stream-pair';
import { eventually } from '../testing/deadline';
import { ScriptedPerson } from '../testing/ssh/prompts';
import { temporaryFolder } from '../testing/store-fixtures';
import { RemoteDesk } from './remote-desk';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const place = { alias: 'box', folder: '/srv/work', command: 'waymark' };
const space = (folder: string) => ({
  folder,
  defaultFolder: '/d',
  freeBytes: 1,
  problem: null,
  unreadable: [],
  isReadOnly: false,
});

/** What the server answers as it should; everything else with a text. */
const there: Record<string, unknown> = {
  'workspace.status': space('/srv/work'),
  'runs.list': [],
  'labels.undo': null,
};

/** A host whose `waymark serve` answers within this process. */
class TestHost implements HostTransport {
  readonly asked: string[] = [];
  readonly commands: string[] = [];

  open: HostTransport['open'] = async (command) => {
    this.commands.push(command);
    const [stream, theirs] = streamPair();
    const handlers = Object.fromEntries(
      Object.keys(commands).map((name) => [
        name,
        async () => {
          this.asked.push(name);
          return Object.hasOwn(there, name) ? there[name] : `${name} there`;
        },
      ]),
    ) as unknown as Handlers;
    const session = new ServeSession({
      input: theirs,
      output: theirs,
      version: '2.0.0',
      open: async () => ({
        folder: '/srv/work',
        handlers,
        answered: async () => null,
        withEntry: (_entry, work) => work(),
        close: async () => undefined,
      }),
      report: () => undefined,
    });
    const closed = session.run().then((reason) => ({ reason }));
    return { stream, closed, close: () => void stream.end() };
  };
}

function stand(transport: HostTransport = new TestHost()) {
  const events: { name: EventName; payload: EventPayloads[EventName] }[] = [];
  const desk = new RemoteDesk({
    data: join(temporaryFolder(), 'data'),
    version: 'test',
    prompts: new ScriptedPerson(),
    settings: { current: settingsSchema.parse({ annotator: { uuid: 'u', name: 'Ada' }, device: 'd' }) },
    // The one fact that is looked at.
    hosts: { resolve: async () => ({ needsOpenSsh: [] }) as unknown as HostResolution },
    transport: () => transport,
    publisher: { publish: (name, payload) => void events.push({ name, payload }) },
    log: { error: (message, facts) => expect.fail(`${message} ${JSON.stringify(facts)}`) },
  });
  onTestFinished(() => desk.dispose());
  let chosen: unknown = null;
  const local = desk.route(
    Object.fromEntries(
      Object.keys(commands).map((name) => [
        name,
        async () => {
          if (name === 'workspace.choose') return chosen;
          return name === 'workspace.status' ? space('/here') : `${name} here`;
        },
      ]),
    ) as unknown as Handlers,
  );
  const ask = async (name: string, input?: unknown) => {
    const answer = await answerCommand(local, name, input, () => undefined);
    return answer.ok ? answer.value : answer.error;
  };
  return { desk, events, ask, choose: (folder: unknown) => (chosen = folder) };
}

test('commands of the workspace go to the server while it is shown, all others stay', async () => {
  const host = new TestHost();
  const { desk, ask } = stand(host);
  expect(await ask('runs.list')).toBe('runs.list here');
  expect(await ask('tasks.add')).toBe('tasks.add here');
  await desk.open({ ...place, folder: "/srv/o'hara" });
  expect(host.commands).toEqual([`waymark serve --stdio --workspace '/srv/o'\\''hara'`]);
  expect(await ask('runs.list')).toEqual([]);
  expect(await ask('labels.undo', { run })).toBeNull();
  // What is no answer is named, and the next one is taken again.
  expect(await ask('tasks.list')).toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('The answer of box to tasks.list was not understood'),
  });
  expect(await ask('runs.list')).toEqual([]);
  expect(await ask('runs.summary', { run: 'x' })).toMatchObject({ code: 'bad_input' });
  expect(await ask('settings.get')).toBe('settings.get here');
  expect(await ask('own.list')).toBe('own.list here');
  expect(await ask('tasks.add')).toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('task add'),
  });
  expect(await ask('workspace.status')).toMatchObject({ folder: 'box:/srv/work' });
  const strangers = host.asked.filter(
    (name) => commands[name as keyof typeof commands].place !== 'workspace',
  );
  expect(strangers).toEqual([]);
});

test("this machine's workspace is not heard while another is shown, and is back when that is closed", async () => {
  const { desk, events, ask, choose } = stand();
  await desk.open(place);
  expect(
    ['run.changed', 'live.session', 'settings.changed', 'own.changed'].map((name) =>
      desk.letsPass(name as EventName),
    ),
  ).toEqual([false, false, true, true]);
  const told = (name: EventName) =>
    events.filter((event) => event.name === name).map(({ payload }) => payload);
  expect(told('workspace.changed')).toEqual([expect.objectContaining({ folder: 'box:/srv/work' })]);
  // A cancelled dialog changes nothing.
  expect(await ask('workspace.choose')).toBeNull();
  expect(desk.status()).toMatchObject({ alias: 'box', state: 'up', version: '2.0.0' });
  choose(space('/here'));
  await ask('workspace.choose');
  expect(desk.status()).toBeNull();
  expect(told('remote.changed').at(-1)).toEqual({ status: null });
  expect(told('workspace.changed').at(-1)).toMatchObject({ folder: '/here' });
  expect(await ask('runs.list')).toBe('runs.list here');
  await desk.reopen();
  expect(desk.status()).toBeNull();
});

test('a connection that does not come about can be called off, and a host that is away is waited for', async () => {
  const silent: HostTransport = {
    open: (_command, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const { desk } = stand(silent);
  const opening = desk.open(place);
  await eventually('it connects', () => desk.status()?.state === 'connecting');
  await Promise.all([expect(opening).rejects.toMatchObject({ code: 'cancelled' }), desk.close()]);
  expect(desk.status()).toBeNull();

  let there = false;
  const host = new TestHost();
  const flaky: HostTransport = {
    open: (command, options) => {
      if (there) return host.open(command, options);
      return Promise.reject(new ConnectFailure('tcp', 'tcp', 'Nobody answers.'));
    },
  };
  const away = stand(flaky);
  expect(await away.desk.open(place)).toMatchObject({ state: 'down' });
  expect(await away.ask('runs.list')).toMatchObject({ code: 'computer_unavailable' });
  expect(await away.ask('hints.queue', { run, text: 'Later.', category: 'other' })).toMatchObject({
    state: 'queued',
    text: 'Later.',
  });
  there = true;
  expect(await away.ask('computers.retryNow', { alias: 'box' })).toBe('computers.retryNow here');
  await eventually('it was delivered', () => {
    const status = away.desk.status();
    return status?.state === 'up' && status.waiting === 0;
  });
  expect(host.asked).toContain('hints.queue');

  const refusing: HostTransport = {
    open: () => Promise.reject(new ConnectFailure('auth', 'auth', 'The password was wrong.')),
  };
  const refused = stand(refusing);
  await expect(refused.desk.open(place)).rejects.toThrow('The password was wrong.');
  expect(refused.desk.status()).toBeNull();
});
