import { dirname } from 'node:path';
import type { Failure } from '@shared/contract/errors';
import type { AppInfo, PowerState, WorkspaceStatus } from '@shared/contract/ipc/application';
import { namedEndpoint } from '@shared/contract/settings';
import { dataFolder } from '../application-folders';
import { applicationHandlers, plotHandlers } from '../commands/application';
import { computerHandlers, type HostReports } from '../commands/computers';
import { datasetHandlers } from '../commands/dataset';
import type { Handlers } from '../commands/dispatch';
import { importHandlers } from '../commands/imports';
import { keepingHandlers } from '../commands/keeping';
import { mergeHandlers } from '../commands/merge';
import { type OwnPane, type OwnTerminalDesk, ownTerminalHandlers } from '../commands/own';
import { redactionHandlers } from '../commands/redaction';
import { remoteHandlers } from '../commands/remote';
import { taskHandlers } from '../commands/tasks';
import { tokenHandlers } from '../commands/tokens';
import { workspaceHandlers } from '../commands/workspace-handlers';
import { readApart } from '../dataset/importers/import-thread';
import type { ExportJobs } from '../dataset/jobs/export-jobs';
import type { FindingsRunner } from '../dataset/jobs/export-runner';
import { RememberedTokenizer } from '../dataset/tokens/remembered-tokenizer';
import { TokenThread } from '../dataset/tokens/token-thread';
import type { Publisher } from '../ipc/publish';
import type { TerminalPump } from '../ipc/terminal-pump';
import { originOf } from '../model/bound-key';
import { testModel } from '../model/test-model';
import type { RemoteDesk } from '../remote/remote-desk';
import type { SettingsFile } from '../settings-file';
import { backupsOf, restoreApart } from '../store/restore/restore-thread';
import { addTask } from '../task/add';
import { catalogueRows, createFromCatalogue } from '../task/catalogue';
import { storedWarnings } from '../task/stored-warnings';
import { unsupportedHere } from '../task/support';
import type { WorkbenchHolder } from '../workbench';
import type { Dialogs } from './dialogs';
import { EndpointChanges } from './endpoint-changes';
import type { KeyStore } from './key-store';
import { PickedFolders } from './picked-folders';
import type { WindowHosts } from './window-hosts';

/** A model that has not said anything by then does not work, ms. */
const testDeadlineMs = 60_000;

export interface HandlerInput {
  info(): AppInfo;
  holder: WorkbenchHolder;
  settings: SettingsFile;
  keys: KeyStore;
  dialogs: Dialogs;
  pump: TerminalPump;
  publisher: Publisher;
  exports: ExportJobs;
  findings: FindingsRunner;
  hosts: WindowHosts;
  reports: HostReports;
  terminals: OwnTerminalDesk;
  pane: OwnPane;
  remote: RemoteDesk;
  resourcesDir: string;
  defaultFolder: string;
  problem(): Failure | null;
  unreadable(): Failure[];
  changed(status: WorkspaceStatus): void;
  saveDiagnostics(): Promise<string | null>;
  power(): PowerState;
  /** Every secret the application holds now, for looking whether an export holds it. */
  held(): readonly string[];
  /** The window shows this run. */
  showing(run: string | null): void;
}

/** Every command of the contract, put together from its groups. */
export function createHandlers(input: HandlerInput): Handlers {
  const { holder, settings, keys, dialogs, resourcesDir } = input;
  const picked = new PickedFolders({
    choose: (write) => dialogs.folder(write ? 'showToChange' : 'showToRead'),
    places: () => ({
      data: dataFolder(process.env, process.platform),
      workspace: holder.require().store.folder,
    }),
  });
  const tokens = new TokenThread();
  const remembered = new RememberedTokenizer(dirname(settings.path));
  return {
    ...applicationHandlers({
      ...input,
      endpointChanges: new EndpointChanges({
        current: () => settings.current.endpoints,
        keys,
        confirm: (move) => dialogs.confirmKeyMove(move),
      }),
      chooseFolder: () => dialogs.folder('openWorkspace'),
      mayTrust: (folder) => dialogs.confirmTrust(folder),
      openExternal: (url) => dialogs.openExternal(url),
      restoring: {
        chooseTarget: (damaged) => dialogs.saveFile(`${damaged}-restored`, 'restoreTo'),
        list: (folder) => backupsOf(folder),
        restore: (restore) =>
          restoreApart({ ...restore, device: settings.current.device, data: dirname(settings.path) }),
      },
    }),
    ...taskHandlers({
      holder,
      add: async () => {
        const folder = await dialogs.folder('addTask');
        return folder === null ? null : addTask(holder.require().store, folder);
      },
      catalogue: () => catalogueRows(resourcesDir),
      create: async (key) => {
        const parent = await dialogs.folder('createTaskIn');
        return parent === null ? null : { folder: await createFromCatalogue(resourcesDir, key, parent) };
      },
      unsupported: unsupportedHere,
      warnings: storedWarnings(() => holder.require().store),
    }),
    ...workspaceHandlers({
      holder,
      author: () => settings.current.annotator,
      settings: () => settings.current,
      pump: input.pump,
      resourcesDir,
      shownFolder: (id) => picked.named(id),
    }),
    'runs.pickFolder': ({ write }) => picked.pick(write),
    ...computerHandlers({
      hosts: input.hosts.hosts,
      prompts: input.hosts.prompts,
      trustHostKey: (prompt) => dialogs.trustHostKey(prompt),
      reports: input.reports,
      publisher: input.publisher,
      settings,
      holder,
      terminals: input.terminals,
      now: Date.now,
    }),
    ...ownTerminalHandlers(input.terminals, holder, input.pane),
    ...remoteHandlers(input.remote, (place) => dialogs.openRemote(place)),
    ...keepingHandlers({ keys, endpoints: () => settings.current.endpoints, power: input.power }),
    ...plotHandlers({ chooseFile: (name) => dialogs.saveFile(name, 'savePlot') }),
    ...importHandlers({
      holder,
      author: () => settings.current.annotator,
      publisher: input.publisher,
      read: readApart(),
      choose: (what) => dialogs.source('importRun', what),
    }),
    ...mergeHandlers({
      holder,
      chooseSource: (from) => dialogs.source('mergeLabels', from),
      chooseFile: () => dialogs.saveFile('labels.jsonl', 'exportLabels'),
    }),
    ...tokenHandlers({
      holder,
      author: () => settings.current.annotator,
      thread: tokens,
      remembered,
      choose: () => dialogs.folder('chooseTokenizer'),
    }),
    ...datasetHandlers({
      holder,
      jobs: input.exports,
      publisher: input.publisher,
      author: () => settings.current.annotator,
      chooseTarget: () => dialogs.folder('exportTo'),
      templateWants: async () => {
        const folder = await remembered.folder();
        if (folder === null) return undefined;
        return (await tokens.tokenizer(folder)).argumentsForm === 'object' ? 'object' : 'string';
      },
      showFile: (path) => dialogs.showFile(path),
    }),
    ...redactionHandlers({
      holder,
      settings: () => settings.current,
      held: input.held,
      find: input.findings,
    }),
    'attention.showing': async ({ run }) => input.showing(run),
    // By name only: a window has no way to send anything to an address that is not in the settings.
    'model.test': async ({ endpoint: name }) => {
      const endpoint = namedEndpoint(settings.current, name);
      const key = keys.find(name, endpoint.keyEnv, originOf(endpoint.baseUrl));
      return testModel({ ...endpoint, key }, AbortSignal.timeout(testDeadlineMs));
    },
  };
}
