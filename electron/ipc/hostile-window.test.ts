import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LinkHealth } from '@shared/contract/computers';
import { errorCodes } from '@shared/contract/errors';
import { type CommandName, commands } from '@shared/contract/ipc';
import { ownTerminalCommands } from '@shared/contract/ipc/own-terminal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { computerHandlers } from '../commands/computers';
import { answerCommand, answerFrom, type Handlers, type ReportBug } from '../commands/dispatch';
import { ownTerminalHandlers, ownViewHandlers } from '../commands/own';
import { timelineHandlers } from '../commands/timeline';
import { AgentClient } from '../computer/agent/agent-client';
import type { AgentLink } from '../computer/agent/agent-link';
import { parseHello } from '../computer/agent/hello';
import { SessionResources } from '../computer/agent/session-resources';
import type { Hosts } from '../computer/hosts';
import { resolveHost } from '../computer/ssh/config/resolve-host';
import { PromptDesk } from '../computer/ssh/login/prompt-desk';
import { SshComputer } from '../computer/ssh/ssh-computer';
import { OwnTerminals } from '../own-terminals/own-terminals';
import { SettingsFile } from '../settings-file';
import { openStoreInProcess } from '../store/threads/in-process';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { FakeHelper } from '../testing/agent-host/fake-helper';
import { HostileHelper } from '../testing/agent-host/hostile-helper';
import { streamPair } from '../testing/agent-host/stream-pair';
import { noPane } from '../testing/no-pane';
import { createRun } from '../testing/run-writer';
import { plainHello } from '../testing/scripted-host';
import type { Workbench } from '../workbench';
import { registerCommands } from './register';
import { TerminalPump } from './terminal-pump';

interface Reply {
  ok: boolean;
  error?: { code: string; message: string };
  value?: unknown;
}
type Listener = (event: unknown, name: unknown, input: unknown) => Promise<unknown>;
const registered: { listener?: Listener } = {};
vi.mock('electron', () => ({
  ipcMain: {
    handle: (_channel: string, listener: Listener) => {
      registered.listener = listener;
    },
    removeHandler: () => undefined,
    on: () => undefined,
  },
}));

const full = process.env.WAYMARK_FULL === '1';
const calls = full ? 10_000 : 300;
/** The same values each time, so that a change and not chance makes a test fail; the full run looks for new ones. */
const chance = { numRuns: calls, endOnFailure: true, ...(full ? {} : { seed: 7 }) };
const planted = 'sk-planted-0123456789abcdef';
const page = {};
const bugs: string[] = [];
const sshArguments: string[][] = [];
let folder: string;
let run: string;
let dispose: () => Promise<void>;
/** Asks as the view of own terminals does. */
let sendFromView: (name: unknown, value: unknown) => Promise<Reply>;

const health: LinkHealth = {
  alias: 'box',
  state: 'good',
  lastByteAt: 1,
  roundTripMs: 1,
  since: 0,
  retryAt: null,
  tries: 0,
  message: '',
};

/** A computer on an honest helper in this process: nothing that is typed reaches a shell. */
function fakeComputer(): SshComputer {
  const [near, far] = streamPair();
  const client = new AgentClient(near);
  new FakeHelper(far, new HostileHelper(0, 1).answer);
  const link: AgentLink = {
    host: 'box',
    client: () => client,
    linked: async () => client,
    typed: () => undefined,
    facts: () => parseHello(Object.entries(plainHello).map(([name, value]) => `${name}=${value}`)),
    health: () => health,
  };
  const resources = new SessionResources(resourcesDir);
  return new SshComputer({ name: 'box', alias: 'box', namespace: 'own', link, resources, version: 'test' });
}

const hosts = {
  health: () => health,
  allHealth: () => [health],
  onHealth: () => () => undefined,
  retryNow: () => undefined,
  candidates: async () => ['box'],
  dispose: async () => undefined,
  // All that a window can make ssh do before a person is asked.
  resolve: (alias: string) =>
    resolveHost(alias, {
      configFile: '/dev/null',
      run: async (args) => {
        sshArguments.push([...args]);
        return { code: 0, stdout: 'user u\nhostname h\nport 22\n', stderr: '' };
      },
    }),
  test: async (alias: string, transport: 'ssh2' | 'openssh') => ({
    alias,
    transport,
    at: 1,
    ok: false,
    stages: [],
    facts: null,
    limits: [],
  }),
} as Partial<Hosts> as Hosts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-window-'));
  process.env.WAYMARK_PLANTED_KEY = planted;
  const store = openStoreInProcess(join(folder, 'workspace'));
  run = await createRun(store);
  const bench = { folder: join(folder, 'workspace'), store } as Partial<Workbench> as Workbench;
  const holder = { current: bench, require: () => bench };
  const settings = await SettingsFile.open(folder);
  const prompts = new PromptDesk();
  const about = { alias: 'box', target: 'u@box:22' };
  prompts
    .ask({ kind: 'password', attempt: 1, ...about }, new AbortController().signal)
    .catch(() => undefined);
  const publisher = { publish: () => undefined };
  const computer = fakeComputer();
  const terminals = await OwnTerminals.open({
    folder: join(folder, 'own'),
    computer: (name) => (name === 'box' ? computer : null),
    changed: () => undefined,
    frame: () => undefined,
    failed: (terminal, error) => bugs.push(`${terminal}: ${String(error)}`),
  });
  // Its id is "1", as the fake host says.
  await terminals.open({ computer: 'box', cwd: null, rows: 24, cols: 80 });
  const pump = new TerminalPump(publisher);
  pump.attach(store.reader);
  const reports = { get: () => null, put: async () => undefined, keep: async () => undefined };
  const handlers: Partial<Handlers> = {
    ...computerHandlers({
      hosts,
      settings,
      prompts,
      reports,
      publisher,
      holder,
      trustHostKey: async () => false,
      terminals: { namesOn: async () => [] },
      now: () => 1,
    }),
    ...ownTerminalHandlers({ current: async () => terminals }, holder as never, noPane),
    ...timelineHandlers(holder as never, pump),
  };
  const report: ReportBug = (command, { message, detail }) =>
    bugs.push(`${command}: ${message} ${detail ?? ''}`);
  registerCommands(
    Promise.resolve({
      trusts: (event) => event === page,
      answer: (name, input) => answerCommand(handlers, name, input, report),
      violated: () => undefined,
    }),
  );
  const viewHandlers = ownViewHandlers({ current: async () => terminals });
  sendFromView = async (name, value) =>
    (await answerFrom(ownTerminalCommands, viewHandlers, name, value, report)) as Reply;
  dispose = async () => {
    await terminals.dispose();
    pump.attach(null);
    prompts.dispose();
    await store.close();
  };
});
afterAll(async () => {
  await dispose();
  delete process.env.WAYMARK_PLANTED_KEY;
  await rm(folder, { recursive: true, force: true });
});

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('box', 'ssh2', '1') },
  fc.constantFrom(
    'box',
    'local',
    'a',
    'b',
    'ssh2',
    'openssh',
    'terminal-1',
    'prompt-1',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom(
    '../../../etc/passwd',
    '/etc/passwd',
    '-oProxyCommand=touch /tmp/x',
    'a;id',
    '$(id)',
    'a\0b',
    '',
  ),
  fc.constantFrom(`\${WAYMARK_PLANTED_KEY}`, '%h', 'x'.repeat(100_000), '\u202e', '\ud800'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const number = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(1, 24, 80) },
  fc.constantFrom(
    0,
    1,
    -1,
    2,
    24,
    80,
    500,
    1000,
    1e6,
    2 ** 31,
    2 ** 53,
    1e308,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    0.5,
  ),
  fc.integer(),
);
const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.constant(new Uint8Array(2_000_000)));
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withTypedArray: true,
  withNullPrototype: true,
});
const runs = fc.oneof({ weight: 3, arbitrary: fc.constant('RUN') }, { weight: 1, arbitrary: text });
const answers = fc.oneof(
  fc.constant(null),
  fc.record({ texts: fc.array(text, { maxLength: 20 }) }),
  fc.record({ trust: fc.boolean() }),
);
/** Fields of all commands; each takes its own. */
const nearly = fc.record(
  {
    run: runs,
    uid: text,
    id: text,
    alias: text,
    computer: text,
    transport: text,
    path: text,
    query: text,
    rows: number,
    cols: number,
    offset: number,
    maxBytes: number,
    live: number,
    limit: number,
    step: number,
    x: number,
    y: number,
    width: number,
    height: number,
    from: number,
    to: number,
    direction: number,
    revision: number,
    bytes,
    answer: answers,
    uids: fc.array(text),
    ids: fc.array(text),
    filter: fc.record({ by: text, tool: text, value: text }),
  },
  { requiredKeys: [] },
);
const spoilt = fc.tuple(nearly, text, anything).map(([input, key, value]) => ({ ...input, [key]: value }));
const input = fc.oneof(
  { weight: 6, arbitrary: nearly },
  { weight: 2, arbitrary: spoilt },
  anything,
  fc.constant(undefined),
);

const channels = (Object.keys(commands) as CommandName[]).filter((name) => /^(computers|own)\./.test(name));
/** What this stand has nobody or no view for. */
const needsPerson: ReadonlySet<string> = new Set(['computers.answer', 'own.enter']);
const ofView = Object.keys(ownTerminalCommands).filter((name) => name.startsWith('own.'));

async function send(name: unknown, value: unknown, event: unknown = page) {
  const reply = await registered.listener?.(event, name, value);
  return reply as Reply;
}

/** Hosts and terminals, on stands that reach no shell; every command over the real store is in `page-attack.test.ts`. */
describe('a window that was taken over', () => {
  it.each(channels)('gets typed refusals and nothing else from %s', async (name) => {
    let taken = 0;
    const property = fc.asyncProperty(input, async (value) => {
      const named = typeof value === 'object' && value !== null && 'run' in value && value.run === 'RUN';
      const reply = await send(name, named ? { ...value, run } : value);
      if (reply.ok) taken += 1;
      expect(bugs).toEqual([]);
      // What cannot be copied between processes would be a crash of another kind.
      const said = JSON.stringify(structuredClone(reply)) ?? '';
      expect(said).not.toContain(planted);
      expect(said).not.toContain('root:x:0:0');
      expect(reply.ok || errorCodes.includes(reply.error?.code as never)).toBe(true);
    });
    await fc.assert(property, chance);
    // A command that takes nothing of all this was not tried.
    if (/^(computers|own)\./.test(name) && !needsPerson.has(name)) expect(taken).toBeGreaterThan(0);
    for (const args of sshArguments.splice(0)) {
      const alias = args.at(-1) ?? '';
      expect(args.slice(-2)).toEqual(['--', alias]);
      expect(alias).toMatch(/^[^-\s'"`\\$;&|<>(){}\0][^\s'"`\\$;&|<>(){}\0]*$/);
    }
  }, 300_000);

  it.each(ofView)('has no %s, which is the view of own terminals alone', async (name) => {
    const property = fc.asyncProperty(input, async (value) => {
      expect(await send(name, value)).toMatchObject({ ok: false, error: { code: 'bad_input' } });
    });
    await fc.assert(property, { ...chance, numRuns: 30 });
  });

  it('is told nothing in another frame, and no name but those of the commands is one', async () => {
    for (const name of channels) {
      expect(await send(name, { run }, {})).toMatchObject({ ok: false, error: { code: 'refused' } });
    }
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, anything), async (name) => {
        fc.pre(typeof name !== 'string' || !Object.hasOwn(commands, name));
        expect(await send(name, {})).toMatchObject({ ok: false, error: { code: 'bad_input' } });
      }),
      chance,
    );
  });
});

describe('a view of own terminals that was taken over by what it shows', () => {
  it.each(ofView)('gets typed refusals and nothing else from %s', async (name) => {
    let taken = 0;
    const property = fc.asyncProperty(input, async (value) => {
      const reply = await sendFromView(name, value);
      if (reply.ok) taken += 1;
      expect(bugs).toEqual([]);
      const said = JSON.stringify(structuredClone(reply)) ?? '';
      expect(said).not.toContain(planted);
      expect(reply.ok || errorCodes.includes(reply.error?.code as never)).toBe(true);
    });
    await fc.assert(property, chance);
    expect(taken).toBeGreaterThan(0);
  }, 300_000);

  it.each(Object.keys(commands))('has no %s, which is the window alone', async (name) => {
    expect(await sendFromView(name, { run })).toMatchObject({ ok: false, error: { code: 'bad_input' } });
  });
});
