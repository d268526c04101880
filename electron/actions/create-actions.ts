import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import type { ActionContext, ActionOutcome, ActionPort, ParsedCall } from '../agent/ports';
import type { Clock } from '../clock';
import { ComputerUnavailable } from '../computer/failures';
import type { Computer } from '../computer/port';
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
import { guardVerdicts } from './guards';
import { parseCall, toolOf } from './parse-call';
import { SessionDesk } from './session-desk';
import { offeredActions } from './table';
import type { ActionTaskView, EvaluationRequest, EvaluationResult } from './task-view';
import { WorkspaceFiles } from './workspace-files';

export interface ActionDeps {
  task: ActionTaskView;
  /** By the names of `task.computers`; the sessions on them belong to this run alone. */
  computers: ReadonlyMap<string, Computer>;
  evaluate(request: EvaluationRequest): Promise<EvaluationResult>;
  clock: Clock;
  /** The run's log so far, folded; absent for a new run. The actions go on feeding it. */
  facts?: ActionFactsFold;
  /** Exact offset of a session's first byte received at or after a wall-clock time, when the caller keeps such times. */
  offsetAt?(computer: string, session: string, since: number): number | undefined;
}

/** The offered actions of one run. @throws WaymarkError unsupported when the task's workspace has no computer */
export function createActions(deps: ActionDeps): ActionPort {
  return new Actions(deps);
}

class Actions implements ActionPort {
  readonly #deps: ActionDeps;
  readonly #fold: ActionFactsFold;
  readonly #offered: ReadonlyMap<string, ActionDefinition>;
  readonly #env: ActionEnvironment;

  constructor(deps: ActionDeps) {
    const { task, clock } = deps;
    const holder = deps.computers.get(task.filesComputer);
    if (!holder) {
      throw new WaymarkError(
        'unsupported',
        `The computer ${task.filesComputer} of the workspace is not connected.`,
      );
    }
    this.#deps = deps;
    this.#fold = deps.facts ?? new ActionFactsFold(task);
    this.#offered = offeredActions(task);
    const { facts } = this.#fold;
    this.#env = {
      task,
      facts,
      desk: new SessionDesk(task, deps.computers, facts, clock),
      files: new WorkspaceFiles(holder.files, task),
      tracker: new CodeTracker(holder.files, task.codeFolders, task.filesComputer, facts.files, () =>
        clock.now(),
      ),
      clock,
      evaluate: (request) => deps.evaluate(request),
      offsetAt: (computer, session, since) => this.#offsetAt(computer, session, since),
    };
  }

  tools() {
    return [...this.#offered.values()].map((action) => toolOf(action, this.#deps.task));
  }

  parse(name: string, argumentsText: string) {
    return parseCall(this.#offered, this.#deps.task, name, argumentsText);
  }

  guards(call: ParsedCall) {
    return guardVerdicts(call, this.#deps.task, this.#fold.facts);
  }

  approval(call: ParsedCall) {
    return approvalQuestion(call, this.#deps.task);
  }

  offsets() {
    return this.#env.desk.offsets();
  }

  async run(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    const { step, call: index, callId } = context;
    const started = { step, call: index, callId, name: call.name, args: call.args, guards: [] };
    this.#fold.apply({ kind: 'action.started', body: started }, this.#deps.clock.now());
    const action = this.#action(call.name);
    return this.#perform(call, context, 'run', (args) => action.run(args, this.#env, context));
  }

  async look(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    const action = this.#action(call.name);
    const look = action.look ?? action.run;
    return this.#perform(call, context, 'look', (args) => look(args, this.#env, context));
  }

  /** @throws WaymarkError bug: only parsed calls get here */
  #action(name: string): ActionDefinition {
    const action = this.#offered.get(name);
    if (!action) throw new WaymarkError('bug', `The action ${name} is not offered in this run.`);
    return action;
  }

  async #perform(
    call: ParsedCall,
    context: ActionContext,
    closedBy: 'run' | 'look',
    act: (args: ActionArguments) => Promise<ActionResult>,
  ): Promise<ActionOutcome> {
    const action = this.#action(call.name);
    const { tracker, desk } = this.#env;
    const before = action.mayChangeFiles ? await tracker.prepare(context.step, context.call) : [];
    const defaults = action.params.flatMap((param) =>
      param.default === undefined ? [] : [[param.name, param.default] as const],
    );
    const result = await expected(() =>
      act(new ActionArguments({ ...Object.fromEntries(defaults), ...call.args })),
    );
    const data = { ...result.data };
    const events: NewEvent[] = [...before, ...(result.events ?? [])];
    if (action.mayChangeFiles) {
      events.push(...(await tracker.changes(context.step, context.call)));
      if (tracker.truncated) data.codeScanPartial = true;
    }
    this.#apply(events);
    if (action.family === 'command' || action.mayChangeFiles) {
      const sessions = await desk.reconcile();
      this.#apply(sessions);
      events.push(...sessions);
    }
    const outcome: ActionOutcome = {
      ok: result.ok,
      error: result.error ?? null,
      text: result.text,
      data,
      closedBy: result.closedBy ?? closedBy,
      events,
      ends: result.ends ?? null,
    };
    const { step, call: index, callId } = context;
    const observed = {
      ...{ step, call: index, callId, name: call.name, ok: outcome.ok, error: outcome.error, text: '' },
      ...{ data, offsets: desk.offsets(), durationMs: 0, closedBy: outcome.closedBy, imitatesHuman: false },
    };
    this.#apply([{ kind: 'action.observed', body: observed }]);
    return outcome;
  }

  #apply(events: readonly NewEvent[]): void {
    const now = this.#deps.clock.now();
    for (const event of events) this.#fold.apply(event, now);
  }

  /** Exact where the caller knows; else from the offsets at earlier observations, which may show a little more. */
  #offsetAt(computer: string, session: string, since: number): number | undefined {
    const exact = this.#deps.offsetAt?.(computer, session, since);
    if (exact !== undefined) return exact;
    const marks = this.#fold.facts.marks.get(`${computer}:${session}`) ?? [];
    let found: number | undefined;
    for (const [at, offset] of marks) if (at <= since) found = offset;
    return found;
  }
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
