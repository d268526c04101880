import { AsyncLocalStorage } from 'node:async_hooks';
import { type Failure, type Result, WaymarkError } from '@shared/contract/errors';
import { commands, type WorkspaceCommand } from '@shared/contract/ipc';
import type { Endpoint, Settings } from '@shared/contract/settings';
import { freeBytes } from '../commands/application';
import { datasetReads } from '../commands/dataset';
import type { Handlers } from '../commands/dispatch';
import { redactionHandlers } from '../commands/redaction';
import { relay } from '../commands/relay';
import { taskHandlers } from '../commands/tasks';
import { workspaceHandlers } from '../commands/workspace-handlers';
import type { Hosts } from '../computer/hosts';
import { FindingsThreads } from '../dataset/jobs/findings-threads';
import type { TakenEnvironment } from '../environment/taken-environment';
import type { Publisher } from '../ipc/publish';
import { TerminalPump } from '../ipc/terminal-pump';
import { originOf } from '../model/bound-key';
import type { NamedAddresses } from '../named-addresses';
import { openWorkbench } from '../open-workbench';
import { type EngineLog, environmentKey } from '../runs/engine-options';
import type { Store } from '../store/api';
import { storedWarnings } from '../task/stored-warnings';
import { unsupportedHere } from '../task/support';
import { WorkbenchHolder } from '../workbench';
import { CalmPublisher } from './calm-publisher';
import type { Hello } from './protocol';
import type { Served } from './serve-session';
import { startJudge } from './start-judge';
import { startRunner } from './start-runner';

/** Hands the id that came with a request to the one entry the request writes, wherever that happens. */
class EntryIds {
  private readonly asked = new AsyncLocalStorage<{ id: string | undefined }>();

  during<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.asked.run({ id }, work);
  }

  /** The id of the request under way, once; undefined when it has none or it was taken. */
  take(): string | undefined {
    const asked = this.asked.getStore();
    const id = asked?.id;
    if (asked !== undefined) asked.id = undefined;
    return id;
  }
}

interface ServeWorkspaceOptions {
  folder: string;
  defaultFolder: string;
  settings: { readonly current: Settings };
  /** The application's data folder on this machine. */
  data: string;
  addresses: NamedAddresses;
  hosts: Hosts;
  resourcesDir: string;
  log: EngineLog;
  /** The command line's script: what drives runs and batches of judges is a process of its own. */
  entry: string;
  /** Keys that were given to this process by environment variables. */
  environment: TakenEnvironment;
}

/**
 * Opens the workspace for one window: entries carry that person's name and device. Runs and batches of judges are started and
 * resumed in processes of their own, so that neither the window's link nor its end is felt by any.
 */
export async function serveWorkspace(
  hello: Hello,
  toWindow: Publisher,
  options: ServeWorkspaceOptions,
): Promise<Served> {
  const { folder, defaultFolder, resourcesDir, entry, environment } = options;
  // Whoever logged in here named these in the window's settings; runs are driven by other processes, which must know them too.
  rememberAddresses(hello, options);
  const ids = new EntryIds();
  const settings = {
    get current() {
      return forWindow(options.settings.current, hello);
    },
  };
  const holder: WorkbenchHolder = new WorkbenchHolder(() =>
    openWorkbench(folder, {
      settings,
      data: options.data,
      findKey: environmentKey(environment),
      addresses: options.addresses,
      resourcesDir,
      hosts: options.hosts,
      log: options.log,
      demoPaceMs: 0,
      readOnly: 'from-elsewhere',
      store: { entryId: () => ids.take() },
      driveApart: async (run, agreed) => {
        const { store } = holder.require();
        if (store.isDriven(run)) return;
        const isDriven = (each: string) => store.isDriven(each);
        await (await startRunner(run, { entry, folder, isDriven, keys: environment.taken(), agreed })).taken;
      },
      driveBatchApart: async (batch, apart) =>
        (await startJudge(batch, { entry, folder, keys: environment.taken(), ...apart })).taken,
    }),
  );
  const bench = await holder.open(folder);
  const publisher = new CalmPublisher(toWindow);
  const pump = new TerminalPump(publisher);
  let problem: Failure | null = null;
  const unreadable: Failure[] = [];
  const stop = relay(bench, {
    publisher,
    pump,
    problem: (failure) => {
      problem = failure;
      publisher.publish('workspace.problem', { problem });
    },
    unreadable: (failure) => {
      unreadable.push(failure);
      options.log.error(failure.message);
      publisher.publish('workspace.unreadable', { failure });
    },
    runChanged: () => undefined,
  });
  const findings = new FindingsThreads();
  const author = () => hello.author;
  const handlers: Pick<Handlers, WorkspaceCommand> = {
    ...workspaceHandlers({ holder, author, settings: () => settings.current, pump, resourcesDir }),
    'workspace.status': async () => ({
      folder,
      defaultFolder,
      freeBytes: await freeBytes(folder),
      problem,
      unreadable,
      isReadOnly: bench.store.isReadOnly,
    }),
    'tasks.list': taskHandlers({
      holder,
      unsupported: unsupportedHere,
      warnings: storedWarnings(() => bench.store),
      add: needsDialog,
      catalogue: needsDialog,
      create: needsDialog,
    })['tasks.list'],
    ...datasetReads(holder, publisher, author),
    ...redactionHandlers({
      holder,
      settings: () => settings.current,
      held: () => Object.values(environment.taken()),
      find: findings.run,
    }),
  };
  return {
    folder,
    handlers: onlyWorkspace(handlers),
    answered: (id, command) => answered(bench.store, id, command),
    withEntry: (id, work) => ids.during(id, work),
    close: async () => {
      stop();
      publisher.stop();
      await findings.close();
      await holder.close();
    },
  };
}

/** A disk that takes none of them keeps nobody from looking; a run that would ask one pauses and says so. */
function rememberAddresses({ endpoints }: Hello, { addresses, log }: ServeWorkspaceOptions): void {
  try {
    for (const endpoint of endpoints) {
      if (originOf(endpoint.baseUrl) !== '') addresses.remember(endpoint);
    }
  } catch (error) {
    log.error('Addresses of models could not be remembered here', { error: String(error) });
  }
}

/** The server's settings for one window: its device, and the endpoints it knows beside those known here. */
function forWindow(settings: Settings, hello: Hello): Settings {
  const known = new Set(settings.endpoints.map(({ name }: Endpoint) => name));
  const more = hello.endpoints.filter(({ name }) => !known.has(name));
  return {
    ...settings,
    annotator: hello.author,
    device: hello.device,
    endpoints: [...settings.endpoints, ...more],
  };
}

function needsDialog(): Promise<never> {
  return Promise.reject(new WaymarkError('unsupported', 'A server shows no dialogs.'));
}

/** Groups hold commands of the window too; those are not answered here. */
function onlyWorkspace(handlers: Partial<Handlers>): Partial<Handlers> {
  return Object.fromEntries(
    Object.entries(handlers).filter(
      ([name]) => commands[name as keyof typeof commands].place === 'workspace',
    ),
  );
}

/** A write that came a second time is answered from what is stored. */
async function answered(store: Store, id: string, command: string): Promise<Result<unknown> | null> {
  const stored = await store.reader.entry(id);
  if (stored === null) return null;
  if ('annotation' in stored) return { ok: true, value: stored.annotation };
  const { run, body } = stored.outbox;
  if (command !== 'hints.queue' || body.op !== 'hint.queued') return { ok: true, value: undefined };
  const { hints } = await store.reader.hints(run);
  return { ok: true, value: hints.find(({ id: hint }) => hint === body.hint) };
}
