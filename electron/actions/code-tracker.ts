import type { NewEvent } from '@shared/log/events';
import { FileError } from '../computer/failures';
import type { FileSystemPort, WalkEntry } from '../computer/port';
import { unfollowedParts } from '../label/followed-files';
import { decodeFile, textOf } from './text-file';
import { isInside, maxRecordedText, recordedText, sha256 } from './workspace-files';

interface KnownFile {
  size: number;
  mtimeMs: number;
  /** Null: there, but not a text file worth following. */
  sha256: string | null;
  /** Kept so that the next revision can show what was there before. */
  text: string | null;
  /** Wall clock of the look, ms. */
  seenAt: number;
}

/** Files looked at per scan. */
const maxFiles = 2000;
/** Entries walked through to find them. */
const maxEntries = 8000;
/** Larger files are data, not code. */
const maxCodeBytes = 4 * maxRecordedText;
/** Characters of remembered texts; beyond it a revision is recorded without its earlier text. */
const textBudget = 48 * 1024 * 1024;
/** A file that had changed this shortly before it was read may have changed again under the same time stamp. */
const racyMs = 2000;

/**
 * Finds text files that commands changed in the task's code folders: size and time of each file first, the
 * hash only where those differ. Bounded, so that a workspace full of data costs little; what is beyond the bounds is
 * not followed and `truncated` says so.
 */
export class CodeTracker {
  private known = new Map<string, KnownFile>();
  private remembered = 0;
  private isPrepared = false;
  /** Found by a scan that a broken link cut short; the next one hands them over. */
  private found: NewEvent[] = [];
  /** The last scan did not reach every file. */
  truncated = false;

  constructor(
    private readonly files: FileSystemPort,
    private readonly folders: readonly string[],
    private readonly computer: string,
    /** Last hashes the log knows, so that a resumed run records what happened while nobody looked. */
    private readonly logged: ReadonlyMap<string, string | null>,
    /** Wall clock, ms. */
    private readonly now: () => number,
  ) {}

  /** Stock was taken: from now on a difference is a change. */
  get ready(): boolean {
    return this.isPrepared;
  }

  /** Takes stock once; before the first command of a process. */
  async prepare(step: number, call: number): Promise<NewEvent[]> {
    if (this.isPrepared) return [];
    await this.changes(step, call);
    this.isPrepared = true;
    const events: NewEvent[] = [];
    for (const [path, logged] of this.logged) {
      if (!this.folders.some((folder) => isInside(path, folder))) continue;
      const now = this.known.get(path);
      if (now === undefined && logged !== null && !this.truncated) {
        events.push(this.changed(step, call, path, logged, null, undefined));
      } else if (now?.sha256 && now.sha256 !== logged) {
        events.push(this.changed(step, call, path, logged, null, now));
      }
    }
    return events;
  }

  /** Text files that appeared, changed or vanished since the last scan, as `file.changed` events by the shell. */
  async changes(step: number, call: number): Promise<NewEvent[]> {
    const found = await this.walk();
    const events = this.found;
    for (const entry of found.values()) {
      const before = this.known.get(entry.path);
      const settled = before !== undefined && before.seenAt - before.mtimeMs > racyMs;
      if (settled && before.size === entry.size && before.mtimeMs === entry.mtimeMs) continue;
      const after = await this.look(entry);
      if (after === undefined) continue;
      this.remember(entry.path, after);
      if (!before || (before.sha256 === null && after.sha256 === null)) {
        if (!before && after.sha256 !== null) {
          events.push(this.changed(step, call, entry.path, null, null, after));
        }
      } else if (after.sha256 !== before.sha256 && after.sha256 !== null) {
        events.push(this.changed(step, call, entry.path, before.sha256, before.text, after));
      }
    }
    if (!this.truncated) {
      for (const [path, before] of this.known) {
        if (found.has(path)) continue;
        this.forget(path);
        if (before.sha256 !== null) {
          events.push(this.changed(step, call, path, before.sha256, before.text, undefined));
        }
      }
    }
    return events.splice(0);
  }

  /** An action wrote this file: it is no change by the shell. */
  async wrote(path: string): Promise<void> {
    if (!this.folders.some((folder) => isInside(path, folder)) || unfollowedParts.test(path)) return;
    const stat = await this.files.stat(path);
    if (stat?.kind !== 'file') return;
    const after = await this.look({ path, kind: 'file', size: stat.size, mtimeMs: stat.mtimeMs });
    if (after) this.remember(path, after);
  }

  private async walk(): Promise<Map<string, WalkEntry>> {
    const found = new Map<string, WalkEntry>();
    this.truncated = false;
    for (const folder of this.folders) {
      try {
        const { entries, truncated } = await this.files.walk(folder, { hidden: false, maxEntries });
        this.truncated ||= truncated;
        for (const entry of entries) {
          if (entry.kind !== 'file' || entry.size > maxCodeBytes || unfollowedParts.test(entry.path))
            continue;
          if (found.size >= maxFiles && !found.has(entry.path)) this.truncated = true;
          else found.set(entry.path, entry);
        }
      } catch (error) {
        // The folder may not exist yet; the agent is free to make it later.
        if (!(error instanceof FileError) || !/not_found|not_directory|permission/.test(error.reason))
          throw error;
      }
    }
    return found;
  }

  private async look(entry: WalkEntry): Promise<KnownFile | undefined> {
    try {
      const { bytes } = await this.files.read(entry.path, { maxBytes: maxCodeBytes });
      const decoded = decodeFile(bytes);
      const { size, mtimeMs } = entry;
      const seen = { size, mtimeMs, seenAt: this.now() };
      if (decoded.kind === 'binary') return { ...seen, sha256: null, text: null };
      return { ...seen, sha256: sha256(bytes), text: recordedText(textOf(decoded.file)) };
    } catch (error) {
      // Commands that still run may remove or replace files between the walk and the look.
      if (error instanceof FileError && error.reason !== 'no_space') return undefined;
      throw error;
    }
  }

  private remember(path: string, file: KnownFile): void {
    this.forget(path);
    const kept = file.text !== null && this.remembered + file.text.length <= textBudget;
    if (kept) this.remembered += file.text?.length ?? 0;
    this.known.set(path, kept ? file : { ...file, text: null });
  }

  private forget(path: string): void {
    this.remembered -= this.known.get(path)?.text?.length ?? 0;
    this.known.delete(path);
  }

  private changed(
    step: number,
    call: number,
    path: string,
    before: string | null,
    beforeText: string | null,
    after: KnownFile | undefined,
  ): NewEvent {
    return {
      kind: 'file.changed',
      body: {
        step,
        call,
        computer: this.computer,
        path,
        before,
        after: after?.sha256 ?? null,
        size: after?.size ?? 0,
        beforeText,
        text: after?.text ?? null,
        by: 'shell',
      },
    };
  }
}
