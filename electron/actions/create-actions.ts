import { boundText, fewOf, observationLimit } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import type { ActionContext, ActionOutcome, ActionPort, ParsedCall, StandingAnswers } from '../agent/ports';
import { SerialQueue } from '../base/serial-queue';
import type { Clock } from '../clock';
import { ComputerUnavailable } from '../computer/failures';
import { isHost, isUp } from '../computer/hosts';
import type { Computer } from '../computer/port';
import type { FileEdit } from '../label/file-edit';
import {
  ActionArguments,
  type ActionDefinition,
  type ActionEnvironment,
  type ActionResult,
  failed,
} from './action';
import { ActionFactsFold } from './action-facts';
import { approvalQuestion } from './approval';
import { CodeTracker } from './code-tracker';
import { editNotices, guardVerdicts } from './guards';
import { parseCall, toolOf } from './parse-call';
import { SessionDesk, type StoredBytes } from './session-desk';
import { SessionLedger } from './session-ledger';
import { offeredActions } from './table';
import type { ActionTaskView, EvaluationRequest, EvaluationResult } from './task-view';
import { endOverdue } from './training-limit';
import { WorkspaceFiles } from './workspace-files';

/** The computers a call cannot do without: while one of them is away the call waits, whatever the others do. */
function neededComputers(
  call: ParsedCall,
  action: ActionDefinition,
  task: ActionTaskView,
): ReadonlySet<string> {
  const param = action.params.find(({ name }) => name === 'computer_ip');
  if (param) {
    const named = call.args.computer_ip;
    if (typeof named === 'string') return new Set([task.aliases[named] ?? named]);
    const all = param.required === undefined;
    return new Set(all ? task.computers.map(({ name }) => name) : [task.filesComputer]);
  }
  return new Set(action.family === 'file' || action.name === 'eval' ? [task.filesComputer] : []);
}

/** Characters of an observation that are kept for notices: of guards, and of sessions that were lost. */
const noticeRoom = 800;

export interface ActionDeps {
  task: ActionTaskView;
  /** By the names of `task.computers`; the sessions on them belong to this run alone. */
  computers: ReadonlyMap<string, Computer>;
  evaluate(request: EvaluationRequest): Promise<EvaluationResult>;
  clock: Clock;
  /** The run's log so far, folded; absent for a new run. The actions go on feeding it. */
  facts?: ActionFactsFold;
  /** Session bytes that are stored here, for those a host has dropped; fewer or none where they are not. */
  stored?: StoredBytes;
  /** Where the shells of a computer's sessions stand now, by session name; absent: nobody can tell. */
  directories?(computer: Computer): Promise<ReadonlyMap<string, string>>;
  /** Exact offset of a session's first byte received at or after a wall-clock time, when the caller keeps such times. */
  offsetAt?(computer: string, session: string, since: number): number | undefined;
  /** Whether the model in force takes images; absent: it does not. */
  takesImages?(): boolean;
}

/** The offered actions of one run. @throws WaymarkError unsupported when the task's workspace has no computer */
export function createActions(deps: ActionDeps): ActionPort {
  return new Actions(deps);
}

class Actions implements ActionPort {
  private readonly deps: ActionDeps;
  private readonly fold: ActionFactsFold;
  private readonly offered: ReadonlyMap<string, ActionDefinition>;
  private readonly env: ActionEnvironment;
  /** The call that is under way; what it has come to survives the loss of a link. */
  private current: Current = nothingUnderWay();
  /** Step and call that ran last: what the shell changes from then on is theirs. */
  private latest: { step: number; call: number } | null = null;
  /** One look at the code at a time. */
  private readonly scans = new SerialQueue();

  constructor(deps: ActionDeps) {
    const { task, clock } = deps;
    const holder = deps.computers.get(task.filesComputer);
    if (!holder) {
      throw new WaymarkError(
        'unsupported',
        `The computer ${task.filesComputer} of the workspace is not connected.`,
      );
    }
    this.deps = deps;
    this.fold = deps.facts ?? new ActionFactsFold(task);
    this.offered = offeredActions(task);
    const { facts } = this.fold;
    this.env = {
      task,
      facts,
      desk: new SessionDesk(task, deps.computers, facts, clock, deps.stored),
      ledger: new SessionLedger(task, deps.computers, facts, clock),
      progress: {},
      files: new WorkspaceFiles(holder.files, task),
      tracker: new CodeTracker(holder.files, task.codeFolders, task.filesComputer, facts.files, () =>
        clock.now(),
      ),
      clock,
      evaluate: (request) => deps.evaluate(request),
      directoryOf: async (computer, session) => (await deps.directories?.(computer))?.get(session),
      offsetAt: (computer, session, since) => this.offsetAt(computer, session, since),
      takesImages: () => deps.takesImages?.() ?? false,
    };
  }

  tools() {
    return [...this.offered.values()].map((action) => toolOf(action, this.deps.task));
  }

  parse(name: string, argumentsText: string) {
    return parseCall(this.offered, this.deps.task, name, argumentsText);
  }

  guards(call: ParsedCall, step: number) {
    return guardVerdicts(call, this.deps.task, this.fold.facts, step);
  }

  approval(call: ParsedCall, standing: StandingAnswers) {
    const { task } = this.deps;
    const named = [...neededComputers(call, this.action(call.name), task)];
    const asks = task.computers.some(({ name, approvals }) => named.includes(name) && approvals === 'on');
    const question = asks ? approvalQuestion(call, task, standing) : null;
    return question && { ...question, on: named };
  }

  offsets() {
    return this.env.ledger.offsets();
  }

  async run(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    const { step, call: index, callId } = context;
    const started = { step, call: index, callId, name: call.name, args: call.args, guards: [] };
    this.fold.apply({ kind: 'action.started', body: started }, this.deps.clock.now());
    const action = this.action(call.name);
    return this.perform(call, context, 'run', (args) => action.run(args, this.env, context));
  }

  async codeChanges(): Promise<NewEvent[]> {
    const { tracker } = this.env;
    const latest = this.latest;
    if (latest === null || !tracker.ready) return [];
    // A call that will look itself attributes what it finds to its own step.
    if (this.current.scanned) return [];
    const events = (await this.scan(new Set(), () => tracker.changes(latest.step, latest.call))) ?? [];
    this.apply(events);
    return events;
  }

  async look(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    const action = this.action(call.name);
    const look = action.look ?? action.run;
    // After a lost link it is the same process and the same call: it went on, and was not looked up afterwards.
    const closedBy = context.lookFor === 'link' ? 'run' : 'look';
    return this.perform(call, context, closedBy, (args) => look(args, this.env, context));
  }

  /** @throws WaymarkError bug: only parsed calls get here */
  private action(name: string): ActionDefinition {
    const action = this.offered.get(name);
    if (!action) throw new WaymarkError('bug', `The action ${name} is not offered in this run.`);
    return action;
  }

  private async perform(
    call: ParsedCall,
    context: ActionContext,
    closedBy: 'run' | 'look',
    act: (args: ActionArguments) => Promise<ActionResult>,
  ): Promise<ActionOutcome> {
    const action = this.action(call.name);
    const { ledger, tracker } = this.env;
    const { step, call: index, callId } = context;
    this.latest = { step, call: index };
    const current = this.begin(context);
    const needed = neededComputers(call, action, this.deps.task);
    if (current.result === null) {
      if (action.mayChangeFiles) {
        const before = await this.scan(needed, () => tracker.prepare(step, index));
        current.scanned = before !== null;
        this.note(before ?? []);
      }
      await this.endOverdue(current);
      const result = await expected(() => act(argumentsOf(action, call)));
      // From here on the result stands, also when a link breaks before everything around it was looked at.
      current.result = { ...result, closedBy: result.closedBy ?? closedBy };
      this.note(result.events ?? []);
    }
    const result = current.result;
    await this.endOverdue(current);
    const data: Record<string, unknown> = { ...result.data };
    if (current.settled.length > 0) data.trainingsSettled = current.settled;
    const around = [
      current.scanned ? this.scanAround(needed, context) : null,
      action.family === 'command' || action.mayChangeFiles ? this.reconcileAround(needed, current) : null,
    ];
    // At the same time, and each to its end: what one found is kept when a link breaks under the other.
    for (const looked of await Promise.allSettled(around)) {
      if (looked.status === 'rejected') throw looked.reason;
    }
    if (action.mayChangeFiles && (!current.compared || tracker.truncated)) data.codeScanPartial = true;
    const outcome: ActionOutcome = {
      ok: result.ok,
      error: result.error ?? null,
      text:
        boundText(result.text, 'ask for a smaller part', observationLimit - noticeRoom) +
        lostNotice(current.lost) +
        fewOf(current.told)
          .map((message) => `\n\n[Notice] ${message}`)
          .join(''),
      data,
      closedBy: result.closedBy ?? closedBy,
      events: current.events,
      ends: result.ends ?? null,
      ...(result.images === undefined ? {} : { images: result.images }),
    };
    this.current = nothingUnderWay();
    const observed = {
      step,
      call: index,
      callId,
      name: call.name,
      ok: outcome.ok,
      error: outcome.error,
      text: '',
      data,
      offsets: ledger.offsets(),
      durationMs: 0,
      closedBy: outcome.closedBy,
      imitatesHuman: false,
    };
    return this.noticed(
      outcome,
      this.fold.apply({ kind: 'action.observed', body: observed }, this.deps.clock.now()),
    );
  }

  /** The observation with what is to be said of the edits that the action has made. */
  private noticed(outcome: ActionOutcome, edits: readonly FileEdit[]): ActionOutcome {
    const notices = editNotices(edits, this.deps.task);
    if (notices.length === 0) return outcome;
    const text = outcome.text + notices.map(({ message }) => `\n\n[Notice] ${message}`).join('');
    return { ...outcome, text, data: { ...outcome.data, notices } };
  }

  /** Trainings that have run for as long as one may are ended before an action and after it. */
  private async endOverdue(current: Current): Promise<void> {
    const { task, computers } = this.deps;
    const { facts } = this.fold;
    const { settled, notices } = await endOverdue(task, facts, computers);
    for (const uid of settled) facts.trainings.delete(uid);
    current.settled.push(...settled);
    current.told.push(...notices);
  }

  private async scanAround(needed: ReadonlySet<string>, { step, call }: ActionContext): Promise<void> {
    const found = await this.scan(needed, () => this.env.tracker.changes(step, call));
    this.current.compared = found !== null;
    this.note(found ?? []);
  }

  private async reconcileAround(needed: ReadonlySet<string>, current: Current): Promise<void> {
    const { events, lost } = await this.env.ledger.reconcile(needed);
    this.note(events);
    current.lost.push(...lost);
  }

  /** The call as far as it got before; what an interrupted one left to be written down goes with the next. */
  private begin({ step, call, callId }: ActionContext): Current {
    const key = `${step}.${call}.${callId}`;
    if (this.current.key !== key) {
      this.current = { ...nothingUnderWay(), key, events: this.current.events };
      this.env.progress = {};
    }
    return this.current;
  }

  /** Folds events and keeps them for the call's observation. */
  private note(events: readonly NewEvent[]): void {
    this.apply(events);
    this.current.events.push(...events);
  }

  /** A look at the code folders; null: the workspace's computer is away, and the call does not need it. */
  private async scan(
    needed: ReadonlySet<string>,
    work: () => Promise<NewEvent[]>,
  ): Promise<NewEvent[] | null> {
    const { filesComputer } = this.deps.task;
    const holder = this.deps.computers.get(filesComputer);
    const optional = !needed.has(filesComputer);
    if (optional && holder && isHost(holder) && !isUp(holder)) return null;
    try {
      return await this.scans.run(work);
    } catch (error) {
      if (optional && error instanceof ComputerUnavailable) return null;
      throw error;
    }
  }

  private apply(events: readonly NewEvent[]): void {
    const now = this.deps.clock.now();
    for (const event of events) this.fold.apply(event, now);
  }

  /** Exact where the caller knows; else from the offsets at earlier observations, which may show a little more. */
  private offsetAt(computer: string, session: string, since: number): number | undefined {
    const exact = this.deps.offsetAt?.(computer, session, since);
    if (exact !== undefined) return exact;
    const marks = this.fold.facts.marks.get(`${computer}:${session}`) ?? [];
    let found: number | undefined;
    for (const [at, offset] of marks) if (at <= since) found = offset;
    return found;
  }
}

/** One call, from its first try to its observation. */
interface Current {
  key: string;
  /** To be written down with the observation; folded already. */
  events: NewEvent[];
  result: ActionResult | null;
  /** The code folders were looked at before it. */
  scanned: boolean;
  /** And after it. */
  compared: boolean;
  /** Sessions that were found lost. */
  lost: string[];
  /** Sessions whose training has ended, and what is to be said of those that were ended here. */
  settled: string[];
  told: string[];
}

const nothingUnderWay = (): Current => ({
  key: '',
  events: [],
  result: null,
  scanned: false,
  compared: false,
  lost: [],
  settled: [],
  told: [],
});

function argumentsOf(action: ActionDefinition, call: ParsedCall): ActionArguments {
  const defaults = action.params.flatMap((param) =>
    param.default === undefined ? [] : [[param.name, param.default] as const],
  );
  return new ActionArguments({ ...Object.fromEntries(defaults), ...call.args });
}

/** A restart of a computer is no trouble with a link: the agent has to know what is gone. */
function lostNotice(lost: readonly string[]): string {
  if (lost.length === 0) return '';
  const which =
    lost.length === 1 ? `The session ${lost[0]} was` : `The sessions ${fewOf(lost, 8).join(', ')} were`;
  return `\n\n[Notice] ${which} lost: the computer restarted, or something ended the shell from outside. Whatever was running there is gone; its output can still be read.`;
}

/** Expected failures of computer and files become the observation; a computer that is away and bugs are thrown on. */
async function expected(act: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof WaymarkError) || error instanceof ComputerUnavailable || error.code === 'bug')
      throw error;
    const result = failed(error.code, error.message);
    if (error.detail !== undefined && result.error) result.error.detail = error.detail;
    return result;
  }
}
