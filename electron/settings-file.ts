import { randomUUID } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Settings } from '@shared/contract/settings';
import { settingsSchema } from '@shared/contract/settings';
import { SerialQueue } from './base/serial-queue';
import { writePrivately } from './files/output-file';

/** Where a new workspace goes unless the person chooses otherwise. */
export function defaultWorkspace(env: NodeJS.ProcessEnv): string {
  return env.WAYMARK_WORKSPACE || join(homedir(), 'Waymark');
}

/**
 * Read instead of the person's own ssh configuration, as by `ssh -F`; undefined = theirs. OpenSSH finds that by the
 * account and not by HOME, so a test or a person with two has to name it.
 */
export function sshConfigFile(env: NodeJS.ProcessEnv): string | undefined {
  return env.WAYMARK_SSH_CONFIG ? resolve(env.WAYMARK_SSH_CONFIG) : undefined;
}

/** Settings on disk, shared by application and command line. Writes are atomic; a broken file is kept aside, never overwritten. */
export class SettingsFile {
  readonly path: string;
  private kept: Settings;
  private readonly listeners = new Set<(settings: Settings) => void>();
  private readonly writes = new SerialQueue();

  private constructor(path: string, current: Settings) {
    this.path = path;
    this.kept = current;
  }

  /** Reads `settings.json` below `folder`; makes identities on first use. Errors: `bad_input` when it cannot be understood. */
  static async open(folder: string): Promise<SettingsFile> {
    const path = join(folder, 'settings.json');
    const stored = await readStored(path);
    const settings = settingsSchema.parse(stored ?? {});
    const complete: Settings = {
      ...settings,
      device: settings.device || randomUUID(),
      annotator: { ...settings.annotator, uuid: settings.annotator.uuid || randomUUID() },
    };
    const file = new SettingsFile(path, complete);
    if (complete.device !== settings.device || complete.annotator.uuid !== settings.annotator.uuid)
      await file.write();
    return file;
  }

  get current(): Settings {
    return this.kept;
  }

  /** Merges, stores, then tells listeners. */
  async set(change: Partial<Settings>): Promise<Settings> {
    this.kept = settingsSchema.parse({ ...this.kept, ...change });
    await this.write();
    for (const listener of this.listeners) listener(this.kept);
    return this.kept;
  }

  subscribe(listener: (settings: Settings) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private write(): Promise<void> {
    const text = `${JSON.stringify(this.kept, null, 2)}\n`;
    return this.writes.run(() => writePrivately(this.path, text));
  }
}

async function readStored(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    const parsed = settingsSchema.safeParse(value);
    if (parsed.success) return value;
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
    );
  } catch (error) {
    const aside = `${path}.broken`;
    await rename(path, aside);
    throw new WaymarkError(
      'bad_input',
      `The settings file could not be understood and was moved to ${aside}. Start again to use fresh settings, or mend that file and move it back.`,
      error instanceof Error ? error.message : String(error),
    );
  }
}
