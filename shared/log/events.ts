import { z } from 'zod';
import { checkpointEvents } from './checkpoint-events';
import { contextEvents } from './context-events';
import {
  answerSchema,
  count,
  deliverySchema,
  headSchema,
  hintIdSchema,
  limitsSchema,
  modelRefSchema,
  observationSchema,
  sha,
  step,
  toolSchema,
  ulid,
  usageSchema,
} from './event-parts';
import { runChangeEvents } from './run-change-events';

/** What tells an imported run from one that was driven here. */
const importEvents = {
  /** Follows `run.created`. `files` are named as they were found; `left` says in words what could not be taken over. */
  'run.imported': z.object({
    format: z.string(),
    tool: z.string(),
    files: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string().length(64) })),
    left: z.array(z.string()),
    /** Parts of the source that belong to no step, verbatim. */
    unknown: z.record(z.string(), z.unknown()),
  }),
  /** Parts of one step's source that have no place in the other events, verbatim; shown with the step. */
  'step.imported': z.object({
    step,
    /** Where in the source: a node's id, a line. */
    source: z.string(),
    unknown: z.record(z.string(), z.unknown()),
  }),
} as const;

/**
 * The run log: append-only events, gapless `seq` per run, one driver. A row's stored bytes are never
 * rewritten; a changed shape gets a new version and an upcast on read.
 * Meanings: step, segment, hint, evaluation as in docs/event-log.md.
 */
export const EVENT_VERSION = 1;

/** Statuses that are written down; thinking, acting and sleeping are read off the last events. */
export const storedStatus = z.enum([
  'running',
  'waiting_host',
  'waiting_human',
  'paused',
  'finished',
  'stopped',
  'failed',
]);
export type StoredStatus = z.infer<typeof storedStatus>;

const call = count;

export const eventBodies = {
  /** seq 1. `spec` is the pinned task specification (JSON of `shared/contract/task.ts`). */
  'run.created': z.object({
    run: ulid,
    title: z.string(),
    task: z.object({ id: z.string(), title: z.string(), domain: z.string().nullable(), hash: sha }),
    spec: z.record(z.string(), z.unknown()),
    model: modelRefSchema,
    /** `host`: the ssh alias and `transport` of a computer of kind ssh. */
    computers: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['local', 'ssh']),
        host: z.string().optional(),
        transport: z.enum(['ssh2', 'openssh']).optional(),
        approvals: z.enum(['on', 'off']).optional(),
        /** What keeps local sessions apart from the rest of the machine; absent: nothing does. */
        isolation: z.enum(['bubblewrap']).optional(),
        /** Who agreed that nothing keeps them apart: a person who was asked, or nobody, because the demo's recording is driven. */
        unisolatedBy: z.enum(['person', 'demo']).optional(),
        /** `none`: local sessions have a loopback of their own and nothing else; absent: the machine's network. */
        network: z.enum(['none']).optional(),
        /** Folders of the machine that an isolated run sees besides its own, at their own paths. */
        folders: z
          .array(
            z.object({
              path: z.string(),
              write: z.boolean(),
              /** Where it led, without links, when the run was made; only that is shown. */
              source: z.string().optional(),
            }),
          )
          .optional(),
      }),
    ),
    workspaceRoot: z.string(),
    limits: limitsSchema,
    approvals: z.enum(['on', 'off']),
    taskHint: z.enum(['off', 'tool', 'upfront']),
    humanHints: z.boolean(),
    evaluatorIsolated: z.boolean(),
    experiment: z.string().nullable(),
    arm: z.string().nullable(),
    group: z.string().nullable(),
    sample: z.int().nullable(),
    seed: z.int().nullable(),
    /** Where a branch leaves the run it comes from: after that step. */
    parent: z.object({ run: ulid, step }).nullable(),
    ruleSet: z.string(),
  }),
  'driver.started': z.object({
    epoch: z.int().positive(),
    pid: z.int(),
    host: z.string(),
    app: z.string(),
    runtime: z.string(),
    reason: z.enum(['start', 'resume']),
    /** Last heartbeat of the driver before, wall-clock ms; given when that driver died without a status. */
    aliveUntil: count.optional(),
  }),
  'run.status': z.object({
    status: storedStatus,
    /** Error code or a word such as `asked`, `max_steps`, `max_time`, `finish`, `context_full`. */
    reason: z.string().nullable(),
    message: z.string(),
  }),
  /** Opens a context life. `head` are the messages before the first own step. */
  'segment.started': z.object({
    segment: z.int().positive(),
    head: headSchema,
    tools: z.array(toolSchema),
    /** Everything of the request body but messages and tools, in sending order. */
    request: z.record(z.string(), z.unknown()),
    /** The summary step that the head rests on; absent for the first segment. */
    summary: step.optional(),
    /** Steps of earlier segments that stay in the context verbatim, summary steps between them left out. */
    carried: z.object({ from: step, to: step }).nullable().optional(),
    /** Hints inside the observation that a branch's head ends with; elsewhere the events before say which. */
    hints: z.array(z.object({ id: ulid, text: z.string() })).optional(),
    /** Hints of which the summary in a branch's head holds a reflection; elsewhere the events before say which. */
    reflected: z.array(z.object({ id: hintIdSchema, text: z.string() })).optional(),
  }),
  /**
   * `sha256` is over the exact request body bytes. `tail` is what this request added to the end of its last message: the
   * budgets left, or what was wrong with a summary. `kept`: from then on it is part of that message (docs/adr/0014); in logs
   * from before it stood in this one request only.
   */
  'model.requested': z.object({
    step,
    attempt: z.int().positive(),
    sha256: sha,
    bytes: count,
    messages: count,
    tokensEstimate: count,
    tail: z.string(),
    kept: z.literal(true).optional(),
  }),
  'model.failed': z.object({
    step,
    attempt: z.int().positive(),
    code: z.string(),
    message: z.string(),
    status: z.int().nullable(),
    retryInMs: count.nullable(),
    /** Estimated, where the answer had begun before it broke off: providers charge for that. Absent: nothing had come. */
    usage: usageSchema.optional(),
    cost: z.number().nullable().optional(),
  }),
  'model.answered': answerSchema,
  /** Committed before the action runs. `call` is the index into `model.answered.calls`. */
  'action.started': z.object({
    step,
    call,
    callId: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    guards: z.array(z.object({ rule: z.string(), level: z.enum(['warn', 'refuse']), message: z.string() })),
  }),
  /** The one observation of a call, committed before anyone hears of it. */
  'action.observed': observationSchema,
  /** The user message that teaches after an answer without a valid call (or beside the valid ones). */
  'step.taught': z.object({ step, text: z.string() }),
  /** In one transaction with the `model.requested` of step + 1. `step` 0 = before the first step. */
  'hint.delivered': deliverySchema,
  'hint.undelivered': z.object({ ids: z.array(ulid) }),
  /** A file revision. `text` is null for binary, too large or deleted files. */
  'file.changed': z.object({
    step,
    call,
    computer: z.string(),
    path: z.string(),
    before: sha.nullable(),
    after: sha.nullable(),
    size: count,
    beforeText: z.string().nullable(),
    text: z.string().nullable(),
    by: z.enum(['action', 'shell']),
  }),
  'evaluation.ended': z.object({
    step: step.nullable(),
    outcome: z.enum(['scored', 'unavailable']),
    /** 1-based; null when no try was spent. The forced final evaluation has `forced`. */
    attempt: z.int().positive().nullable(),
    forced: z.boolean(),
    score: z.number().nullable(),
    raw: z.number().nullable(),
    metrics: z.record(z.string(), z.unknown()),
    message: z.string(),
    penalty: z.number(),
    protectedChanged: z.array(z.string()),
    /** No command of the agent could reach the evaluator. Absent in older logs: as `run.created` says. */
    isolated: z.boolean().optional(),
    durationMs: count,
  }),
  'approval.asked': z.object({
    step,
    call,
    approval: ulid,
    what: z.string(),
    why: z.string(),
    /** What a person can allow for the rest of the run; absent where that cannot be said. */
    kinds: z.array(z.string()).optional(),
    /** Computers of the task that the call needs. Absent in older logs. */
    on: z.array(z.string()).optional(),
  }),
  'approval.decided': z.object({
    approval: ulid,
    decision: z.enum(['allow', 'deny']),
    by: z.string(),
    /** Allowed from here on in this run. */
    kinds: z.array(z.string()).optional(),
    /** What the agent is told of a refusal, in the words of who refused. */
    reason: z.string().optional(),
  }),
  /** A kind that was allowed is asked about again. `entry`: the request in the outbox. */
  'approval.withdrawn': z.object({ entry: ulid, kind: z.string(), by: z.string() }),
  'session.opened': z.object({
    computer: z.string(),
    session: z.string(),
    uid: z.string(),
    rows: z.int().positive(),
    cols: z.int().positive(),
  }),
  /** Bytes `from` to `to` of a session's log were dropped on its host before anyone fetched them. */
  'session.gap': z.object({
    computer: z.string(),
    session: z.string(),
    uid: z.string(),
    from: count,
    to: count,
    reason: z.enum(['limit', 'lost']),
  }),
  /** Output from byte `offset` on is not stored until the run is taken up again: the driver could not follow it any more. */
  'session.unfollowed': z.object({
    computer: z.string(),
    session: z.string(),
    uid: z.string(),
    offset: count,
    message: z.string(),
  }),
  /** One visible step of preparing a computer for the run. */
  'setup.done': z.object({ computer: z.string(), id: z.string(), title: z.string(), message: z.string() }),
  /** What the probe at start found: whether the computers see one workspace. */
  'workspace.probed': z.object({
    root: z.string(),
    shared: z.boolean(),
    /** `root`: where the computer has its own folder when it does not see the one at `root`. */
    computers: z.array(
      z.object({ name: z.string(), sees: z.boolean(), message: z.string(), root: z.string().optional() }),
    ),
  }),
  /** Something ran in it when it was last looked at; now it is at its prompt. */
  'session.rested': z.object({ computer: z.string(), session: z.string(), uid: z.string() }),
  'session.ended': z.object({
    computer: z.string(),
    session: z.string(),
    uid: z.string(),
    exitCode: z.int().nullable(),
    endOffset: count,
    /** Nobody closed it and its shell did not exit: the host restarted, or something killed it from outside. */
    lost: z.boolean().optional(),
  }),
  'control.applied': z.object({
    entry: ulid,
    op: z.enum(['pause', 'stop', 'wake', 'resume', 'model', 'limits', 'checkpoint']),
  }),
  /**
   * A command the run started was running while no driver thought or acted: working time all the same.
   * Wall-clock ms by the spool's stamps, cut to the driver's absence.
   */
  'command.ran': z.object({ computer: z.string(), session: z.string(), from: count, to: count }),
  /** The machine slept or the process stood still; not working time. Wall-clock ms. */
  'clock.suspended': z.object({ from: count, to: count }),
  ...contextEvents,
  ...checkpointEvents,
  ...runChangeEvents,
  ...importEvents,
  /** The text of steps `from..to` was removed under a tombstone; hashes and counts stay. */
  'text.purged': z.object({ from: step, to: step, by: z.string() }),
} as const;

export type EventKind = keyof typeof eventBodies;
export type EventBody<K extends EventKind> = z.infer<(typeof eventBodies)[K]>;

/** What a driver hands to the recorder. */
export type NewEvent = { [K in EventKind]: { kind: K; body: EventBody<K> } }[EventKind];

/** An event of a run that happened elsewhere: `at` is when, wall-clock ms; without it, when it is stored. */
export type DatedEvent = NewEvent & { at?: number };

/** A stored event as read back: hydrated (large texts inlined again) and upcast. */
export type RunEvent = {
  [K in EventKind]: {
    run: string;
    seq: number;
    /** Wall clock of the driver, ms since 1970; display only, order is by seq. */
    at: number;
    epoch: number;
    kind: K;
    body: EventBody<K>;
  };
}[EventKind];

export type EventOf<K extends EventKind> = Extract<RunEvent, { kind: K }>;

type ValidCall = EventBody<'model.answered'>['calls'][number] & { index: number };

/** The calls of an answer that could be understood, with their places among all of its calls. */
export function validCalls({
  calls,
  invalid,
}: Pick<EventBody<'model.answered'>, 'calls' | 'invalid'>): ValidCall[] {
  return calls.flatMap((call, index) => ((invalid[index] ?? null) === null ? [{ ...call, index }] : []));
}
