import { AsyncLocalStorage } from 'node:async_hooks';

/** Hands the id that came with a request to the one entry the request writes, wherever that happens. */
export class EntryIds {
  readonly #asked = new AsyncLocalStorage<{ id: string | undefined }>();

  during<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#asked.run({ id }, work);
  }

  /** The id of the request under way, once; undefined when it has none or it was taken. */
  take(): string | undefined {
    const asked = this.#asked.getStore();
    const id = asked?.id;
    if (asked !== undefined) asked.id = undefined;
    return id;
  }
}
