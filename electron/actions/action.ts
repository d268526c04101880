import type { ErrorCode } from '@shared/contract/errors';
import type { ActionFamily, ActionName } from '@shared/contract/task';
import type { NewEvent } from '@shared/log/events';
import type { ActionContext, ActionOutcome } from '../agent/ports';
import type { Clock } from '../clock';
import type { Computer, SessionState } from '../computer/port';
import type { ActionFacts } from './action-facts';
import type { CodeTracker } from './code-tracker';
import type { SessionDesk } from './session-desk';
import type { SessionLedger } from './session-ledger';
import type { ActionTaskView, EvaluationRequest, EvaluationResult } from './task-view';
import type { WorkspaceFiles } from './workspace-files';

/**
 * What one call has done so far, kept while its computer is away: with it the call goes on where the link broke, instead
 * of being done twice or reported as unknown. A restart of the application forgets it; then only looking helps.
 */
interface CallProgress {
  /** The session in which a command was about to run, and the highest command number in it before. */
  command?: { sessionId: string; before: number } | undefined;
  /** The command ran into its limit and is being ended; how the session was then. */
  killing?: { limit: number; state: SessionState['state'] };
  /** A name that was free, for a session that was about to be opened. */
  opening?: string | undefined;
  /** A line that is typed under this number, and where the log ended before. */
  typing?: { sessionId: string; inputSeq: number; endOffset: number };
  /** Content that was about to be written, by sha256, and what is said once it is. */
  writing?: { path: string; before: string | null; after: string; bytes: Uint8Array; result: ActionResult };
}

export type ArgumentValue = string | number | boolean;

export interface ActionParam {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean';
  /** For the model; absent where the name says it. */
  description?: string;
  /** For `docs/actions.md` only. */
  note?: string;
  /** `several`: required only where the task has more than one computer. */
  required?: boolean | 'several';
  /** The schema asks for it, a call without it is accepted: the paper's tools have a default (InnovatorBench, appendix F). */
  lenient?: boolean;
  /** Other names for it, as the paper has them; not part of the schema. */
  aliases?: readonly string[];
  /** Values that mean the same as leaving it out. */
  absent?: readonly string[];
  /** What is meant by a value of another shape, as the paper's agents send it; what it does not know it hands back. */
  meant?(raw: unknown): unknown;
  /** Used when the argument is absent; part of the schema unless it says nothing (false, ''). */
  default?: ArgumentValue;
  min?: number;
  max?: number;
  /** Outside `min` and `max` the nearest bound is used instead of refusing the call. */
  clamp?: boolean;
  /** Why a text cannot be meant, in a sentence with what to do; it is refused before anybody is asked about the call. */
  problem?(text: string): string | null;
  /** "" is a value and not an absent argument. */
  emptyIsValue?: boolean;
  /** Accepted and recorded for the reference's sake, without effect; not part of the schema. */
  ignored?: boolean;
}

/** Everything an action may touch. */
export interface ActionEnvironment {
  task: ActionTaskView;
  facts: ActionFacts;
  desk: SessionDesk;
  ledger: SessionLedger;
  files: WorkspaceFiles;
  tracker: CodeTracker;
  clock: Clock;
  evaluate(request: EvaluationRequest): Promise<EvaluationResult>;
  /** What the call that is under way has done so far in this process. */
  progress: CallProgress;
  /** Where the shell of a session stands now; undefined where nobody can tell. */
  directoryOf(computer: Computer, session: string): Promise<string | undefined>;
  /** Best known offset of a session's first byte at or after a wall-clock time; undefined when nobody knows. */
  offsetAt(computer: string, session: string, since: number): number | undefined;
  /** Whether the model in force takes images. */
  takesImages(): boolean;
}

/** What an action hands back; `create-actions.ts` fills in the rest of `ActionOutcome`. */
export type ActionResult = Pick<ActionOutcome, 'ok' | 'text'> & Partial<ActionOutcome>;

/** The arguments of one call with the table's defaults filled in. */
export class ActionArguments {
  constructor(private readonly values: Readonly<Record<string, ArgumentValue | undefined>>) {}

  text(name: string): string {
    const value = this.values[name];
    return value === undefined ? '' : String(value);
  }

  optionalText(name: string): string | undefined {
    const value = this.values[name];
    return value === undefined ? undefined : String(value);
  }

  /** @throws RangeError when absent: the table gives every number that is read this way a default or requires it. */
  number(name: string): number {
    const value = this.optionalNumber(name);
    if (value === undefined) throw new RangeError(`Argument ${name} has neither a value nor a default`);
    return value;
  }

  optionalNumber(name: string): number | undefined {
    const value = this.values[name];
    return typeof value === 'number' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}

export interface ActionDefinition {
  name: ActionName;
  family: ActionFamily;
  /** Other names for it, as the paper has them; accepted, not offered. */
  aliases?: readonly string[];
  /** One paragraph for the model; may depend on the task. */
  description: string | ((task: ActionTaskView) => string);
  params: readonly ActionParam[];
  run(args: ActionArguments, env: ActionEnvironment, context: ActionContext): Promise<ActionResult>;
  /**
   * Closes a call whose outcome was lost in a crash. Absent: it only reads or decides nothing, so it is run again.
   */
  look?(args: ActionArguments, env: ActionEnvironment, context: ActionContext): Promise<ActionResult>;
  /** Commands may have changed files: the code folders are scanned afterwards. */
  mayChangeFiles?: boolean;
}

/** Succeeded; `text` begins with what happened. */
export function done(
  text: string,
  data: Record<string, unknown> = {},
  events: NewEvent[] = [],
): ActionResult {
  return { ok: true, text, data, events };
}

/** The action itself failed; what the model reads is the message. */
export function failed(
  code: ErrorCode,
  message: string,
  data: Record<string, unknown> = {},
  events: NewEvent[] = [],
): ActionResult {
  const first = message.split('\n', 1)[0] ?? message;
  return { ok: false, text: message, error: { code, message: first }, data, events };
}
