import { access, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpointSchema, settingsSchema } from '@shared/contract/settings';
import { systemClock } from '../clock';
import type { SessionLimits } from '../computer/sessions/session-host';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { createEngine, type Engine, type StartRun } from '../runs/engine';
import type { EngineOptions } from '../runs/engine-options';
import { hostsOf } from '../runs/sessions/clean-sessions';
import type { Store } from '../store/api';
import { openStoreInProcess } from '../store/threads/in-process';
import { addTask } from '../task/add';
import { resourcesDir } from './agent-host/agent-setup';
import { type AgentHosts, agentHosts } from './agent-hosts';
import { eventually } from './deadline';
import { RunStand } from './run-stand';
import { writeTaskPackage } from './task-package';

export const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };

/** For tests about something else: a sandbox would cost each of them time, and not every machine has one. */
export const unisolated = { isolation: 'none', agreed: 'person' } as const;

/** A run of the small task as nobody has asked for anything of it. */
export const plainRun = {
  task: 'small',
  title: null,
  experiment: null,
  maxSteps: null,
  maxWorkingMs: null,
  humanHints: true,
  author,
  approvals: 'off',
} as const;

/** Keeps what an engine says went wrong. */
export function errorsInto(errors: string[]): EngineOptions['log'] {
  return {
    info: () => undefined,
    error: (message, facts) => void errors.push(`${message} ${JSON.stringify(facts ?? {})}`),
  };
}

export interface EngineStandOptions {
  policy: ScriptedPolicy;
  /** Files of the task package besides those of the small one. */
  files: Record<string, string | null>;
  aliases: readonly string[];
  apart?: readonly string[];
  limits?: SessionLimits;
  /** Absent: this machine's. */
  findIsolation?: EngineOptions['findIsolation'];
  /** See `EngineOptions`. */
  quitGraceMs?: number;
}

/** The whole engine on a real store, with a scripted model and hosts that are child processes of this one. */
export class EngineStand extends RunStand {
  readonly errors: string[] = [];
  engine: Engine;

  private constructor(
    readonly folder: string,
    public store: Store,
    readonly model: ScriptedModel,
    readonly agents: AgentHosts,
    private readonly endpoint: Endpoint,
    /** Hosts the person added. */
    private readonly known: readonly string[],
    private readonly more: Pick<EngineOptions, 'findIsolation' | 'quitGraceMs'>,
  ) {
    super();
    this.engine = this.next();
  }

  /** One on this machine whose model says at once that it has finished. */
  static finishing(): Promise<EngineStand> {
    const policy = () => ({ calls: [{ name: 'finish', arguments: { explanation: 'done' } }] });
    return EngineStand.open({ policy, files: {}, aliases: [] });
  }

  static async open({
    policy,
    files,
    findIsolation,
    quitGraceMs,
    ...hosts
  }: EngineStandOptions): Promise<EngineStand> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-stand-')));
    const model = await startScriptedModel({ policy });
    const store = openStoreInProcess(join(folder, 'workspace'));
    const agents = await agentHosts({ root: join(folder, 'hosts'), ...hosts });
    const endpoint = endpointSchema.parse({
      name: 'Scripted',
      baseUrl: model.baseUrl,
      model: 'scripted',
      parallelCalls: true,
    });
    await addTask(store, await writeTaskPackage(join(folder, 'package'), files));
    const more = { findIsolation, ...(quitGraceMs === undefined ? {} : { quitGraceMs }) };
    return new EngineStand(folder, store, model, agents, endpoint, hosts.aliases, more);
  }

  /** The engine of the application's next start. */
  next(): Engine {
    this.engine = createEngine({
      store: this.store,
      settings: {
        current: settingsSchema.parse({
          endpoints: [this.endpoint],
          computers: this.known.map((alias) => ({ alias, transport: 'ssh2', addedAt: 1 })),
        }),
      },
      findKey: () => null,
      clock: systemClock,
      hosts: this.agents.hosts,
      resourcesDir,
      sessionsDir: join(this.folder, 'sessions'),
      appVersion: 'test',
      ...this.more,
      log: errorsInto(this.errors),
      retry: { attempts: 3, patienceMs: 0, firstMs: 1, longestMs: 2 },
    });
    return this.engine;
  }

  /** The workspace gets another name between two starts of the application. */
  async move(name: string): Promise<Engine> {
    await this.engine.shutdown({ mode: 'now' });
    await this.store.close();
    const to = join(this.folder, name);
    await rename(this.store.folder, to);
    this.store = openStoreInProcess(to);
    return this.next();
  }

  start(
    computers: Record<string, string> = {},
    approvals: 'on' | 'off' = 'off',
    over: Partial<StartRun> = unisolated,
  ): Promise<string> {
    return this.engine.startRun({
      ...plainRun,
      endpoint: this.endpoint,
      approvals,
      computers,
      ...over,
    });
  }

  /** Everything a session printed, as stored here. */
  async printed(run: string, session: string, computer?: string): Promise<string> {
    const { reader } = this.store;
    const found = (await reader.sessions(run)).find(
      (each) => each.session === session && (computer === undefined || each.computer === computer),
    );
    if (found === undefined) throw new Error(`The run has no session ${session}.`);
    const { bytes } = await reader.readSession(run, found.uid, 0, 4_000_000);
    return Buffer.from(bytes).toString();
  }

  /** Hosts are folders of this machine: looked at and touched past the engine. */
  async untilThere(path: string): Promise<void> {
    await eventually(`${path} is there`, () =>
      access(path).then(
        () => true,
        () => false,
      ),
    );
  }

  touchThere(path: string): Promise<void> {
    return writeFile(path, '');
  }

  async close(): Promise<void> {
    const { engine, store } = this;
    await engine.shutdown({ mode: 'now' });
    const runs = await store.reader.runs();
    const hosts = await Promise.all(runs.map(({ id }) => hostsOf(store.reader, id)));
    for (const alias of new Set(hosts.flat().map(({ place }) => place.host ?? ''))) {
      this.agents.restore(alias);
    }
    await engine.cleanSessions(new Set(), hosts.flat());
    await this.agents.dispose();
    await this.model.close();
    await store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
