import type { EventBody, NewEvent } from '@shared/log/events';
import { bestOf } from '@shared/runs/scores';
import type { FileEdit } from '../label/file-edit';
import { FileSight } from '../label/file-sight';
import type { ActionTaskView } from './task-view';

/** A training command that was left running; `fromMs`: the run's working time when it was started. */
export interface Training {
  computer: string;
  session: string;
  seq: number;
  fromMs: number;
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
  /** The previous action other than `think`; `held`: a sleep that was put to the agent again instead. */
  last: { name: string; held: boolean } | null;
  /** What the agent has seen of files: the label rules' own reading. */
  sight: FileSight;
  /** Last recorded sha256 by path; null when deleted. */
  files: Map<string, string | null>;
  /** Keyed `computer:session`. */
  sessions: Map<string, { uid: string; ended: boolean }>;
  /** Computer → the session that an action used last there. */
  lastSession: Map<string, string>;
  /** Session uid → offset before which its output was cleared from the agent's view. */
  cleared: Map<string, number>;
  /** Session uid → highest command number an observation reported. */
  commandSeqs: Map<string, number>;
  /** Session uid → the command that was run there last, with its number. */
  commands: Map<string, { seq: number; text: string }>;
  /** Session uid → the training that runs there, as far as observations tell. */
  trainings: Map<string, Training>;
  /** `computer:session` → [wall ms, end offset], ascending; the base for "output since". */
  marks: Map<string, [number, number][]>;
  /** An action without an observation yet. */
  pending: { name: string; args: Record<string, string | number | boolean>; startedAt: number } | null;
}

const maxMarks = 400;

function emptyFacts(hintSeen: boolean, sight: FileSight): ActionFacts {
  return {
    currentFile: null,
    evalsUsed: 0,
    bestScore: null,
    hintSeen,
    finished: false,
    thought: false,
    worked: false,
    last: null,
    sight,
    files: new Map(),
    sessions: new Map(),
    lastSession: new Map(),
    cleared: new Map(),
    commandSeqs: new Map(),
    commands: new Map(),
    trainings: new Map(),
    marks: new Map(),
    pending: null,
  };
}

type FactsView = Pick<ActionTaskView, 'workspaceRoot' | 'taskHint' | 'codeFolders' | 'filesComputer'>;

/** Feed it every event of the run in order; live, the actions feed it themselves. */
export class ActionFactsFold {
  readonly facts: ActionFacts;

  constructor(task: FactsView) {
    const followed = { computer: task.filesComputer, folders: task.codeFolders };
    this.facts = emptyFacts(task.taskHint.mode === 'upfront', new FileSight(task.workspaceRoot, followed));
  }

  /** `at`: wall clock of the event, ms since 1970. Hands back the edits that an observation stands for. */
  apply(event: NewEvent, at: number): FileEdit[] {
    this.fold(event, at);
    return this.facts.sight.apply(event);
  }

  private fold(event: NewEvent, at: number): void {
    const { facts } = this;
    switch (event.kind) {
      case 'action.started':
        facts.pending = { name: event.body.name, args: event.body.args, startedAt: at };
        return;
      case 'action.observed': {
        facts.pending = null;
        for (const [key, offset] of Object.entries(event.body.offsets)) this.mark(key, at, offset);
        if (event.body.closedBy !== 'not_run') {
          this.observed(event.body.name, event.body.ok, event.body.data);
        }
        return;
      }
      case 'file.changed':
        facts.files.set(event.body.path, event.body.after);
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
        facts.bestScore = bestOf(facts.bestScore, event.body.score);
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

  private observed(name: string, ok: boolean, data: Record<string, unknown>): void {
    const { facts } = this;
    const path = typeof data.path === 'string' ? data.path : null;
    const number = (key: string) => (typeof data[key] === 'number' ? data[key] : null);
    if (name === 'think') {
      facts.thought = true;
      return;
    }
    facts.last = { name, held: data.held === true };
    if (typeof data.computer === 'string' && typeof data.session === 'string')
      facts.lastSession.set(data.computer, data.session);
    const seq = number('commandSeq');
    if (typeof data.sessionId === 'string') {
      if (seq !== null) {
        const before = facts.commandSeqs.get(data.sessionId) ?? 0;
        facts.commandSeqs.set(data.sessionId, Math.max(before, seq));
        if (typeof data.command === 'string') facts.commands.set(data.sessionId, { seq, text: data.command });
      }
      const cleared = number('clearedTo');
      if (cleared !== null) facts.cleared.set(data.sessionId, cleared);
    }
    this.trained(data, seq);
    if (name === 'run_command' && data.async === true) facts.worked = true;
    if (!ok) return;
    if (name === 'view_hint') facts.hintSeen = true;
    if (name === 'finish') facts.finished = true;
    if (name === 'edit_file' || name === 'create_file') facts.worked = true;
    if (path === null) return;
    const startLine = number('shownStart') ?? number('startLine');
    const endLine = number('shownEnd') ?? number('endLine');
    if (data.window && typeof data.windowSize === 'number' && startLine !== null && endLine !== null) {
      facts.currentFile = { path, startLine, endLine, size: data.windowSize };
    }
  }

  /** A newer command in a session, or a look at its end, says that what trained there has ended. */
  private trained(data: Record<string, unknown>, seq: number | null): void {
    const { trainings } = this.facts;
    if (Array.isArray(data.trainingsSettled)) for (const uid of data.trainingsSettled) trainings.delete(uid);
    const { computer, session, sessionId, trainingFromMs: fromMs } = data;
    if (typeof sessionId !== 'string' || typeof computer !== 'string' || typeof session !== 'string') return;
    const known = trainings.get(sessionId);
    if (known !== undefined && (seq ?? 0) > known.seq) trainings.delete(sessionId);
    if (known !== undefined && data.state === 'idle') trainings.delete(sessionId);
    if (seq !== null && typeof fromMs === 'number' && data.exitCode === undefined && data.async === true)
      trainings.set(sessionId, { computer, session, seq, fromMs });
  }

  /** Of what a branch's parent did only what does not depend on its files and sessions. */
  private inherited({ observed }: EventBody<'step.inherited'>): void {
    const { facts } = this;
    for (const { name, ok, closedBy, data } of observed) {
      if (closedBy === 'not_run') continue;
      facts.thought ||= name === 'think';
      facts.worked ||= ok && (name === 'edit_file' || name === 'create_file');
      facts.worked ||= name === 'run_command' && data.async === true;
    }
  }
}
