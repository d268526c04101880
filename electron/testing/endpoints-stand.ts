import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpointSchema, type Settings, settingsSchema } from '@shared/contract/settings';
import { systemClock } from '../clock';
import { BoundKey } from '../model/bound-key';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { createEngine, type Engine, type StartRun } from '../runs/engine';
import { noHosts } from '../runs/start/no-hosts';
import { SecretScanner } from '../secrets/scanner';
import type { Store } from '../store/api';
import { openStoreInProcess } from '../store/threads/in-process';
import { addTask } from '../task/add';
import { resourcesDir } from './agent-host/agent-setup';
import { errorsInto, plainRun, unisolated } from './engine-stand';
import { RunStand } from './run-stand';
import { writeTaskPackage } from './task-package';

export interface ServedEndpoint extends Partial<Endpoint> {
  policy: ScriptedPolicy;
}

/** The whole engine on a real store and this machine, with several endpoints in the settings, each a server of its own. */
export class EndpointsStand extends RunStand {
  readonly engine: Engine;
  readonly errors: string[] = [];
  /** Keys by endpoint, as the application would find them. */
  readonly keys = new Map<string, string>();
  /** Endpoints whose key is behind a passphrase. */
  readonly locked = new Set<string>();

  private constructor(
    readonly folder: string,
    readonly store: Store,
    readonly models: ReadonlyMap<string, ScriptedModel>,
    readonly settings: Settings,
  ) {
    super();
    this.engine = createEngine({
      store,
      settings: { current: settings },
      findKey: (endpoint, _variable, origin) => {
        const key = this.keys.get(endpoint);
        return key === undefined ? null : new BoundKey(key, origin);
      },
      scanner: new SecretScanner(() => [...this.keys.values()]),
      isKeyLocked: (endpoint) => this.locked.has(endpoint),
      clock: systemClock,
      hosts: noHosts(),
      resourcesDir,
      sessionsDir: join(folder, 'sessions'),
      appVersion: 'test',
      log: errorsInto(this.errors),
      retry: { attempts: 3, patienceMs: 0, firstMs: 1, longestMs: 2 },
    });
  }

  static async open(served: Record<string, ServedEndpoint>): Promise<EndpointsStand> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-endpoints-')));
    const models = new Map<string, ScriptedModel>();
    const endpoints: Endpoint[] = [];
    for (const [name, { policy, ...over }] of Object.entries(served)) {
      const model = await startScriptedModel({ policy });
      models.set(name, model);
      const given = { name, baseUrl: model.baseUrl, model: name.toLowerCase(), ...over };
      endpoints.push(endpointSchema.parse(given));
    }
    const store = openStoreInProcess(join(folder, 'workspace'));
    await addTask(store, await writeTaskPackage(join(folder, 'package')));
    return new EndpointsStand(folder, store, models, settingsSchema.parse({ endpoints }));
  }

  endpoint(name: string): Endpoint {
    const found = this.settings.endpoints.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no endpoint ${name}.`);
    return found;
  }

  start(endpoint: string, over: Partial<StartRun> = {}): Promise<string> {
    return this.engine.startRun({
      ...plainRun,
      endpoint: this.endpoint(endpoint),
      ...unisolated,
      ...over,
    });
  }

  /** Problems that `verify` finds; every prompt is rebuilt. */
  async problems(run: string): Promise<unknown[]> {
    const { runs, workspace } = await this.store.reader.verify([run]);
    return [...workspace, ...runs.flatMap(({ problems }) => problems)];
  }

  async close(): Promise<void> {
    await this.engine.shutdown({ mode: 'now' });
    await this.engine.cleanSessions(new Set());
    await Promise.all([...this.models.values()].map((model) => model.close()));
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
