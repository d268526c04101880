import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { safeStorage } from 'electron';

/**
 * Model keys by endpoint name. They are written only when the operating system's key store protects them;
 * otherwise they live in memory until the application ends. They never go to the window.
 */
export class KeyStore {
  readonly #path: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #keys = new Map<string, string>();

  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.#path = path;
    this.#env = env;
  }

  /** True when the system has a real key store; Linux without one reports `basic_text`, which is no protection. */
  static available(): boolean {
    if (!safeStorage.isEncryptionAvailable()) return false;
    if (process.platform !== 'linux') return true;
    // Electron 25 on Linux cannot name its backend; what cannot be known counts as unprotected.
    return (
      typeof safeStorage.getSelectedStorageBackend === 'function' &&
      safeStorage.getSelectedStorageBackend() !== 'basic_text'
    );
  }

  async load(): Promise<void> {
    if (!KeyStore.available()) return;
    try {
      const stored: Record<string, string> = JSON.parse(await readFile(this.#path, 'utf8'));
      for (const [name, sealed] of Object.entries(stored)) {
        this.#keys.set(name, safeStorage.decryptString(Buffer.from(sealed, 'base64')));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** Keeps a key; an empty one is forgotten. Returns where it is kept. */
  async set(endpoint: string, key: string): Promise<'store' | 'memory'> {
    if (key === '') this.#keys.delete(endpoint);
    else this.#keys.set(endpoint, key);
    if (!KeyStore.available()) return 'memory';
    const sealed = Object.fromEntries(
      [...this.#keys].map(([name, value]) => [name, safeStorage.encryptString(value).toString('base64')]),
    );
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(`${this.#path}.tmp`, JSON.stringify(sealed), { mode: 0o600 });
    await rename(`${this.#path}.tmp`, this.#path);
    return 'store';
  }

  /** The key for an endpoint: its environment variable first, then what was kept; null when there is none. */
  find(endpoint: string, keyEnv: string): string | null {
    return (keyEnv && this.#env[keyEnv]) || this.#keys.get(endpoint) || null;
  }

  /** Every secret held, for redaction of logs and diagnostics. */
  values(): string[] {
    return [...this.#keys.values()];
  }
}
