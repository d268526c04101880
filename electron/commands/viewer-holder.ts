import type { Author } from '@shared/log/annotations';
import type { Store, StoreWriter } from '../store/api';
import { readerFor } from '../store/queries/reader-for';
import { type Workbench, WorkbenchHolder } from '../workbench';

/**
 * The open workspace as handlers of a window see it: what they read is what the person at that window may know. The engine and
 * exports have the workspace itself.
 */
export class ViewerHolder extends WorkbenchHolder {
  private readonly seen = new WeakMap<Store, { uuid: string; name: string; bench: Workbench }>();

  constructor(
    private readonly inner: WorkbenchHolder,
    private readonly viewer: () => Author,
  ) {
    super((folder) => inner.open(folder));
  }

  override get current(): Workbench | null {
    const bench = this.inner.current;
    return bench === null ? null : this.asViewer(bench);
  }

  override require(): Workbench {
    return this.asViewer(this.inner.require());
  }

  override open(folder: string): Promise<Workbench> {
    return this.inner.open(folder);
  }

  override close(): Promise<void> {
    return this.inner.close();
  }

  override settled(): Promise<void> {
    return this.inner.settled();
  }

  private asViewer(bench: Workbench): Workbench {
    const { uuid, name } = this.viewer();
    const known = this.seen.get(bench.store);
    if (known?.uuid === uuid && known.name === name) return known.bench;
    const store = Object.create(bench.store, {
      reader: { value: readerFor(bench.store.reader, { uuid, name }), enumerable: true },
      writer: { value: silent(bench.store.writer), enumerable: true },
    }) as Store;
    const mine = Object.create(bench, { store: { value: store, enumerable: true } }) as Workbench;
    this.seen.set(bench.store, { uuid, name, bench: mine });
    return mine;
  }
}

/** What an entry names as seen tells how many have spoken about its steps, which its author may not know. */
function silent(writer: StoreWriter): StoreWriter {
  const annotate: StoreWriter['annotate'] = async (...entry) => ({
    ...(await writer.annotate(...entry)),
    supersedes: [],
  });
  return Object.assign(Object.create(writer) as StoreWriter, { annotate });
}
