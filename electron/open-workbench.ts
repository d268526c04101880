import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Settings } from '@shared/contract/settings';
import { version } from '../package.json';
import { systemClock } from './clock';
import type { Hosts } from './computer/hosts';
import { DemoServer, demoEndpointName } from './demo/demo';
import { JudgeJobs, type JudgeJobsOptions } from './judging/judge-jobs';
import { createEngine } from './runs/engine';
import type { EngineLog, EngineOptions } from './runs/engine-options';
import { noHosts } from './runs/start/no-hosts';
import { lacksRoom } from './store/file/disk-guard';
import { ballastBytes, type OpenStoreOptions, openStore } from './store/threads/client';
import type { Workbench } from './workbench';

export interface OpenOptions {
  settings: { readonly current: Settings };
  /** The application's data folder. */
  data: string;
  findKey: EngineOptions['findKey'];
  addresses?: EngineOptions['addresses'];
  scanner?: EngineOptions['scanner'];
  /** Absent: no key is behind a passphrase. */
  isKeyLocked?: ((endpoint: string) => boolean) | undefined;
  resourcesDir: string;
  /** Computers over SSH; whoever made them disposes them. Absent: this process reaches none. */
  hosts?: Hosts | undefined;
  log: EngineLog;
  store?: Pick<OpenStoreOptions, 'entryId' | 'threads'>;
  /** As in `OpenStoreOptions`. */
  readOnly?: OpenStoreOptions['readOnly'];
  /** Where the folder takes nothing it is opened all the same, for reading alone, and this hears why. */
  orStill?: ((why: WaymarkError) => void) | undefined;
  /** On a full disk nothing is given up for who only looks. */
  onlyReads?: boolean | undefined;
  /** For one bounded look: the store stays in this thread, because starting its three takes longer than the look. */
  brief?: boolean | undefined;
  /** As in `EngineOptions`. */
  driveApart?: EngineOptions['driveApart'];
  /** As `driveApart` in `JudgeJobsOptions`. */
  driveBatchApart?: JudgeJobsOptions['driveApart'];
  /** Delay between two pieces of the demo model's answers, ms; 0 = none. */
  demoPaceMs: number;
}

/**
 * Opens a workspace: store, engine, and the demo's model when somebody asks for it. Used by window and command
 * line alike. @throws WaymarkError workspace_newer, workspace_corrupt, workspace_network_fs, disk_full, read_only
 */
export async function openWorkbench(folder: string, options: OpenOptions): Promise<Workbench> {
  const {
    settings,
    findKey,
    addresses,
    scanner,
    isKeyLocked,
    resourcesDir,
    log,
    demoPaceMs,
    hosts = noHosts(),
    readOnly,
  } = options;
  const { device } = settings.current;
  const said = (what: string) => (thrown: unknown) =>
    log.error(what, { error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) });
  const listenerFailed = said('A listener of the store threw');
  const lateRefusal = said('A thread of the store that had waited could not open the workspace');
  const open = async () => {
    if (options.onlyReads !== true && lacksRoom(folder)) await makeRoomIn(folder, options);
    return options.brief === true
      ? (await import('./store/threads/in-process')).openStoreInProcess(folder, {
          device,
          data: options.data,
          ballastBytes,
          readOnly,
        })
      : openStore(folder, {
          device,
          data: options.data,
          listenerFailed,
          lateRefusal,
          readOnly,
          ...options.store,
        });
  };
  const store = await open().catch(async (thrown: unknown) => {
    if (options.orStill === undefined || !takesNothing(thrown)) throw thrown;
    const still = (await import('./store/file/still-store')).openStillStore(folder);
    options.orStill(thrown);
    return still;
  });
  const demo = new DemoServer({ resourcesDir, paceMs: demoPaceMs });
  const engine = createEngine({
    store,
    settings,
    findKey,
    addresses,
    scanner,
    isKeyLocked,
    baseUrlOf: async (endpoint) => (endpoint === demoEndpointName ? (await demo.serve()).baseUrl : null),
    clock: systemClock,
    hosts,
    resourcesDir,
    sessionsDir: join(folder, 'spools'),
    appVersion: version,
    log,
    driveApart: options.driveApart,
  });
  const judging = new JudgeJobs({
    store,
    settings,
    findKey,
    addresses,
    isKeyLocked,
    resourcesDir,
    log,
    driveApart: options.driveBatchApart,
  });
  return {
    folder,
    store,
    engine,
    demo,
    judging,
    close: async () => {
      await judging.close();
      await engine.shutdown({ mode: 'pause' });
      await demo.close();
      await store.close();
    },
  };
}

/** Not in a copy that is only read until a person trusts it. */
async function makeRoomIn(folder: string, { readOnly, settings, data }: OpenOptions): Promise<void> {
  const { makeRoom } = await import('./store/file/make-room');
  const { isFromElsewhere } = await import('./store/file/workspace-file');
  const only =
    readOnly === 'from-elsewhere'
      ? isFromElsewhere(folder, { device: settings.current.device, data })
      : readOnly;
  if (only !== true) makeRoom(folder, ballastBytes);
}

function takesNothing(thrown: unknown): thrown is WaymarkError {
  return thrown instanceof WaymarkError && (thrown.code === 'read_only' || thrown.code === 'disk_full');
}
