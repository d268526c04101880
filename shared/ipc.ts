import { z } from 'zod';
import type { AnnotationEntry } from './annotations';
import type {
  ComputerRow,
  HostReport,
  HostResolution,
  LinkHealth,
  OwnTerminal,
  PromptView as SshPromptView,
  StageView,
} from './computers';
import { hostAliasSchema, transportKind } from './computers';
import type { Failure, Result } from './errors';
import type { HintView } from './outbox';
import { hintCategory } from './outbox';
import type { Settings } from './settings';
import { endpointSchema, settingsChangeSchema } from './settings';
import type { SessionHit, TerminalPage } from './terminal/terminal-views';
import type {
  FileRevision,
  FileView,
  LabelStack,
  PromptView,
  QueryView,
  RunHints,
  RunSummary,
  SearchPage,
  SessionView,
  StepDetail,
  StepHead,
  Tile,
  VerifyReport,
} from './views';

/**
 * The one contract between window and main process. Preload, registration, client and types derive from it.
 * Adding a command touches this table, a handler in `electron/ipc/handlers/` and its caller.
 */

/** Carries an output type without a run-time schema: outputs come from our own process. */
interface Output<T> {
  readonly type?: T;
}
function returns<T>(): Output<T> {
  return {};
}

const none = z.undefined();
const run = z.string().length(26);
const step = z.int().positive();
const inRun = z.object({ run });
const atStep = z.object({ run, step });
const uid = z.string().min(1).max(120);
const filePath = z.object({ run, computer: z.string().max(120), path: z.string().max(4096) });
const page = {
  offset: z.int().nonnegative(),
  maxBytes: z.int().min(1).max(1_048_576),
  live: z.int().nonnegative().optional(),
};
const direction = z.union([z.literal(1), z.literal(-1)]);

export const stepFilterSchema = z.discriminatedUnion('by', [
  z.object({ by: z.literal('undecided') }),
  z.object({ by: z.literal('undecided_or_disagreement') }),
  z.object({ by: z.literal('error') }),
  z.object({ by: z.literal('hint') }),
  z.object({ by: z.literal('label'), value: z.enum(['train', 'mask']) }),
  z.object({ by: z.literal('tool'), tool: z.string().max(80) }),
]);

export const startRunSchema = z.object({
  task: z.string().min(1),
  title: z.string().max(120).optional(),
  endpoint: z.string().min(1),
  /** Task computer name → `local` or a host alias; what is not named is where the task says. */
  computers: z.record(z.string().max(64), z.union([z.literal('local'), hostAliasSchema])).default({}),
  maxSteps: z.int().positive().optional(),
  maxWorkingMs: z.int().positive().optional(),
  approvals: z.enum(['on', 'off']),
  /** Task computer name → approvals there, where they are not as `approvals` says. */
  computerApprovals: z.record(z.string().max(64), z.enum(['on', 'off'])).default({}),
  humanHints: z.boolean().default(true),
  experiment: z.string().max(80).nullable().default(null),
});

export const exportSchema = z.object({
  runs: z.array(run),
  undecided: z.enum(['refuse', 'train', 'mask']),
  preset: z.enum(['default', 'apollo']).default('default'),
});

export const commands = {
  'app.info': { input: none, output: returns<AppInfo>() },
  'app.openExternal': { input: z.object({ url: z.url({ protocol: /^https?$/ }) }), output: returns<void>() },
  'app.saveDiagnostics': { input: none, output: returns<{ path: string | null }>() },
  'settings.get': { input: none, output: returns<Settings>() },
  'settings.set': { input: settingsChangeSchema, output: returns<Settings>() },
  'settings.setKey': {
    input: z.object({ endpoint: z.string(), key: z.string().max(4096) }),
    output: returns<{ kept: 'store' | 'memory' }>(),
  },
  'workspace.status': { input: none, output: returns<WorkspaceStatus>() },
  /** Opens the system's folder dialog in the main process; null = cancelled. */
  'workspace.choose': { input: none, output: returns<WorkspaceStatus | null>() },
  'workspace.openDefault': { input: none, output: returns<WorkspaceStatus>() },
  'tasks.list': { input: none, output: returns<TaskRow[]>() },
  'tasks.add': { input: none, output: returns<TaskRow | null>() },
  'catalogue.list': { input: none, output: returns<CatalogueRow[]>() },
  'catalogue.create': { input: z.object({ key: z.string() }), output: returns<{ folder: string } | null>() },
  'model.test': { input: endpointSchema, output: returns<ModelTest>() },
  'demo.start': { input: none, output: returns<{ run: string }>() },
  'runs.list': { input: none, output: returns<RunSummary[]>() },
  'runs.summary': { input: inRun, output: returns<RunSummary>() },
  'runs.start': { input: startRunSchema, output: returns<{ run: string }>() },
  'runs.resume': { input: inRun, output: returns<void>() },
  'runs.pause': { input: z.object({ run, mode: z.enum(['after_step', 'now']) }), output: returns<void>() },
  'runs.stop': { input: inRun, output: returns<void>() },
  'runs.wake': { input: inRun, output: returns<void>() },
  /** What a run waits for a person's word on; the window asks when it opens, later ones are events. */
  'runs.openApprovals': { input: inRun, output: returns<EventPayloads['approval.asked'][]>() },
  'runs.decideApproval': {
    input: z.object({ run, approval: run, decision: z.enum(['allow', 'deny']) }),
    output: returns<void>(),
  },
  'runs.remove': { input: z.object({ run, mode: z.enum(['run', 'text']) }), output: returns<void>() },
  'runs.verify': { input: inRun, output: returns<VerifyReport>() },
  'timeline.heads': { input: z.object({ run, from: step, to: step }), output: returns<StepHead[]>() },
  'timeline.find': {
    input: z.object({ run, filter: stepFilterSchema, from: z.int().nonnegative(), direction }),
    output: returns<{ step: number | null; total: number }>(),
  },
  'timeline.tiles': { input: inRun, output: returns<Tile[]>() },
  'timeline.search': {
    input: z.object({
      run,
      query: z.string().max(400),
      from: z.int().nonnegative(),
      direction,
      limit: z.int().min(1).max(200),
    }),
    output: returns<SearchPage>(),
  },
  'step.detail': { input: atStep, output: returns<StepDetail>() },
  'step.prompt': { input: atStep, output: returns<PromptView>() },
  'step.labels': { input: atStep, output: returns<LabelStack>() },
  'hints.list': { input: inRun, output: returns<RunHints>() },
  'hints.queue': {
    input: z.object({ run, text: z.string().trim().min(1).max(20_000), category: hintCategory }),
    output: returns<HintView>(),
  },
  'hints.edit': {
    input: z.object({ run, hint: run, text: z.string().trim().min(1).max(20_000) }),
    output: returns<void>(),
  },
  'hints.move': { input: z.object({ run, hint: run, before: run.nullable() }), output: returns<void>() },
  'hints.withdraw': { input: z.object({ run, hint: run }), output: returns<void>() },
  'labels.apply': {
    input: z.object({
      run,
      from: step,
      to: step,
      value: z.enum(['train', 'mask', 'clear']),
      reason: z.string().max(40).nullable(),
    }),
    output: returns<AnnotationEntry>(),
  },
  'labels.comment': {
    input: z.object({ run, step, text: z.string().trim().min(1).max(10_000) }),
    output: returns<AnnotationEntry>(),
  },
  'labels.flag': { input: z.object({ run, step, on: z.boolean() }), output: returns<AnnotationEntry>() },
  'labels.undo': {
    input: inRun,
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
  },
  'labels.redo': {
    input: inRun,
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
  },
  'sessions.list': { input: inRun, output: returns<SessionView[]>() },
  /**
   * Bytes for a terminal, already passed through the view filter. `offset` counts raw bytes. `live`: what follows comes
   * as `live.session` with this number of the window's choosing, as long as the session is watched and the window says
   * what it has taken (`sessions.seen`).
   */
  'sessions.read': {
    input: z.object({ run, uid, ...page }),
    output: returns<TerminalPage>(),
  },
  'sessions.watch': { input: z.object({ run, uids: z.array(uid).max(64) }), output: returns<void>() },
  /** The terminal has parsed everything up to here; a few frames without this word and no more are sent. */
  'sessions.seen': { input: z.object({ run, uid, offset: z.int().nonnegative() }), output: returns<void>() },
  /** Lines that contain the text, across all sessions of a run, oldest first per session. */
  'sessions.search': {
    input: z.object({
      run,
      query: z.string().min(1).max(400),
      uids: z.array(uid).max(64).optional(),
      limit: z.int().min(1).max(500),
    }),
    output: returns<{ hits: SessionHit[]; truncated: boolean }>(),
  },
  'computers.list': { input: none, output: returns<ComputerRow[]>() },
  /** Of every host this process has to do with, also of those a run uses without their being added. */
  'computers.health': { input: none, output: returns<LinkHealth[]>() },
  /** Aliases of the user's ssh configuration that were not added yet. */
  'computers.candidates': { input: none, output: returns<string[]>() },
  'computers.resolve': { input: z.object({ alias: hostAliasSchema }), output: returns<HostResolution>() },
  /** Connects anew and looks at everything; stages arrive as `computer.stage` meanwhile. */
  'computers.test': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<HostReport>(),
  },
  'computers.cancelTest': { input: z.object({ alias: hostAliasSchema }), output: returns<void>() },
  'computers.add': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<ComputerRow>(),
  },
  /** For new links; refused while a run drives on the host. */
  'computers.setTransport': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<ComputerRow>(),
  },
  'computers.remove': { input: z.object({ alias: hostAliasSchema }), output: returns<void>() },
  'computers.retryNow': { input: z.object({ alias: hostAliasSchema }), output: returns<void>() },
  'computers.prompts': { input: none, output: returns<SshPromptView[]>() },
  'computers.answer': {
    input: z.object({
      id: z.string().max(64),
      /** null = declined. */
      answer: z
        .union([
          z.object({ texts: z.array(z.string().max(4096)).max(16) }),
          z.object({ trust: z.literal(true) }),
        ])
        .nullable(),
    }),
    output: returns<void>(),
  },
  /** The machine's network came back or changed, as the window sees it. */
  'computers.networkChanged': { input: none, output: returns<void>() },
  'own.list': { input: none, output: returns<OwnTerminal[]>() },
  'own.open': {
    input: z.object({
      computer: z.union([z.literal('local'), hostAliasSchema]),
      /** Starts in the workspace of this run where the computer has it, else at home. */
      run: run.nullable(),
      rows: z.int().min(2).max(500),
      cols: z.int().min(2).max(1000),
    }),
    output: returns<OwnTerminal>(),
  },
  /** As `sessions.read`; @throws ComputerUnavailable while its link is away. */
  'own.read': { input: z.object({ id: uid, ...page }), output: returns<TerminalPage>() },
  'own.watch': { input: z.object({ ids: z.array(uid).max(64) }), output: returns<void>() },
  'own.seen': { input: z.object({ id: uid, offset: z.int().nonnegative() }), output: returns<void>() },
  /** Types into the person's own terminal; refused at once while its link is not up. */
  'own.write': { input: z.object({ id: uid, bytes: z.instanceof(Uint8Array) }), output: returns<void>() },
  'own.resize': {
    input: z.object({ id: uid, rows: z.int().min(2).max(500), cols: z.int().min(2).max(1000) }),
    output: returns<void>(),
  },
  'own.close': { input: z.object({ id: uid }), output: returns<void>() },
  'files.list': { input: inRun, output: returns<FileView[]>() },
  'files.revisions': { input: filePath, output: returns<FileRevision[]>() },
  'files.text': {
    input: filePath.extend({ revision: z.int().nonnegative() }),
    output: returns<{ text: string | null }>(),
  },
  'queries.list': { input: inRun, output: returns<QueryView[]>() },
  'export.preview': { input: exportSchema, output: returns<ExportPreview>() },
  /** Asks for the target folder in the main process; null = cancelled. */
  'export.start': { input: exportSchema, output: returns<ExportResult | null>() },
} as const;

export type CommandName = keyof typeof commands;
export type CommandInput<C extends CommandName> = z.input<(typeof commands)[C]['input']>;
export type CommandParsed<C extends CommandName> = z.output<(typeof commands)[C]['input']>;
export type CommandOutput<C extends CommandName> =
  (typeof commands)[C]['output'] extends Output<infer T> ? T : never;

/** Pushed from main to the window. Durable facts carry `seq`; a gap means: fetch again. */
export interface EventPayloads {
  'run.changed': { run: string; seq: number; steps: number };
  'run.listChanged': Record<string, never>;
  /** Steps whose head changed for another reason than new events (labels, rules). */
  'labels.changed': { run: string; from: number; to: number };
  'hints.changed': { run: string };
  /** Live frames: may be dropped, never stored. */
  'live.delta': { run: string; step: number; text?: string; reasoning?: string; call?: string };
  'live.session': TerminalPage & { run: string; uid: string; live: number };
  'session.changed': { run: string };
  /** Output of sessions of the run whose terminals are on the screen, gathered: for ages and previews. */
  'session.grew': { run: string; sessions: { uid: string; endOffset: number; lastByteAt: number }[] };
  'computers.changed': { health: LinkHealth[] };
  'computer.stage': { alias: string; stages: StageView[] };
  'prompts.changed': { prompts: SshPromptView[] };
  'own.changed': Record<string, never>;
  'live.own': TerminalPage & { id: string; live: number };
  'workspace.problem': { problem: Failure | null };
  'workspace.changed': WorkspaceStatus;
  'settings.changed': Settings;
  'approval.asked': { run: string; approval: string; step: number; what: string; why: string };
  'menu.command': { command: string };
}
export type EventName = keyof EventPayloads;

export interface AppInfo {
  name: string;
  version: string;
  runtime: { electron: string; chrome: string; node: string; sqlite: string };
  /** True on the fallback runtime: the window carries a banner. */
  testRuntime: boolean;
  platform: string;
  locale: string;
  smoke: boolean;
}

export interface WorkspaceStatus {
  folder: string | null;
  defaultFolder: string;
  freeBytes: number | null;
  problem: Failure | null;
}

export interface TaskRow {
  id: string;
  title: string;
  domain: string | null;
  hash: string;
  addedAt: number;
  /** First lines of the description. */
  summary: string;
  tools: string[];
  limits: { maxSteps: number; maxWorkingMs: number; maxEvals: number };
  approvals: 'on' | 'off';
  computers: {
    name: string;
    host: string;
    kind: string;
    gpus: number;
    internet: boolean;
    evaluator: boolean;
    dedicated: boolean;
    /** What the task says for this computer when nobody chooses. */
    approvals: 'on' | 'off';
  }[];
  /** Why it cannot run here; empty when it can. */
  unsupported: string[];
}

export interface CatalogueRow {
  key: string;
  paper: 'InnovatorBench' | 'APOLLO';
  number: number;
  title: string;
  domain: string;
  model: string | null;
  hours: number | null;
  gpus: string | null;
  web: boolean | null;
  constraints: string[];
  summary: string;
}

export interface ModelTest {
  ok: boolean;
  /** Milliseconds to the first token; null when it failed. */
  firstTokenMs: number | null;
  toolCalls: boolean;
  message: string;
}

export interface ExportPreview {
  rows: number;
  steps: number;
  trained: number;
  masked: number;
  undecided: { run: string; steps: number[]; total: number }[];
  dropped: { reason: string; count: number }[];
  bySource: { source: string; value: 'train' | 'mask'; count: number }[];
  tokens: number;
}

export interface ExportResult {
  folder: string;
  rows: number;
  trained: number;
  masked: number;
  dropped: { reason: string; count: number }[];
  files: { path: string; bytes: number; sha256: string }[];
  snapshot: string;
}

/** What preload exposes as `window.waymark`: exactly two functions. */
export interface Bridge {
  invoke(command: CommandName, input: unknown): Promise<Result<unknown>>;
  on(event: EventName, listener: (payload: unknown) => void): () => void;
}
