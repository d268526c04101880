import { WaymarkError } from '@shared/contract/errors';
import { BlobStore } from '../file/blob-store';
import { storeFailure } from '../file/database';
import { releaseBallast } from '../file/disk-guard';
import type { ReadOnly } from '../file/read-only';
import { Statements } from '../file/rows';
import { devicesOf, isFromElsewhere, openForWriting, rememberWorkspace } from '../file/workspace-file';
import { quarantine } from '../log/unreadable-run';
import { rebuildOutdated } from '../projections/projection-upgrade';
import { WriterCore, type WriterOptions } from './writer-core';

const NOBODY = { device: 'read-only', earlier: [] };

interface WriterPartOptions extends Omit<WriterOptions, 'device' | 'earlierDevices' | 'readOnly'> {
  device?: string;
  /** The application's data folder: it keeps which workspaces were worked in. */
  data?: string | undefined;
  readOnly?: ReadOnly | undefined;
}

/** Opens the writing connection and starts its core. `device` names the installation; by default this machine. */
export function openWriterPart(options: WriterPartOptions): WriterCore {
  try {
    return openPart(options);
  } catch (thrown) {
    const isFull = thrown instanceof WaymarkError && thrown.code === 'disk_full';
    const ballastReleased = isFull ? releaseBallast(options.folder) : 0;
    if (ballastReleased === 0) throw thrown;
    // Whoever frees the disk has to look into the workspace and remove from it: the ballast is kept for this.
    return openPart(options, ballastReleased);
  }
}

function openPart(options: WriterPartOptions, ballastReleased = 0): WriterCore {
  const { folder } = options;
  const readOnly =
    options.readOnly === 'from-elsewhere' ? isFromElsewhere(folder, options) : options.readOnly === true;
  const remember = () => {
    if (!readOnly && options.data !== undefined) rememberWorkspace(folder, options.data);
  };
  // Before anything is in it: one that was begun here and then killed is not somebody else's.
  const db = openForWriting(options.folder, remember);
  try {
    const statements = new Statements(db);
    quarantine(statements, options.notify);
    rebuildOutdated(statements, new BlobStore(statements, options.folder), options.projector);
    // Writing its name would make the copy this installation's.
    const { device, earlier } = readOnly ? NOBODY : devicesOf(db, options.folder, options.device);
    remember();
    const core = new WriterCore(db, { ...options, readOnly, device, earlierDevices: earlier });
    try {
      core.start(ballastReleased);
    } catch (thrown) {
      core.halt();
      throw thrown;
    }
    return core;
  } catch (thrown) {
    db.close();
    throw storeFailure(thrown, `the workspace ${options.folder}`, options.folder);
  }
}
