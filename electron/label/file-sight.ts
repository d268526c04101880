import type { EventBody, NewEvent } from '@shared/log/events';
import { joinShellPath } from '@shared/shell/shell-command';
import type { FileEdit } from './file-edit';
import { type FollowedFiles, isFollowed } from './followed-files';
import { type InheritedFiles, inheritedFiles, movedFacts, movedTo } from './inherited-files';
import { LookLedger } from './look-ledger';
import { directoryAfter, type ShellTouch, shellTouches } from './shell-edits';

type Inherited = EventBody<'step.inherited'>;
type Observed = EventBody<'action.observed'>;

interface Change {
  at: number;
  step: number;
}

interface KnownFile {
  /** False once it was deleted. */
  exists: boolean;
  changed: Change | null;
  /** The last change before the step of `changed`. */
  earlier: Change | null;
  editedAt: number | null;
  /** Who wrote it last as a whole, as far as this run tells. */
  made: 'agent' | 'program' | null;
}

interface Revised {
  exists?: boolean;
  editedAt?: number;
  made?: KnownFile['made'];
}

/** What one call made of a file, as its hashes say. */
interface Revision {
  existed: boolean;
  exists: boolean;
}

const outputReaders = new Set(['get_session_output', 'get_session_recent_output', 'input_in_session']);

/**
 * Follows through a run which files the agent has looked at and which have changed, by file actions and through
 * the shell (shell text is read, never run). What `edit_file` shows of its result is a look, and what the agent wrote
 * itself need not be looked at. A branch begins with what stands in its context, under its own paths. Where the log cannot
 * tell, the agent gets the benefit of the doubt. The label rules fold stored events through it, the live notices those of the
 * run under way: they say the same.
 */
export class FileSight {
  private readonly files = new Map<string, KnownFile>();
  private readonly looks = new LookLedger();
  /** Looks of the current step: the model sees them only when it decides on the next one. */
  private fresh: (Change & { path: string; placed: boolean })[] = [];
  /** What background commands will have shown once their output is read, by session. */
  private readonly unread = new Map<string, { path: string; placed: boolean; at: number }[]>();
  /** Where each session's shell stands; null = unknown. */
  private directories = new Map<string, string | null>();
  /** Revisions recorded for the call that is running, by path. */
  private revised = new Map<string, Revision>();
  /** A call was started and has no observation yet. */
  private acting = false;
  /** Files of which the agent knows what its running call has put into them. */
  private readonly written: string[] = [];
  private time = 0;
  /** Computers on which a change of a followed file is seen. */
  private readonly seeing = new Set<string>();
  /** Steps of the parent, until all of them are there. */
  private inherited: Inherited[] = [];
  /** The segment begins with a summary. */
  private summed = false;
  /** Looks from before the branch may be missing. */
  private untold = false;
  /** The log does not say which files the steps changed. */
  private unrecorded = false;
  /** While steps are told whose changes are not among the files: those changed, and where shells stood before. */
  private undone: { changed: Set<string>; directories: Map<string, string | null> } | null = null;

  /**
   * `root`: where shells begin; null = the events do not begin with the run's, so that nobody knows. `followed`: where a
   * command that recorded no change has made none; null = nowhere.
   */
  constructor(
    private readonly root: string | null,
    private readonly followed: FollowedFiles | null,
  ) {
    if (followed !== null) this.seeing.add(followed.computer);
  }

  /** `undone`: what the step did to files is not among those that the later steps work on. */
  apply(event: NewEvent, undone = false): FileEdit[] {
    this.setUndone(undone);
    switch (event.kind) {
      case 'workspace.probed':
        for (const { name, sees } of event.body.computers) if (sees) this.seeing.add(name);
        return [];
      case 'segment.started':
        this.summed = event.body.summary !== undefined;
        return [];
      case 'step.inherited':
        this.inherited.push(event.body);
        return [];
      case 'branch.began':
        this.takeOver();
        return [];
      case 'action.started':
        this.begin(event.body.step);
        this.acting = true;
        return [];
      case 'file.changed':
        this.change(event.body);
        return [];
      case 'action.observed': {
        const { step, closedBy } = event.body;
        if (!this.acting) this.begin(step);
        this.acting = false;
        return closedBy === 'not_run' ? [] : this.observe(event.body);
      }
      default:
        return [];
    }
  }

  /**
   * What an edit of the file by the coming call of `step` would be: for a refusal, before anything is known of what comes of
   * it. A file of which nothing is known counts as `existed`.
   */
  expected(path: string, step: number, existed: boolean): FileEdit {
    this.read(step);
    return this.editOf(step, path, '', this.files.get(path)?.exists ?? existed);
  }

  private takeOver(): void {
    const steps = this.inherited;
    this.inherited = [];
    this.untold = this.summed;
    for (const [i, files] of inheritedFiles(steps).entries()) {
      const step = steps[i];
      if (step !== undefined) this.replay(step, files);
    }
    this.unrecorded = false;
    this.setUndone(false);
  }

  /** A step of the parent, as its own log tells it. */
  private replay({ observed }: Inherited, files: InheritedFiles | null): void {
    const move = movedTo(files?.root ?? '', files === null ? '' : (this.root ?? files.root));
    this.setUndone(files?.undone === true);
    this.unrecorded = files?.changed === undefined;
    const changed = (files?.changed ?? []).map((each) => ({ ...each, path: move(each.path) }));
    for (const body of observed) {
      if (body.closedBy === 'not_run') continue;
      this.begin(body.step);
      for (const { call, path, existed, exists } of changed) {
        if (call === body.call) this.note(path, existed, exists);
      }
      this.observe({ ...body, data: movedFacts(body.data, move) });
    }
    const step = observed.at(-1)?.step;
    if (step === undefined) return;
    for (const { call, path, exists } of changed) {
      if (call === null) this.revise(path, step, { exists, made: exists ? 'program' : null });
    }
  }

  private setUndone(undone: boolean): void {
    if (undone === (this.undone !== null)) return;
    // The shells of a branch begin where they stood when its files were kept.
    if (this.undone !== null) this.directories = this.undone.directories;
    this.undone = undone ? { changed: new Set(), directories: new Map(this.directories) } : null;
  }

  /** A call: what earlier steps showed has been read by now. */
  private begin(step: number): void {
    this.revised = new Map();
    this.read(step);
  }

  private read(step: number): void {
    if (this.fresh.length === 0) return;
    const read = this.fresh.filter((look) => look.step < step);
    for (const look of read) this.looks.add(look, this.files.get(look.path)?.changed?.at ?? 0);
    this.fresh = this.fresh.filter((look) => look.step >= step);
  }

  private change({ path, before, after, step }: EventBody<'file.changed'>): void {
    // Written again as it was.
    if (before !== null && before === after) return;
    if (!this.acting) {
      // Something that runs beside the steps.
      this.revise(path, step, { exists: after !== null, made: after === null ? null : 'program' });
      return;
    }
    this.note(path, before !== null, after !== null);
  }

  /** Several revisions of one path in a call: the first tells whether it was there, the last whether it still is. */
  private note(path: string, existed: boolean, exists: boolean): void {
    this.revised.set(path, { existed: this.revised.get(path)?.existed ?? existed, exists });
  }

  private observe(body: Observed): FileEdit[] {
    const { step, name, ok, data } = body;
    const path = typeof data.path === 'string' ? data.path : null;
    let edits: FileEdit[] = [];
    if (name === 'run_command') edits = this.command(body);
    else if (name === 'edit_file' || name === 'create_file') {
      if (ok && path !== null && this.changes(path, data)) {
        edits = [this.edit(step, path, name, name === 'edit_file')];
        if (name === 'create_file') this.written.push(path);
        else if (showsContent(data)) this.show(path, step);
      }
    } else if (ok && path !== null && showsContent(data)) this.show(path, step);
    else if (ok && name === 'search_dir') for (const each of foundIn(data)) this.show(each, step);
    if (ok && outputReaders.has(name)) {
      const key = sessionKey(data);
      for (const look of this.unread.get(key) ?? []) this.look({ ...look, step });
      this.unread.delete(key);
    }
    const edited = new Set(edits.map((edit) => edit.path));
    const own = new Set(this.written);
    for (const [revised, { exists }] of this.revised) {
      const made = !exists ? null : own.has(revised) ? 'agent' : 'program';
      if (!edited.has(revised)) this.revise(revised, step, { exists, made });
    }
    this.revised = new Map();
    // After all revisions of the call: what the agent wrote itself is what is there now.
    for (const each of this.written.splice(0)) this.know(each, step);
    return edits;
  }

  /** Whether an edit that went well has changed anything: our own log has its hash and, if so, a revision. */
  private changes(path: string, data: Record<string, unknown>): boolean {
    return this.unrecorded || typeof data.sha256 !== 'string' || this.revised.has(path);
  }

  private show(path: string, step: number): void {
    this.time += 1;
    this.look({ path, placed: true, at: this.time, step });
  }

  /** What a file was like only for a while is no look at what it is like now. */
  private look(look: Change & { path: string; placed: boolean }): void {
    if (this.undone?.changed.has(look.path) !== true) this.fresh.push(look);
  }

  /** Whether something of the file was shown, or written by the agent, since it last changed. */
  private isSeen(path: string): boolean {
    return this.looks.latest(path, this.files.get(path)?.changed?.at ?? 0) !== null;
  }

  /** The agent wrote what is in the file, so it need not be shown. */
  private know(path: string, step: number): void {
    if (this.undone !== null) return;
    this.time += 1;
    this.looks.add({ path, placed: true, at: this.time, step }, this.files.get(path)?.changed?.at ?? 0);
  }

  private command(body: Observed): FileEdit[] {
    const { step, data, error } = body;
    if (typeof data.command !== 'string' || (error !== null && typeof data.commandSeq !== 'number'))
      return [];
    const key = sessionKey(data);
    const directory = this.directories.has(key) ? (this.directories.get(key) ?? null) : this.root;
    const background = data.async === true && typeof data.exitCode !== 'number';
    const compared = this.compares(body);
    const edits: FileEdit[] = [];
    for (const touch of shellTouches(data.command)) {
      const { path, placed } = this.place(touch, directory);
      if (touch.kind === 'look') {
        this.time += 1;
        const look = { path, placed, at: this.time };
        if (background) this.unread.set(key, [...(this.unread.get(key) ?? []), look].slice(-64));
        else this.look({ ...look, step });
      } else if (placed) {
        const known = this.touched({ ...touch, path }, step, compared);
        if (known) edits.push(known);
        if (
          touch.copyOf !== undefined &&
          this.isSeen(this.place({ ...touch, path: touch.copyOf }, directory).path)
        )
          this.written.push(path);
      }
    }
    const after = directoryAfter(data.command);
    // It stays where it stood, as nearly always.
    if (after === '' && directory !== null && this.directories.has(key)) return edits;
    this.directories.set(
      key,
      after === null || directory === null ? absolute(after) : joinShellPath(directory, after),
    );
    return edits;
  }

  /** What the command changed of followed files was recorded: whoever ran it waited for its end and compared all of them. */
  private compares({ closedBy, data }: Observed): boolean {
    const whole = closedBy === 'run' && data.codeScanPartial !== true && !this.unrecorded;
    return whole && typeof data.exitCode === 'number' && this.seeing.has(String(data.computer ?? ''));
  }

  /** `compared`: a followed file that has no revision of this call is as it was. */
  private touched(touch: ShellTouch, step: number, compared: boolean): FileEdit | null {
    const { kind, path, inPlace, appends } = touch;
    const was = this.revised.get(path)?.existed ?? this.files.get(path)?.exists ?? inPlace;
    const changes = kind === 'edit' || kind === 'write';
    if (!changes || !(was || this.revised.has(path))) {
      const made = kind === 'write' ? 'agent' : kind === 'output' ? 'program' : null;
      this.revise(path, step, { exists: kind !== 'remove', made });
      if (kind === 'write') this.written.push(path);
      return null;
    }
    if (compared && !this.revised.has(path) && this.followed !== null && isFollowed(path, this.followed)) {
      if (kind === 'write' && !appends) this.written.push(path);
      return null;
    }
    const before = this.editOf(step, path, 'run_command', was);
    // What a program wrote stays as it is in front of what is added.
    const adds = kind === 'write' && appends && this.files.get(path)?.made === 'program';
    if (kind === 'write' && (!appends || !before.existed || before.lookedAt !== null))
      this.written.push(path);
    if (adds) this.revise(path, step, {});
    else
      this.revise(path, step, { editedAt: step, ...(kind === 'write' && !appends ? { made: 'agent' } : {}) });
    return adds ? null : before;
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
    const edit = this.editOf(step, path, action, otherwise);
    this.revise(path, step, { editedAt: step, ...(action === 'create_file' ? { made: 'agent' } : {}) });
    return edit;
  }

  private editOf(step: number, path: string, action: string, otherwise: boolean): FileEdit {
    const file = this.files.get(path);
    // One answer is one decision: what it changed itself a call before has spoilt nothing that it knew.
    const changed = (file?.changed?.step === step ? file.earlier : file?.changed) ?? null;
    return {
      step,
      path,
      action,
      existed: this.revised.get(path)?.existed ?? file?.exists ?? otherwise,
      lookedAt: this.looks.latest(path, changed?.at ?? 0),
      seenAt: this.looks.latest(path, 0),
      untold: this.untold && changed === null,
      changedAt: changed?.step ?? null,
      editedAt: file?.editedAt ?? null,
    };
  }

  private revise(path: string, step: number, more: Revised): void {
    if (this.undone !== null) {
      this.undone.changed.add(path);
      return;
    }
    this.time += 1;
    const before = this.files.get(path);
    this.files.set(path, {
      exists: more.exists ?? true,
      changed: { at: this.time, step },
      earlier: before?.changed?.step === step ? before.earlier : (before?.changed ?? null),
      editedAt: more.editedAt ?? before?.editedAt ?? null,
      made: more.made === undefined ? (before?.made ?? null) : more.made,
    });
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

/** What a search of a folder showed lines of; in older logs only the folder is known. */
function foundIn({ shown, where, hits }: Record<string, unknown>): string[] {
  if (Array.isArray(shown)) return shown.filter((path) => typeof path === 'string');
  return typeof where === 'string' && typeof hits === 'number' && hits > 0 ? [where] : [];
}
