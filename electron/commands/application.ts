import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Failure, toFailure } from '@shared/contract/errors';
import type {
  AppInfo,
  applicationCommands,
  plotCommands,
  WorkspaceStatus,
} from '@shared/contract/ipc/application';
import type { restoreCommands } from '@shared/contract/ipc/restore';
import { type Endpoint, namedEndpoint } from '@shared/contract/settings';
import { writeOutput } from '../files/output-file';
import { originOf } from '../model/bound-key';
import type { SettingsFile } from '../settings-file';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';
import type { KeyKeeper } from './keeping';
import { type RestoreHandlerOptions, restoreHandlers } from './restore';

type ApplicationHandlers = HandlersOf<typeof applicationCommands & typeof restoreCommands>;

export interface ApplicationOptions {
  info(): AppInfo;
  holder: WorkbenchHolder;
  settings: SettingsFile;
  keys: Pick<KeyKeeper, 'set'>;
  /** Asks where a key would go to another address. @throws WaymarkError */
  endpointChanges: { allow(next: readonly Endpoint[]): Promise<void> };
  defaultFolder: string;
  /** Shows the system's folder dialog; null = cancelled. */
  chooseFolder(): Promise<string | null>;
  /** Asks whether a workspace from elsewhere may be worked in. */
  mayTrust(folder: string): Promise<boolean>;
  /** Asks before a link leaves the application, showing the whole address. */
  openExternal(url: string): Promise<void>;
  saveDiagnostics(): Promise<string | null>;
  /** The last problem the store reported, null when all is well. */
  problem(): Failure | null;
  /** Of runs of which something cannot be read. */
  unreadable(): Failure[];
  changed(status: WorkspaceStatus): void;
  restoring: Pick<RestoreHandlerOptions, 'chooseTarget' | 'list' | 'restore'>;
}

/** Application, settings and workspace. No secret ever goes back to the window. */
export function applicationHandlers(options: ApplicationOptions): ApplicationHandlers {
  const status = async (problem: Failure | null = options.problem()): Promise<WorkspaceStatus> => {
    const store = options.holder.current?.store;
    const folder = store?.folder ?? null;
    return {
      folder,
      defaultFolder: options.defaultFolder,
      freeBytes: await freeBytes(folder ?? options.defaultFolder),
      problem,
      unreadable: options.unreadable(),
      isReadOnly: store?.isReadOnly ?? false,
    };
  };
  const open = async (folder: string): Promise<WorkspaceStatus> => {
    try {
      await options.holder.open(folder);
    } catch (thrown) {
      // The status carries the reason: the window stays usable and offers another folder.
      const failure = toFailure(thrown);
      if (failure.code === 'bug') throw thrown;
      return status(failure);
    }
    const recent = [folder, ...options.settings.current.recentWorkspaces.filter((other) => other !== folder)];
    await options.settings.set({ workspace: folder, recentWorkspaces: recent.slice(0, 10) });
    const now = await status();
    options.changed(now);
    return now;
  };
  return {
    'app.info': async () => options.info(),
    'app.openExternal': ({ url }) => options.openExternal(url),
    'app.saveDiagnostics': async () => ({ path: await options.saveDiagnostics() }),
    'settings.get': async () => options.settings.current,
    'settings.set': async (change) => {
      // Identities are the installation's; a window can rename the annotator but not become another one.
      // Computers have commands of their own, with their refusals.
      const { device: _device, workspace: _workspace, computers: _computers, annotator, ...rest } = change;
      const own = options.settings.current.annotator;
      if (rest.endpoints !== undefined) await options.endpointChanges.allow(rest.endpoints);
      const renamed = annotator ? { annotator: { uuid: own.uuid, name: annotator.name.trim() } } : {};
      return options.settings.set({ ...withoutUndefined(rest), ...renamed });
    },
    'settings.setKey': async ({ endpoint, key, baseUrl }) => {
      const address = baseUrl ?? namedEndpoint(options.settings.current, endpoint).baseUrl;
      return { kept: await options.keys.set(endpoint, key, originOf(address)) };
    },
    'workspace.status': async () => {
      // A window that asks while the workspace is being opened at start would take it for a first use.
      await options.holder.settled();
      return status();
    },
    'workspace.choose': async () => {
      const folder = await options.chooseFolder();
      return folder === null ? null : open(folder);
    },
    ...restoreHandlers({ ...options.restoring, holder: options.holder, open }),
    'workspace.openDefault': () => open(options.settings.current.workspace ?? options.defaultFolder),
    'workspace.trust': async () => {
      const { folder } = options.holder.require();
      if (!(await options.mayTrust(folder))) return null;
      await options.holder.trust(folder);
      const now = await status();
      options.changed(now);
      return now;
    },
  };
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<
    Defined<T>
  >;
}

/** Free space at the nearest existing parent of `folder`; null when the system does not say. */
export async function freeBytes(folder: string): Promise<number | null> {
  try {
    const facts = await statfs(folder);
    return facts.bavail * facts.bsize;
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== folder) return freeBytes(parent);
    return null;
  }
}

interface PlotHandlerOptions {
  /** Asks where to; null = cancelled. */
  chooseFile(name: string): Promise<string | null>;
}

/** A plot as a file, where the person says. */
export function plotHandlers({ chooseFile }: PlotHandlerOptions): HandlersOf<typeof plotCommands> {
  return {
    'plots.save': async ({ name, format, content }) => {
      const path = await chooseFile(`${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-')}.${format}`);
      if (path === null) return null;
      await writeOutput(path, format === 'png' ? Buffer.from(content, 'base64') : content);
      return { path };
    },
  };
}
