import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { KeyKeeping } from '@shared/contract/ipc/application';
import { z } from 'zod';
import { SerialQueue } from '../base/serial-queue';
import { writePrivately } from '../files/output-file';
import { BoundKey } from '../model/bound-key';
import { type FoundKey, foundKey, type KeptKey, KeyFile, type OpenedKeyFile, sealedText } from './key-file';

/** What seals a key with the login of the person; `available` is false where that protects nothing. */
export interface SystemKeys {
  available(): boolean;
  seal(text: string): Buffer;
  open(sealed: Buffer): string;
}

export interface KeyStoreOptions {
  /** The application's data folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  system: SystemKeys;
  /** Where the settings ask an endpoint; empty: unknown. Keys from before they had an origin get this one, once. */
  originOf(endpoint: string): string;
}

const sealedSchema = z.record(z.string(), z.string());

/**
 * Model keys by endpoint name. They are written only where the system's key store protects them, or into a file under a
 * passphrase that the person gave; otherwise they live in memory until the application ends. They never go to the window. Each
 * is kept with the origin it was given for and leaves only as a `BoundKey`; another origin is given by `bind`, after a person
 * was asked (`endpoint-changes.ts`).
 */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  readonly #sealedPath: string;
  readonly #file: KeyFile;
  #keys = new Map<string, KeptKey>();
  /** Sealed keys that this login could not open: written back as they are, never lost by a later write. */
  #unreadable = new Map<string, string>();
  #opened: OpenedKeyFile | null = null;
  /** Endpoints whose key is in a file that nobody has opened yet. */
  #locked: readonly string[] | null = null;
  /** Set or forgotten (empty) while the file was locked; it joins the file when that is opened. */
  readonly #since = new Map<string, KeptKey>();
  /** Keys that were found in environment variables: as secret as the others. */
  readonly #named = new Set<string>();
  readonly #turns = new SerialQueue();

  constructor(options: KeyStoreOptions) {
    this.#options = options;
    this.#sealedPath = join(options.folder, 'keys.json');
    this.#file = new KeyFile(join(options.folder, 'keys.enc'));
  }

  /** Reads what is kept. @throws WaymarkError bad_input for a damaged file; the keys can be set all the same */
  async load(): Promise<void> {
    if (this.#options.system.available()) return this.#loadSealed();
    try {
      this.#locked = await this.#file.endpoints();
    } catch (error) {
      // Locked all the same: a file that cannot be read must not be replaced by a new one.
      this.#locked = [];
      throw error;
    }
  }

  keeping(): KeyKeeping['kept'] {
    if (this.#options.system.available()) return 'store';
    if (this.#opened !== null) return 'file';
    return this.#locked === null ? 'memory' : 'locked';
  }

  /** Keeps a key for its origin; an empty one is forgotten. Returns where it is kept now. On a failure nothing has changed. */
  set(endpoint: string, key: string, origin: string): Promise<'store' | 'file' | 'memory'> {
    return this.#turns.run(async () => {
      const next = new Map(this.#keys);
      if (key === '') next.delete(endpoint);
      else next.set(endpoint, { key, origin });
      const kept = this.keeping();
      if (kept === 'store') await this.#writeSealed(next, endpoint);
      if (kept === 'file') await this.#opened?.write(next);
      if (kept === 'locked') this.#since.set(endpoint, { key, origin });
      this.#keys = next;
      return kept === 'locked' ? 'memory' : kept;
    });
  }

  /** Gives the key of an endpoint to another origin. Only after the person said so. */
  async bind(endpoint: string, origin: string): Promise<void> {
    const held = this.#keys.get(endpoint);
    if (held !== undefined) await this.set(endpoint, held.key, origin);
  }

  /** Where the key of an endpoint may be sent; null: there is none, or it is locked. */
  originFor(endpoint: string): string | null {
    return this.#keys.get(endpoint)?.origin ?? null;
  }

  /**
   * Opens the file of keys, or begins one with the keys that are in memory.
   * @throws WaymarkError refused for a wrong passphrase, or where the system has a key store; bad_input
   */
  unlock(passphrase: string): Promise<void> {
    return this.#turns.run(async () => {
      if (this.keeping() === 'store') {
        throw new WaymarkError(
          'refused',
          'This system has a key store, which protects your keys already. They need no passphrase.',
        );
      }
      const opened = await this.#file.open(passphrase);
      const fresh = this.keeping() === 'memory' ? this.#keys : this.#since;
      const { keys: next, older } = this.#bound(opened.keys);
      for (const [endpoint, kept] of fresh) {
        if (kept.key === '') next.delete(endpoint);
        else next.set(endpoint, kept);
      }
      if (fresh.size > 0 || older || this.#locked === null) await opened.write(next);
      this.#since.clear();
      this.#keys = next;
      this.#opened = opened;
      this.#locked = null;
    });
  }

  /** Forgets the keys of the file until its passphrase is given again; elsewhere there is nothing to lock. */
  lock(): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#opened === null) return;
      this.#locked = [...this.#keys.keys()];
      this.#keys = new Map();
      this.#opened = null;
    });
  }

  /**
   * The key for an endpoint: its environment variable first, for `origin`, which the person named for it (`isNamed`); then what
   * was kept, for its own origin. Null when there is none.
   */
  find(endpoint: string, keyEnv: string, origin: string): BoundKey | null {
    const named = keyEnv === '' ? undefined : this.#options.env[keyEnv];
    if (named) {
      this.#named.add(named);
      return new BoundKey(named, origin);
    }
    const kept = this.#keys.get(endpoint);
    return kept === undefined ? null : new BoundKey(kept.key, kept.origin);
  }

  /** Whether `find` would find one. */
  has(endpoint: string, keyEnv: string): boolean {
    return Boolean(keyEnv !== '' && this.#options.env[keyEnv]) || this.#keys.has(endpoint);
  }

  /** Whether there is a key for this endpoint that a passphrase would open. */
  isLocked(endpoint: string): boolean {
    return this.#locked?.includes(endpoint) === true && !this.#since.has(endpoint);
  }

  /** Endpoints a key is kept for and known. */
  names(): string[] {
    return [...this.#keys.keys()];
  }

  /** Every secret held, for redaction of logs and diagnostics. */
  values(): string[] {
    return [...[...this.#keys.values()].map(({ key }) => key), ...this.#named];
  }

  async #loadSealed(): Promise<void> {
    let text: string;
    try {
      text = await readFile(this.#sealedPath, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    const found = new Map<string, FoundKey>();
    for (const [name, sealed] of Object.entries(await this.#parseSealed(text))) {
      try {
        found.set(name, foundKey(this.#options.system.open(Buffer.from(sealed, 'base64'))));
      } catch {
        this.#unreadable.set(name, sealed);
      }
    }
    const { keys, older } = this.#bound(found);
    this.#keys = keys;
    // At once: what the settings say later is no longer where these keys were given.
    if (older) await this.#writeSealed(keys, null);
    if (this.#unreadable.size > 0) {
      throw new WaymarkError(
        'refused',
        `The keys of ${[...this.#unreadable.keys()].join(', ')} were sealed by another login and cannot be read here. Enter them again.`,
      );
    }
  }

  /** What cannot be understood is put aside, so that the next key that is set does not overwrite it. */
  async #parseSealed(text: string): Promise<Record<string, string>> {
    try {
      return sealedSchema.parse(JSON.parse(text));
    } catch (error) {
      const aside = `${this.#sealedPath}.broken`;
      await rename(this.#sealedPath, aside);
      throw new WaymarkError(
        'bad_input',
        `The file of sealed keys could not be read and was moved to ${aside}. Enter the keys again.`,
        undefined,
        { cause: error },
      );
    }
  }

  /** Keys from before they had an origin belong to where the settings ask their endpoint now. */
  #bound(found: ReadonlyMap<string, FoundKey>): { keys: Map<string, KeptKey>; older: boolean } {
    const keys = new Map<string, KeptKey>();
    let older = false;
    for (const [endpoint, { key, origin }] of found) {
      older ||= origin === undefined;
      keys.set(endpoint, { key, origin: origin ?? this.#options.originOf(endpoint) });
    }
    return { keys, older };
  }

  async #writeSealed(keys: ReadonlyMap<string, KeptKey>, changed: string | null): Promise<void> {
    const unreadable = new Map(this.#unreadable);
    if (changed !== null) unreadable.delete(changed);
    const sealed = [...keys].map(([name, value]): [string, string] => [
      name,
      this.#options.system.seal(sealedText(value)).toString('base64'),
    ]);
    await writePrivately(this.#sealedPath, JSON.stringify(Object.fromEntries([...unreadable, ...sealed])));
    this.#unreadable = unreadable;
  }
}
