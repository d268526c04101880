import type { EventBody, NewEvent } from '@shared/events';
import { joinShellPath, looksAt } from '@shared/shell-command';
import type { ActionTaskView } from './task-view';

/** Inclusive, 1-based line ranges of a file that the agent has seen since it last changed. */
export interface ShownLines {
  /** Number of lines then; null when only a command showed the file. */
  total: number | null;
  ranges: [number, number][];
}

/** What earlier actions of the run left behind; a fold of its log, so that a resumed run goes on as it was. */
export interface ActionFacts {
  /** The file that the scroll actions move in. */
  currentFile: { path: string; startLine: number; endLine: number; size: number } | null;
  evalsUsed: number;
  bestScore: number | null;
  hintSeen: boolean;
  finished: boolean;
  thought: boolean;
  /** An edit or a long command has happened. */
  worked: boolean;
  /** A command that starts training has been run. */
  trained: boolean;
  /** The previous action other than `think`. */
  last: { name: string; path: string | null } | null;
  shown: Map<string, ShownLines>;
  /** Last recorded sha256 by path; null when deleted. */
  files: Map<string, string | null>;
  /** Keyed `computer:session`. */
  sessions: Map<string, { uid: string; ended: boolean }>;
  /** Session uid → offset before which its output was cleared from the agent's view. */
  cleared: Map<string, number>;
  /** Session uid → highest command number an observation reported. */
  commandSeqs: Map<string, number>;
  /** `computer:session` → [wall ms, end offset], ascending; the base for "output since". */
  marks: Map<string, [number, number][]>;
  /** An action without an observation yet. */
  pending: { name: string; args: Record<string, string | number | boolean>; startedAt: number } | null;
}

const maxMarks = 400;
const everything = Number.MAX_SAFE_INTEGER;

function emptyFacts(hintSeen: boolean): ActionFacts {
  return {
    currentFile: null,
    evalsUsed: 0,
    bestScore: null,
    hintSeen,
    finished: false,
    thought: false,
    worked: false,
    trained: false,
    last: null,
    shown: new Map(),
    files: new Map(),
    sessions: new Map(),
    cleared: new Map(),
    commandSeqs: new Map(),
    marks: new Map(),
    pending: null,
  };
}

type FactsView = Pick<ActionTaskView, 'workspaceRoot' | 'taskHint' | 'trainingCommands'>;

/** Feed it every event of the run in order; live, the actions feed it themselves. */
export class ActionFactsFold {
  readonly facts: ActionFacts;

  constructor(private readonly task: FactsView) {
    this.facts = emptyFacts(task.taskHint.mode === 'upfront');
  }

  /** `at`: wall clock of the event, ms since 1970. */
  apply(event: NewEvent, at: number): void {
    const { facts } = this;
    switch (event.kind) {
      case 'action.started':
        facts.pending = { name: event.body.name, args: event.body.args, startedAt: at };
        return;
      case 'action.observed': {
        const args = facts.pending?.name === event.body.name ? facts.pending.args : {};
        facts.pending = null;
        for (const [key, offset] of Object.entries(event.body.offsets)) this.mark(key, at, offset);
        if (event.body.closedBy !== 'not_run') {
          this.observed(event.body.name, args, event.body.ok, event.body.data);
        }
        return;
      }
      case 'file.changed':
        facts.files.set(event.body.path, event.body.after);
        facts.shown.delete(event.body.path);
        return;
      case 'step.inherited':
        this.inherited(event.body);
        return;
      case 'branch.began':
        facts.evalsUsed = event.body.spent.evaluations.tries;
        facts.bestScore = event.body.spent.evaluations.best;
        facts.hintSeen ||= event.body.taskHintSeen === true;
        return;
      case 'session.opened':
        facts.sessions.set(`${event.body.computer}:${event.body.session}`, {
          uid: event.body.uid,
          ended: false,
        });
        return;
      case 'session.ended': {
        const open = facts.sessions.get(`${event.body.computer}:${event.body.session}`);
        if (open?.uid === event.body.uid) open.ended = true;
        return;
      }
      case 'evaluation.ended':
        if (event.body.attempt !== null) facts.evalsUsed = Math.max(facts.evalsUsed, event.body.attempt);
        if (event.body.score !== null) {
          facts.bestScore = Math.max(facts.bestScore ?? event.body.score, event.body.score);
        }
        return;
      default:
        return;
    }
  }

  private mark(key: string, at: number, offset: number): void {
    const marks = this.facts.marks.get(key) ?? [];
    if (marks.at(-1)?.[1] === offset) return;
    marks.push([at, offset]);
    if (marks.length > maxMarks) marks.splice(0, marks.length - maxMarks);
    this.facts.marks.set(key, marks);
  }

  private observed(
    name: string,
    args: Record<string, string | number | boolean>,
    ok: boolean,
    data: Record<string, unknown>,
  ): void {
    const { facts } = this;
    const path = typeof data.path === 'string' ? data.path : null;
    const number = (key: string) => (typeof data[key] === 'number' ? data[key] : null);
    if (name === 'think') {
      facts.thought = true;
      return;
    }
    facts.last = { name, path };
    const seq = number('commandSeq');
    if (typeof data.sessionId === 'string') {
      if (seq !== null) {
        const before = facts.commandSeqs.get(data.sessionId) ?? 0;
        facts.commandSeqs.set(data.sessionId, Math.max(before, seq));
      }
      const cleared = number('clearedTo');
      if (cleared !== null) facts.cleared.set(data.sessionId, cleared);
    }
    if (name === 'run_command') this.command(String(args.command ?? data.command ?? ''), data.async === true);
    if (!ok) return;
    if (name === 'view_hint') facts.hintSeen = true;
    if (name === 'finish') facts.finished = true;
    if (name === 'edit_file' || name === 'create_file') facts.worked = true;
    if (path === null) return;
    const startLine = number('shownStart') ?? number('startLine');
    const endLine = number('shownEnd') ?? number('endLine');
    const total = number('totalLines');
    if (startLine !== null && endLine !== null && total !== null) {
      if (endLine >= startLine) this.show(path, total, [[startLine, endLine]]);
      else this.show(path, total, []);
    }
    if (Array.isArray(data.hitLines)) {
      this.show(
        path,
        total,
        data.hitLines.filter((line) => typeof line === 'number').map((line) => [line, line]),
      );
    }
    if (data.window && typeof data.windowSize === 'number' && startLine !== null && endLine !== null) {
      facts.currentFile = { path, startLine, endLine, size: data.windowSize };
    }
  }

  /** Of what a branch's parent did only what does not depend on its files and sessions. */
  private inherited({ observed }: EventBody<'step.inherited'>): void {
    const { facts } = this;
    for (const { name, ok, closedBy, data } of observed) {
      if (closedBy === 'not_run') continue;
      facts.thought ||= name === 'think';
      facts.worked ||= ok && (name === 'edit_file' || name === 'create_file');
      if (name === 'run_command') {
        const command = String(data.command ?? '');
        facts.worked ||= data.async === true;
        facts.trained ||= this.task.trainingCommands.some((pattern) => pattern.test(command));
      }
    }
  }

  private command(command: string, async: boolean): void {
    if (async) this.facts.worked = true;
    if (this.task.trainingCommands.some((pattern) => pattern.test(command))) this.facts.trained = true;
    for (const path of looksAt(command)) {
      this.show(joinShellPath(this.task.workspaceRoot, path), null, [[1, everything]]);
    }
  }

  private show(path: string, total: number | null, ranges: [number, number][]): void {
    const before = this.facts.shown.get(path);
    const merged: [number, number][] = [];
    for (const range of [...(before?.ranges ?? []), ...ranges].sort((a, b) => a[0] - b[0])) {
      const last = merged.at(-1);
      if (last && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
      else merged.push([range[0], range[1]]);
    }
    this.facts.shown.set(path, { total: total ?? before?.total ?? null, ranges: merged });
  }
}
