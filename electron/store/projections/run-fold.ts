import { noticesOf } from '@shared/log/event-parts';
import { type EventBody, type EventOf, type RunEvent, validCalls } from '@shared/log/events';
import { addProtectedChanges, addScore } from '@shared/runs/scores';
import type { StoredRunState } from '../log/run-state';
import { sessionActivity } from '../sessions/session-activity';
import { foldApprovals, foldKinds } from './approval-fold';
import type { FoldSink } from './fold-rows';
import { foldChange, foldContext, pay } from './run-fold-changes';
import { observationLine, stepTitle, titleFromText } from './step-title';

const SEARCHES = new Set(['search_dir', 'search_file', 'find_file', 'web_search']);

/** What a search action looks for and where; null for any other action. */
function searchOf(
  name: string,
  args: EventBody<'action.started'>['args'],
): { query: string; place: string } | null {
  if (!SEARCHES.has(name)) {
    return null;
  }
  const query = args.search_term ?? args.query ?? args.file_name ?? '';
  const place = args.dir_path ?? args.file_path ?? (name === 'web_search' ? 'web' : '');
  return { query: String(query), place: String(place) };
}

/** The number of hits in the facts of an observation. */
function hitsOf(data: Record<string, unknown>): number | null {
  for (const found of [data.hits, data.matches, data.results, data.total]) {
    if (typeof found === 'number') {
      return found;
    }
    if (Array.isArray(found)) {
      return found.length;
    }
  }
  return null;
}

/**
 * Advances the state by one stored event and hands changed rows to the sink. Pure but for that: the same
 * function serves the appending transaction, the rebuild and `verify`. Hints are projected elsewhere.
 */
export function foldEvent(state: StoredRunState, event: RunEvent, sink: FoldSink): void {
  if (TIMED.has(event.kind)) {
    const { seq, kind, at, body } = event;
    sink.timing({ seq, kind, at, previousAt: state.lastAt, body });
  }
  state.lastAt = event.kind === 'clock.jumped' ? event.body.to : Math.max(state.lastAt, event.at);
  foldKind(state, event, sink);
  keepApprovals(state, event);
}

function keepApprovals(state: StoredRunState, event: RunEvent): void {
  const open = foldApprovals(state.approvals, event);
  if (open === undefined) delete state.approvals;
  else state.approvals = open;
  // No log of a version before had any: what an older fold kept of them, nothing, is right.
  if (event.kind !== 'approval.decided' && event.kind !== 'approval.withdrawn') return;
  const kinds = foldKinds(state.kinds, event);
  if (kinds === undefined) delete state.kinds;
  else state.kinds = kinds;
}

/** Enough of an observation to find its first line in, UTF-16 units. */
const OBSERVATION_LOOK = 2_000;

/** The kinds that `WorkingTime` (shared/runs/working-time.ts) reads. */
const TIMED: ReadonlySet<string> = new Set([
  'driver.started',
  'run.status',
  'command.ran',
  'clock.suspended',
  'clock.jumped',
  'branch.began',
]);

function foldKind(state: StoredRunState, event: RunEvent, sink: FoldSink): void {
  switch (event.kind) {
    case 'run.created':
      state.root = event.body.workspaceRoot;
      return;
    case 'run.status':
      foldStatus(state, event, sink);
      return;
    case 'segment.started':
      state.segments = event.body.segment;
      sink.segment({
        seq: event.seq,
        segment: event.body.segment,
        firstStep: state.steps + 1,
        carried: event.body.carried ?? null,
      });
      return;
    case 'model.requested':
      foldRequest(state, event);
      return;
    case 'model.failed':
      state.until = event.body.retryInMs === null ? null : event.at + event.body.retryInMs;
      pay(state, { usage: event.body.usage ?? null, cost: event.body.cost ?? null });
      return;
    case 'model.answered':
      foldAnswer(state, event, sink);
      return;
    case 'summary.started':
    case 'summary.rejected':
    case 'summary.ended':
    case 'context.shortened':
    case 'context.images_left_out':
      foldContext(state, event, sink);
      return;
    case 'model.changed':
    case 'limits.changed':
    case 'gpu.changed':
    case 'checkpoint.made':
    case 'branch.began':
      foldChange(state, event, sink);
      return;
    case 'action.started':
      foldAction(state, event, sink);
      return;
    case 'action.observed':
      foldObservation(state, event, sink);
      return;
    case 'step.taught':
    case 'step.imported':
      touch(state, event.body.step, event.seq, sink);
      return;
    case 'hint.delivered':
      sink.note({ seq: event.seq, step: event.body.step, note: { kind: 'hint', hints: event.body.hints } });
      foldDelivery(state, event, sink);
      return;
    case 'file.changed':
      foldFile(event, sink);
      if (touch(state, event.body.step, event.seq, sink) && state.head !== null) {
        state.head.computer ||= event.body.computer;
      }
      return;
    case 'evaluation.ended':
      foldEvaluation(state, event, sink);
      return;
    case 'session.opened':
      state.sessions[`${event.body.computer}:${event.body.session}`] = event.body.uid;
      sink.sessionOpened({ seq: event.seq, ...event.body });
      return;
    case 'session.gap': {
      const { uid, computer, session, from, to } = event.body;
      state.gaps = { ...state.gaps, [uid]: [...(state.gaps?.[uid] ?? []), { from, to }] };
      sink.note({ seq: event.seq, step: state.steps, note: { kind: 'gap', computer, session, from, to } });
      return;
    }
    case 'session.unfollowed': {
      const { computer, session, offset, message } = event.body;
      const note = { kind: 'unfollowed' as const, computer, session, offset, message };
      sink.note({ seq: event.seq, step: state.steps, note });
      return;
    }
    case 'session.rested':
      sink.sessionActivity({ uid: event.body.uid, command: null, state: 'idle' });
      return;
    case 'session.ended':
      if (state.sessions[`${event.body.computer}:${event.body.session}`] === event.body.uid) {
        delete state.sessions[`${event.body.computer}:${event.body.session}`];
      }
      sink.sessionEnded({
        uid: event.body.uid,
        exitCode: event.body.exitCode,
        lost: event.body.lost === true,
      });
      return;
    case 'clock.suspended': {
      const ms = Math.max(0, event.body.to - event.body.from);
      sink.note({ seq: event.seq, step: state.steps, note: { kind: 'suspended', ms } });
      return;
    }
    default:
      return;
  }
}

function foldStatus(state: StoredRunState, event: EventOf<'run.status'>, sink: FoldSink): void {
  const { status, reason, message } = event.body;
  Object.assign(state, { status, reason, message, until: null });
  if (status !== 'running') {
    state.activity = 'none';
    settle(state, sink);
  }
  sink.note({ seq: event.seq, step: state.steps, note: { kind: 'status', status, reason, message } });
}

function foldRequest(state: StoredRunState, event: EventOf<'model.requested'>): void {
  const { step, tokensEstimate } = event.body;
  if (state.requested?.step !== step) {
    state.requested = { step, seq: event.seq, at: event.at, context: tokensEstimate };
  }
  state.tokens.context = tokensEstimate;
  state.activity = 'thinking';
  state.until = null;
}

function foldAnswer(state: StoredRunState, event: EventOf<'model.answered'>, sink: FoldSink): void {
  const { body } = event;
  settle(state, sink);
  // The call of a summary turn is its answer: nothing is run for it.
  const valid = body.kind === 'summary' ? [] : validCalls(body);
  state.steps = Math.max(state.steps, body.step);
  state.calls = valid.length;
  state.observed = 0;
  state.search = null;
  state.activity = 'none';
  state.until = null;
  state.carrier = body.kind === 'summary' ? (state.carrier ?? state.head) : null;
  pay(state, body);
  if (body.cost === null) state.unpriced = (state.unpriced ?? 0) + 1;
  if (body.usage !== null && body.kind !== 'summary') {
    state.tokens.context = body.usage.inputTokens + body.usage.outputTokens;
  }
  state.taken += body.kind === 'summary' ? 0 : 1;
  state.head = {
    step: body.step,
    seq0: state.requested?.step === body.step ? state.requested.seq : event.seq,
    seq1: event.seq,
    at: event.at,
    stepId: body.stepId,
    segment: Math.max(1, state.segments),
    kind: body.kind,
    tool: valid[0]?.name ?? '',
    computer: '',
    title: titleFromText(body.text === '' ? body.reasoning : body.text),
    observation: '',
    done: valid.length === 0,
    ok: valid.length > 0 || body.kind === 'summary',
    errorCode: null,
    exitCode: null,
    bytes: 0,
    score: null,
    imitatesHuman: false,
    guards: [],
    hinted: false,
  };
  state.requested = null;
  sink.head(state.head, false);
}

function foldAction(state: StoredRunState, event: EventOf<'action.started'>, sink: FoldSink): void {
  const { step, name, args, guards } = event.body;
  const sleeping = name === 'sleep';
  state.activity = sleeping ? 'sleeping' : 'acting';
  state.until = sleeping && typeof args.sleep_time === 'number' ? event.at + args.sleep_time * 1000 : null;
  state.search = searchOf(name, args);
  if (!touch(state, step, event.seq, sink) || state.head === null) {
    return;
  }
  if (event.body.name === state.head.tool && state.observed === 0) {
    const title = stepTitle(name, withoutRoot(args, state.root));
    state.head.title = title === '' ? state.head.title : title;
  }
  state.head.guards.push(...guards.map(({ rule }) => rule));
}

function withoutRoot(
  args: EventBody<'action.started'>['args'],
  root: string,
): EventBody<'action.started'>['args'] {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string' ? relative(value, root) : value,
    ]),
  );
}

/** Paths in a text as the workspace's own: `/…/work/task/a.py` reads `task/a.py`. */
function relative(text: string, root: string): string {
  // Replacing costs far more than looking, and most texts name none.
  return root === '' || !text.includes(root) ? text : text.replaceAll(`${root}/`, '');
}

function foldObservation(state: StoredRunState, event: EventOf<'action.observed'>, sink: FoldSink): void {
  const { body } = event;
  state.activity = 'none';
  state.until = null;
  if (state.search !== null) {
    sink.query({
      seq: event.seq,
      step: body.step,
      tool: body.name,
      ...state.search,
      hits: hitsOf(body.data),
    });
    state.search = null;
  }
  foldSessionActivity(state, body, sink);
  if (!touch(state, body.step, event.seq, sink) || state.head === null) {
    return;
  }
  const { head } = state;
  const exitCode = typeof body.data.exitCode === 'number' ? body.data.exitCode : null;
  state.observed += 1;
  head.done = state.observed >= state.calls;
  head.ok = head.ok && body.ok;
  head.errorCode ??= body.error?.code ?? null;
  head.exitCode = head.exitCode === null || head.exitCode === 0 ? (exitCode ?? head.exitCode) : head.exitCode;
  head.computer ||= typeof body.data.computer === 'string' ? body.data.computer : '';
  head.bytes += Buffer.byteLength(body.text);
  head.imitatesHuman ||= body.imitatesHuman;
  if (body.images !== undefined && body.images.length > 0) head.pictured = true;
  head.guards.push(...noticesOf(body.data).map(({ rule }) => rule));
  head.observation ||= observationLine(relative(body.text.slice(0, OBSERVATION_LOOK), state.root));
}

function foldSessionActivity(
  state: StoredRunState,
  body: EventBody<'action.observed'>,
  sink: FoldSink,
): void {
  const { computer, session } = body.data;
  const uid = state.sessions[`${String(computer)}:${String(session)}`];
  if (uid === undefined) {
    return;
  }
  sink.sessionActivity({ uid, ...sessionActivity(body) });
}

/** After summary turns the step that carries the hints is not the latest one. */
function foldDelivery(state: StoredRunState, { body, seq }: EventOf<'hint.delivered'>, sink: FoldSink): void {
  const row = [state.head, state.carrier].find((each) => each?.step === body.step);
  if (row == null) {
    return;
  }
  row.hinted = true;
  row.seq1 = Math.max(row.seq1, seq);
  sink.head(row, false);
}

function foldFile(event: EventOf<'file.changed'>, sink: FoldSink): void {
  const { step, computer, path, before, after, size, by } = event.body;
  sink.file({ seq: event.seq, step, computer, path, before, after, size, by });
}

function foldEvaluation(state: StoredRunState, event: EventOf<'evaluation.ended'>, sink: FoldSink): void {
  const { score, attempt, forced, message, protectedChanged } = event.body;
  const step = event.body.step ?? state.steps;
  addScore(state.scores, score, forced);
  const changes = addProtectedChanges(state.protectedChanged, protectedChanged);
  if (changes !== undefined) state.protectedChanged = changes;
  state.tries = Math.max(state.tries, forced ? 0 : (attempt ?? 0));
  sink.evaluation({ seq: event.seq, step, attempt, forced, score });
  sink.note({ seq: event.seq, step, note: { kind: 'score', score, attempt, forced, message } });
  if (touch(state, step, event.seq, sink) && state.head !== null && score !== null) {
    state.head.score = score;
  }
}

/** A step that nothing may come for any more gets its row although calls are open. */
function settle(state: StoredRunState, sink: FoldSink): void {
  if (state.head !== null && !state.head.done) {
    sink.head(state.head, true);
  }
}

/** Marks the latest step's row as changed; false when the event belongs to another step. */
function touch(state: StoredRunState, step: number, seq: number, sink: FoldSink): boolean {
  if (state.head === null || state.head.step !== step) {
    return false;
  }
  state.head.seq1 = Math.max(state.head.seq1, seq);
  sink.head(state.head, false);
  return true;
}
