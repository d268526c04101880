import type { EventOf, RunEvent } from '@shared/events';
import { joinShellPath } from '@shared/shell-command';
import { LookLedger } from './look-ledger';
import { directoryAfter, type ShellTouch, shellTouches } from './shell-edits';

/** One change of a file's content by an action, and what the agent had seen of the file when it decided on it. */
export interface FileEdit {
  step: number;
  path: string;
  action: string;
  /** The file was there before; writing a new one cannot be blind. */
  existed: boolean;
  /** Latest step that showed the content as it was before this edit; null = none. A look within the same step came too late. */
  lookedAt: number | null;
  /** Latest step that showed any content of the file, also one that has changed since; null = none. */
  seenAt: number | null;
  /** Step of the last change, by whomever; null = none in this run. */
  changedAt: number | null;
  /** Step of the last edit by an action of the agent; null = none. */
  editedAt: number | null;
}

interface KnownFile {
  /** False once it was deleted. */
  exists: boolean;
  changed: { at: number; step: number } | null;
  editedAt: number | null;
}

const outputReaders = new Set(['get_session_output', 'get_session_recent_output', 'input_in_session']);

/**
 * Follows through a run which files the agent has looked at and which have changed, by file actions and through
 * the shell (shell text is read, never run). What an edit itself echoes is no look: the paper's example masks the
 * second of two edits in a row. Where the log cannot tell, the agent gets the benefit of the doubt.
 */
export class FileSight {
  private readonly files = new Map<string, KnownFile>();
  private readonly looks = new LookLedger();
  /** Looks of the current step: the model sees them only when it decides on the next one. */
  private fresh: { path: string; placed: boolean; at: number; step: number }[] = [];
  /** What background commands will have shown once their output is read, by session. */
  private readonly unread = new Map<string, { path: string; placed: boolean; at: number }[]>();
  /** Where each session's shell stands; null = unknown. */
  private readonly directories = new Map<string, string | null>();
  /** Revisions recorded for the call that is running, by path. */
  private revised = new Map<string, { existed: boolean; exists: boolean }>();
  private time = 0;

  /** `root`: where shells begin; null = the events do not begin with the run's, so that nobody knows. */
  constructor(private readonly root: string | null) {}

  apply(event: RunEvent): FileEdit[] {
    switch (event.kind) {
      case 'model.answered':
        for (const look of this.fresh) this.looks.add(look, this.changedTime(look.path));
        this.fresh = [];
        return [];
      case 'action.started':
        this.revised = new Map();
        return [];
      case 'file.changed': {
        const { path, before, after } = event.body;
        // Several revisions of one path in a call: the first tells whether it was there, the last whether it still is.
        const existed = this.revised.get(path)?.existed ?? before !== null;
        this.revised.set(path, { existed, exists: after !== null });
        return [];
      }
      case 'action.observed':
        return event.body.closedBy === 'not_run' ? [] : this.observe(event);
      default:
        return [];
    }
  }

  private observe(event: EventOf<'action.observed'>): FileEdit[] {
    const { step, name, ok, data } = event.body;
    const path = typeof data.path === 'string' ? data.path : null;
    let edits: FileEdit[] = [];
    if (name === 'run_command') edits = this.command(event);
    else if (name === 'edit_file' || name === 'create_file') {
      if (ok && path !== null) edits = [this.edit(step, path, name, name === 'edit_file')];
    } else if (ok && path !== null && showsContent(data)) {
      this.time += 1;
      this.fresh.push({ path, placed: true, at: this.time, step });
    }
    if (ok && outputReaders.has(name)) {
      const key = sessionKey(data);
      for (const look of this.unread.get(key) ?? []) this.fresh.push({ ...look, step });
      this.unread.delete(key);
    }
    const edited = new Set(edits.map((edit) => edit.path));
    for (const [revised, { exists }] of this.revised) {
      if (!edited.has(revised)) this.revise(revised, step, { exists });
    }
    this.revised = new Map();
    return edits;
  }

  private command({ body }: EventOf<'action.observed'>): FileEdit[] {
    const { step, data, error } = body;
    if (typeof data.command !== 'string' || (error !== null && typeof data.commandSeq !== 'number'))
      return [];
    const key = sessionKey(data);
    const directory = this.directories.has(key) ? (this.directories.get(key) ?? null) : this.root;
    const background = data.async === true && typeof data.exitCode !== 'number';
    const edits: FileEdit[] = [];
    for (const touch of shellTouches(data.command)) {
      const { path, placed } = this.place(touch, directory);
      if (touch.kind === 'look') {
        this.time += 1;
        const look = { path, placed, at: this.time };
        if (background) this.unread.set(key, [...(this.unread.get(key) ?? []), look].slice(-64));
        else this.fresh.push({ ...look, step });
      } else if (placed) {
        const was = this.revised.get(path)?.existed ?? this.files.get(path)?.exists ?? touch.inPlace;
        if (touch.kind === 'edit' && (was || this.revised.has(path))) {
          edits.push(this.edit(step, path, 'run_command', was));
        } else this.revise(path, step, { exists: touch.kind !== 'remove' });
      }
    }
    const after = directoryAfter(data.command);
    this.directories.set(
      key,
      after === null || directory === null ? absolute(after) : joinShellPath(directory, after),
    );
    return edits;
  }

  /** A relative path of a shell in an unknown folder is placed by the one recorded revision it can mean. */
  private place(touch: ShellTouch, directory: string | null): { path: string; placed: boolean } {
    if (touch.path.startsWith('/')) return { path: touch.path, placed: true };
    if (touch.placed && directory !== null)
      return { path: joinShellPath(directory, touch.path), placed: true };
    const meant = [...this.revised.keys()].filter((path) => path.endsWith(`/${touch.path}`));
    const [only] = meant;
    return touch.kind !== 'look' && only !== undefined && meant.length === 1
      ? { path: only, placed: true }
      : { path: touch.path, placed: false };
  }

  private edit(step: number, path: string, action: string, otherwise: boolean): FileEdit {
    const file = this.files.get(path);
    const edit: FileEdit = {
      step,
      path,
      action,
      existed: this.revised.get(path)?.existed ?? file?.exists ?? otherwise,
      lookedAt: this.looks.latest(path, file?.changed?.at ?? 0),
      seenAt: this.looks.latest(path, 0),
      changedAt: file?.changed?.step ?? null,
      editedAt: file?.editedAt ?? null,
    };
    this.revise(path, step, { editedAt: step });
    return edit;
  }

  private revise(path: string, step: number, more: { exists?: boolean; editedAt?: number }): void {
    this.time += 1;
    const before = this.files.get(path);
    this.files.set(path, {
      exists: more.exists ?? true,
      changed: { at: this.time, step },
      editedAt: more.editedAt ?? before?.editedAt ?? null,
    });
  }

  private changedTime(path: string): number {
    return this.files.get(path)?.changed?.at ?? 0;
  }
}

function sessionKey(data: Record<string, unknown>): string {
  return `${String(data.computer ?? '')}:${String(data.session ?? '')}`;
}

function absolute(path: string | null): string | null {
  return path?.startsWith('/') ? path : null;
}

/** The observation shows lines of the file: a window of it, or the lines that a search found. */
function showsContent(data: Record<string, unknown>): boolean {
  if (Array.isArray(data.hitLines)) return data.hitLines.length > 0;
  return typeof data.startLine === 'number' || typeof data.shownStart === 'number';
}
