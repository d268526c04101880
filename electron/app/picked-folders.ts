import { WaymarkError } from '@shared/contract/errors';
import type { PickedFolder } from '@shared/contract/ipc/runs';
import { newUlid } from '../base/new-ulid';
import type { SharedFolder } from '../computer/local/sandbox/sandbox-view';
import { type PrivatePlaces, refusePrivate } from '../computer/local/sandbox/shown-folders';

/** A window needs no more; the oldest is forgotten. */
const MOST = 200;

export interface PickedFoldersOptions {
  /** Asks the person for a folder, and says whether the run may change it; null: cancelled. */
  choose(write: boolean): Promise<string | null>;
  /** What is never shown, besides what the rule knows. */
  places(): PrivatePlaces;
}

/**
 * Folders that a person chose in the system's dialog for a run to see. The page gets a name for each and starts a run by that
 * name: neither the path nor whether it may be changed is the page's to say.
 */
export class PickedFolders {
  private readonly picked = new Map<string, SharedFolder>();

  constructor(private readonly options: PickedFoldersOptions) {}

  /** @throws WaymarkError refused, with why: the same rule as `--show`, which is asked again when the run starts */
  async pick(write: boolean): Promise<PickedFolder | null> {
    const path = await this.options.choose(write);
    if (path === null) return null;
    refusePrivate(path, this.options.places(), write);
    const id = newUlid();
    this.picked.set(id, { path, write });
    const [oldest] = this.picked.keys();
    if (this.picked.size > MOST && oldest !== undefined) this.picked.delete(oldest);
    return { id, path, write };
  }

  /** @throws WaymarkError bad_input for a name that stands for none */
  named(id: string): SharedFolder {
    const found = this.picked.get(id);
    if (found !== undefined) return found;
    throw new WaymarkError(
      'bad_input',
      'A folder of this order was not chosen in this window. Choose it again, then start the run.',
    );
  }
}
