import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCodes, WaymarkError } from '@shared/contract/errors';
import { type CommandName, commands } from '@shared/contract/ipc';
import { endpointSchema } from '@shared/contract/settings';
import type { BrowserWindow } from 'electron';
import fc from 'fast-check';
import { expect } from 'vitest';
import { Dialogs, dialogWords } from '../app/dialogs';
import { createHandlers } from '../app/handlers';
import { HostReportFile } from '../app/host-report-file';
import { KeyStore } from '../app/key-store';
import type { WindowHosts } from '../app/window-hosts';
import { systemClock } from '../clock';
import type { Handlers } from '../commands/dispatch';
import type { OwnTerminalDesk } from '../commands/own';
import { restoreHandlers } from '../commands/restore';
import { PromptDesk } from '../computer/ssh/login/prompt-desk';
import { ExportJobs } from '../dataset/jobs/export-jobs';
import { exportApart } from '../dataset/jobs/export-thread';
import { FindingsThreads } from '../dataset/jobs/findings-threads';
import { DemoServer } from '../demo/demo';
import { TerminalPump } from '../ipc/terminal-pump';
import { JudgeJobs } from '../judging/judge-jobs';
import { originOf } from '../model/bound-key';
import { RemoteDesk } from '../remote/remote-desk';
import { createEngine } from '../runs/engine';
import { noHosts } from '../runs/start/no-hosts';
import { SettingsFile } from '../settings-file';
import { backupsOf, restoreApart } from '../store/restore/restore-thread';
import { openStoreInProcess } from '../store/threads/in-process';
import { WorkbenchHolder } from '../workbench';
import { resourcesDir } from './agent-host/agent-setup';
import { testAppInfo } from './app-info';
import { noPane } from './no-pane';
import { spoiltValuesOf, type Targets, valuesOf } from './page-values';
import { createRun, RunWriter } from './run-writer';

export const plantedKey = 'sk-planted-key-0123456789abcdef';
const plantedFile = 'planted-file-0123456789abcdef';

const full = process.env.WAYMARK_FULL === '1';
/** Calls of each command, enough that its schema's fields all have their turn. `npm run trust` asks for 10,000 (P11). */
export const calls = Number(process.env.WAYMARK_ATTACK_CALLS ?? (full ? 1_000 : 60));
/**
 * Of these calls so many take any value, and their handlers are reached. What they write stays, and costs the later ones more and
 * more; so the other calls are such that the command's schema should refuse, and one that it takes after all is not counted.
 */
const free = Math.min(calls, 1_000);
/** The same values each time, so that a change and not chance makes a test fail; the full run looks for new ones. */
const chance = { endOnFailure: true, ...(full ? {} : { seed: 11 }) };

export interface Reply {
  ok: boolean;
  value?: unknown;
  error?: { code: string; message: string };
}

/** In the order in which they are tried: what takes away what the others need comes last. */
const last: readonly CommandName[] = ['settings.set', 'settings.setKey', 'settings.lockKeys', 'runs.remove'];
export const inTurn: readonly CommandName[] = [
  ...(Object.keys(commands) as CommandName[]).filter((name) => !last.includes(name)),
  ...last,
];

/** What lies in the folder of the stand. */
const parts: ReadonlySet<string> = new Set(['data', 'outside', 'sessions', 'workspace']);

/** A passphrase costs a third of a second on purpose; the others begin a thread, read all of a run, or take up a driver. */
const slow: ReadonlySet<string> = new Set([
  ...['settings.unlockKeys', 'workspace.backups', 'workspace.restore', 'runs.verify', 'runs.resume'],
]);

/** What starts something of its own whenever it is asked: its refusals are tried, and stories start it. */
const starts: ReadonlySet<string> = new Set(['demo.start']);

/**
 * All that answers a window, real: store, engine, settings, key store and dialogs, which nobody answers with yes. No host
 * and no shell of this machine can be reached. A key and a file are planted; neither may ever be seen in an answer.
 */
export class PageAttackStand {
  readonly bugs: string[] = [];
  /** Commands of which some call was carried out: a command that took nothing was not tried. */
  readonly taken = new Set<CommandName>();

  private constructor(
    readonly folder: string,
    readonly targets: Targets,
    readonly handlers: Handlers,
    /** Requests that reached an address the person never gave a key for. */
    private readonly stolen: readonly string[],
    private readonly before: string,
    private readonly endings: (() => Promise<unknown>)[],
  ) {}

  static async open(workerDir: string): Promise<PageAttackStand> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-page-')));
    const outside = join(folder, 'outside');
    const data = join(folder, 'data');
    const workspace = join(folder, 'workspace');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.txt'), plantedFile);
    const stolen: string[] = [];
    const [own, ownUrl] = await listen(() => undefined);
    const [thief, attacker] = await listen((authorization) => stolen.push(authorization));
    process.env.WAYMARK_PLANTED_KEY = plantedKey;

    const settings = await SettingsFile.open(data);
    const endpoint = { name: 'Planted', baseUrl: ownUrl, model: 'm' };
    await settings.set({
      workspace,
      annotator: { uuid: 'u-1', name: 'Ada' },
      endpoints: [endpointSchema.parse(endpoint)],
    });
    const system = { available: () => false, seal: () => Buffer.alloc(0), open: () => '' };
    const keys = new KeyStore({ folder: data, env: process.env, system, originOf: () => originOf(ownUrl) });
    await keys.set('Planted', plantedKey, originOf(ownUrl));

    const store = openStoreInProcess(workspace, { workerDir });
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    await writer.start();
    for (const name of ['one', 'two', 'three']) await writer.command(`echo ${name}`, `${name} needle`);
    await writer.record([
      { kind: 'run.status', body: { status: 'finished', reason: 'agent_finished', message: 'Done' } },
    ]);
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const hosts = noHosts();
    const engine = createEngine({
      store,
      settings,
      hosts,
      resourcesDir,
      log,
      clock: systemClock,
      appVersion: 'test',
      findKey: (name, variable, origin) => keys.find(name, variable, origin),
      sessionsDir: join(folder, 'sessions'),
      retry: { attempts: 1, patienceMs: 0, firstMs: 1, longestMs: 1 },
    });
    const demo = new DemoServer({ resourcesDir, paceMs: 0 });
    const judging = new JudgeJobs({
      store,
      settings,
      resourcesDir,
      log,
      findKey: (name, variable, origin) => keys.find(name, variable, origin),
      graceMs: 0,
    });
    const bench = { folder: workspace, store, engine, demo, judging, close: () => store.close() };
    const holder = new WorkbenchHolder(async () => bench);
    await holder.open(workspace);
    const prompts = new PromptDesk();
    const about = { alias: 'box', target: 'u@box:22' };
    const key = { keyType: 'ssh-ed25519', sha256: 'SHA256:x', file: '/k' };
    for (const question of [
      { kind: 'password' as const, attempt: 1, ...about },
      { kind: 'unknown_host_key' as const, ...key, ...about },
    ])
      prompts.ask(question, new AbortController().signal).catch(() => undefined);
    const publisher = { publish: () => undefined };
    const pump = new TerminalPump(publisher);
    pump.attach(store.reader);
    const dialogs = new Dialogs(
      () => ({}) as BrowserWindow,
      () => dialogWords.en,
      () => undefined,
    );
    const away = async () => Promise.reject(new Error('No transport is part of this stand.'));
    const remote = new RemoteDesk({
      data,
      version: 'test',
      settings,
      hosts,
      prompts,
      publisher,
      log,
      transport: () => ({ open: away }),
    });
    const terminals = { current: noTerminals, namesOn: async () => [] };
    const restoring = restoreHandlers({
      holder,
      chooseTarget: (damaged) => dialogs.saveFile(damaged, 'restoreTo'),
      list: (damaged) => backupsOf(damaged, { workerDir }),
      restore: (restore) => restoreApart(restore, { workerDir }),
      open: () => Promise.reject(new Error('Nobody chose a folder.')),
    });
    const exports = new ExportJobs({
      run: exportApart(workerDir),
      clock: systemClock,
      tell: () => undefined,
      written: () => undefined,
    });
    const findings = new FindingsThreads(workerDir);
    const handlers = createHandlers({
      holder,
      settings,
      keys,
      dialogs,
      pump,
      publisher,
      remote,
      resourcesDir,
      exports,
      findings: findings.run,
      pane: noPane,
      info: () => testAppInfo,
      hosts: { hosts, prompts } as Partial<WindowHosts> as WindowHosts,
      reports: await HostReportFile.open(join(data, 'host-tests.json'), [], () => undefined),
      terminals: terminals as Partial<OwnTerminalDesk> as OwnTerminalDesk,
      defaultFolder: workspace,
      problem: () => null,
      unreadable: () => [],
      changed: () => undefined,
      showing: () => undefined,
      saveDiagnostics: () => dialogs.saveFile('diagnostics.json'),
      power: () => ({ holdingFor: 0, onBattery: false, lastSleep: null }),
      held: () => [...keys.values()],
    });
    const endings = [
      () => remote.dispose(),
      () => exports.close(),
      () => findings.close(),
      async () => {
        pump.attach(null);
        prompts.dispose();
      },
      () => judging.close(),
      () => engine.shutdown({ mode: 'now' }),
      () => demo.close(),
      () => store.close(),
      () => closed(own),
      () => closed(thief),
    ];
    const before = await treeOf(outside);
    return new PageAttackStand(
      folder,
      { run, outside, attacker },
      { ...handlers, ...restoring },
      stolen,
      before,
      endings,
    );
  }

  /** Calls one command with everything a page might, `calls` times; `send` carries it there, where it is what `arrives` says. */
  async attack(
    name: CommandName,
    send: (name: CommandName, input: unknown) => Promise<Reply>,
    arrives: (input: unknown) => unknown = (input) => input,
  ): Promise<void> {
    const { input: schema } = commands[name];
    const reaching = slow.has(name) ? Math.ceil(free / 20) : free;
    const any = fc.asyncProperty(valuesOf(schema, this.targets), async (input) => {
      if (starts.has(name) && input === undefined) return;
      const reply = await send(name, input);
      if (reply.ok) this.taken.add(name);
      this.judge(name, reply);
    });
    await fc.assert(any, { ...chance, numRuns: reaching });
    if (calls === reaching) return;
    const refused = fc.asyncProperty(spoiltValuesOf(schema, this.targets), async (input) => {
      fc.pre(!schema.safeParse(arrives(input)).success);
      const reply = await send(name, input);
      this.judge(name, reply);
      expect(reply.ok, name).toBe(false);
    });
    await fc.assert(refused, { ...chance, numRuns: calls - reaching, maxSkipsPerRun: 1_000 });
  }

  /** Typed, told from our own process, and without what was planted. */
  judge(name: string, reply: Reply): void {
    expect(this.bugs.splice(0)).toEqual([]);
    expect(reply.ok || errorCodes.includes(reply.error?.code as never), name).toBe(true);
    // What cannot be copied between processes would be a crash of another kind.
    const said = textOf(structuredClone(reply));
    for (const secret of [plantedKey, plantedFile, 'root:x:0:0'])
      expect(said.includes(secret), `${name} told ${secret}`).toBe(false);
  }

  /** Nothing was made, changed or removed where nothing may be, and no key went where it was not meant to go. */
  async nothingElseHappened(): Promise<void> {
    expect(await treeOf(this.targets.outside)).toBe(this.before);
    expect((await readdir(this.folder)).filter((name) => !parts.has(name))).toEqual([]);
    expect(this.stolen.filter((authorization) => authorization.includes(plantedKey))).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  }

  async close(): Promise<void> {
    for (const end of this.endings) await end();
    delete process.env.WAYMARK_PLANTED_KEY;
    await rm(this.folder, { recursive: true, force: true });
  }
}

function noTerminals(): Promise<never> {
  return Promise.reject(new WaymarkError('unsupported', 'Terminals of the person are tried apart.'));
}

/** A server on this machine that refuses, and tells what key it was sent. */
async function listen(heard: (authorization: string) => void): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    heard(request.headers.authorization ?? '');
    request.resume();
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`];
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Everything an answer says, bytes as the characters they would be shown as. */
function textOf(value: unknown): string {
  const said = JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each).toString('latin1') : each,
  );
  return said ?? '';
}

/** Names, kinds and contents of a folder. */
async function treeOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true });
  const lines = entries.sort().map(async (name) => {
    const path = join(folder, name);
    const facts = await lstat(path);
    const content = facts.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
    return `${name} ${facts.mode} ${content}`;
  });
  return (await Promise.all(lines)).join('\n');
}
