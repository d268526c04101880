import type {
  EffectiveLabel,
  HumanLabel,
  JudgeVerdict,
  RuleVerdict,
  StepCorrection,
  StepMark,
  Why,
} from '../labels/labels';
import type { AnnotationEntry } from '../log/annotations';
import type { Limits, ModelCall, Tool, Usage } from '../log/event-parts';
import type { StoredStatus } from '../log/events';
import type { ImageRef } from '../log/image-part';
import type { HintView } from '../log/outbox';
import type { ProtectedChanges, Scores } from '../runs/scores';
import type { FileRevision } from './file-views';

/** Shapes that the readers return to window and command line. All are folds of the three logs. */

/** One word for what a run does now, from the log and the driver. */
export type RunState =
  | 'created'
  | 'thinking'
  | 'acting'
  | 'sleeping'
  | 'waiting_host'
  | 'waiting_human'
  | 'paused'
  | 'finished'
  | 'stopped'
  | 'failed'
  /** Not ended, and no process holds the driver's lock. */
  | 'undriven'
  /** Some process is bringing its log in; nothing counts on it before that is done. */
  | 'importing'
  /** Its import was broken off: a part of a log, which no export takes and nothing drives. */
  | 'import_broken';

export interface RunSummary {
  id: string;
  title: string;
  task: { id: string; title: string; domain: string | null };
  model: string;
  state: RunState;
  stored: StoredStatus | null;
  reason: string | null;
  message: string | null;
  /** Wall-clock ms until which the run sleeps, when it does. */
  until: number | null;
  createdAt: number;
  changedAt: number;
  steps: number;
  events: number;
  seq: number;
  segments: number;
  scores: Scores & { tries: number; maxTries: number };
  workingMs: number;
  maxWorkingMs: number;
  /** How long one training may take; absent: no limit. */
  maxTrainingMs?: number | undefined;
  maxSteps: number;
  /** Steps that count against `maxSteps`: all but summary turns. */
  taken: number;
  tokens: { input: number; output: number; cached: number; context: number; contextLimit: number };
  maxTokens: number | null;
  cost: number;
  maxCost: number | null;
  endpoint: string;
  parent: { run: string; step: number } | null;
  /** Sessions in which a command runs while the agent sleeps, thinks or acts elsewhere. */
  runningOn: { computer: string; session: string }[];
  checkpoints: number;
  hints: { queued: number; delivered: number; undelivered: number };
  labels: { train: number; mask: number; undecided: number; disagreement: number };
  /** `host`: the ssh alias of a computer of kind ssh. `gpus`: as the task says; absent = none. */
  computers: {
    name: string;
    kind: 'local' | 'ssh';
    host?: string | undefined;
    gpus?: number | undefined;
    /** For evaluations alone: the agent has no session there. Absent: it may. */
    evaluator?: true | undefined;
    /** What keeps local sessions apart from the rest of the machine; absent: nothing does. */
    isolation?: 'bubblewrap' | undefined;
    /** Who agreed that nothing does. */
    unisolatedBy?: 'person' | 'demo' | undefined;
    /** `none`: what is isolated has no network; absent: the machine's. */
    network?: 'none' | undefined;
    /** Shown to what is isolated besides its own. */
    folders?: { path: string; write: boolean; source?: string | undefined }[] | undefined;
  }[];
  evaluatorIsolated: boolean;
  protectedChanged?: ProtectedChanges | undefined;
}

/** What a run was started with so that it can be compared with others; nothing of it changes later. */
export interface RunRecord {
  /** Whether and when the agent may see the task's own hint. */
  taskHint: 'off' | 'tool' | 'upfront';
  /** Whether people may send it hints. */
  humanHints: boolean;
  experiment: string | null;
  arm: string | null;
  group: string | null;
  sample: number | null;
  /** Recorded only; never sent to a model. */
  seed: number | null;
}

/** What follows a step in the timeline: a hint, an evaluation, a status change, a standstill. */
export type StepNote =
  | { kind: 'hint'; hints: { id: string; number: number; text: string }[] }
  | { kind: 'status'; status: StoredStatus; reason: string | null; message: string }
  | { kind: 'score'; score: number | null; attempt: number | null; forced: boolean; message: string }
  | { kind: 'suspended'; ms: number }
  | {
      kind: 'summary';
      /** Step of the summary turn. */
      step: number;
      steps: { from: number; to: number } | null;
      pair: boolean;
      carried: { from: number; to: number } | null;
      tokensBefore: number;
      tokensAfter: number;
      missing: { kind: string; text: string }[];
    }
  | { kind: 'shortened'; step: number; was: number; kept: number }
  /** Requests only name `images` images from here on; `left` are still sent. */
  | { kind: 'images_left_out'; images: number; left: number }
  | { kind: 'model'; model: string; by: string }
  | { kind: 'limits'; limits: Limits; by: string }
  | { kind: 'checkpoint'; checkpoint: string; step: number; why: string; note: string; bytes: number | null }
  | { kind: 'branch'; parent: { run: string; step: number }; message: string }
  | { kind: 'gpu'; computer: string; state: string; since: number }
  /** Output of a session that was dropped on its host before it was fetched; raw byte offsets. */
  | { kind: 'gap'; computer: string; session: string; from: number; to: number }
  /** Its output from byte `offset` on could not be stored; `message` says why. */
  | { kind: 'unfollowed'; computer: string; session: string; offset: number; message: string };

/** One timeline row. `step` is 1-based per run. */
export interface StepHead {
  run: string;
  step: number;
  /** Globally unique; empty while the model has not answered. */
  id: string;
  segment: number;
  at: number;
  kind: 'act' | 'think' | 'null' | 'summary';
  /** Action name, or '' for an answer without a valid call. */
  tool: string;
  /** ≤ 120 characters, from the stored arguments. */
  title: string;
  /** First line of the observation, ≤ 80 characters. */
  observation: string;
  done: boolean;
  ok: boolean;
  errorCode: string | null;
  exitCode: number | null;
  bytes: number;
  score: number | null;
  imitatesHuman: boolean;
  guards: string[];
  label: EffectiveLabel;
  rules: string[];
  /** Names of the people whose decisions stand. */
  by: string[];
  /** The uuids of those people. */
  decided: string[];
  marks: StepMark[];
  /** What the judges say in short, the surest first in weight; null without a vote. `differ`: not all say the same. */
  judge: { value: 'mask' | 'keep'; confidence: number | null; differ: boolean } | null;
  /** The computer its first action names; '' for none. */
  computer: string;
  /** Opinions are withheld: a blind second opinion that the asking person has not given yet. */
  withheld: boolean;
  flagged: boolean;
  comments: number;
  /** The run this step belongs to, when it stands here because this run is its branch. */
  inheritedFrom: string | null;
  /** The first image that the step's observations show; absent without one. */
  image?: ImageRef | undefined;
  after: StepNote[];
}

export interface ObservationView {
  call: number;
  callId: string;
  name: string;
  args: Record<string, string | number | boolean> | null;
  rawArguments: string;
  invalid: string | null;
  ok: boolean | null;
  error: { code: string; message: string; detail?: string | undefined } | null;
  text: string;
  data: Record<string, unknown>;
  durationMs: number | null;
  closedBy: string | null;
  /** What it shows besides its text; their bytes are asked for by hash. */
  images: ImageRef[];
  guards: { rule: string; level: string; message: string }[];
}

export interface StepDetail {
  head: StepHead;
  text: string;
  reasoning: string;
  usage: Usage | null;
  cost: number | null;
  durationMs: number;
  model: string;
  observations: ObservationView[];
  /** Each time an observation of this step was shortened in a context; characters. The log keeps the whole text. */
  shortened: { was: number; kept: number }[];
  taught: string | null;
  /** Exact `<real_user>` text that followed this step's observation. */
  hintText: string | null;
  files: FileRevision[];
  labels: LabelStack;
  scoreThen: number | null;
  offsets: Record<string, number>;
  /** Parts of an imported step that have no place here, as they were; null for a step of our own. */
  imported: { source: string; unknown: Record<string, unknown> } | null;
}

export interface LabelStack {
  effective: EffectiveLabel;
  /** Why the winner wins; the window's catalogue turns it into a sentence. */
  why: Why;
  humans: HumanLabel[];
  rules: RuleVerdict[];
  judges: JudgeVerdict[];
  corrections: StepCorrection[];
  comments: StepComment[];
  /** Who is to review the step. */
  assigned: StepAssignment[];
  history: AnnotationEntry[];
  /** As of the head. */
  withheld: boolean;
}

export interface StepComment {
  entry: string;
  author: { uuid: string; name: string };
  text: string;
  at: number;
}

export interface StepAssignment {
  entry: string;
  batch: string;
  to: { uuid: string; name: string };
  blind: boolean;
}

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** JSON of the message exactly as sent. */
  json: string;
  /** Its text. */
  content: string;
  /** Images before the text, in the order of the message's parts; absent without any. */
  images?: ImageRef[] | undefined;
  tokens: number;
  /** Step whose answer or observation this is; 0 for the head. */
  step: number;
}

/** The exact request of one step, rebuilt from the log. */
export interface PromptView {
  run: string;
  step: number;
  /** Empty for an imported step: which bytes were sent there is not known. */
  sha256: string;
  rebuiltSha256: string;
  /** The rebuilt body's hash equals the recorded one. */
  verified: boolean;
  bytes: number;
  messages: PromptMessage[];
  tools: Tool[];
  request: Record<string, unknown>;
  /** What stood at the end of the last message in this request only (logs from before such lines were kept). */
  tail: string;
  /** The line of budgets that was sent with the last message and stays in it; '' without one. */
  line: string;
  /** The run's texts were removed: what was sent cannot be shown any more, and that it differs is no fault. */
  purged?: true;
}

export interface SessionView {
  run: string;
  computer: string;
  session: string;
  uid: string;
  rows: number;
  cols: number;
  endOffset: number;
  lastByteAt: number | null;
  state: 'idle' | 'busy' | 'waiting' | 'interactive' | 'ended' | 'lost' | 'unknown';
  exitCode: number | null;
  command: string | null;
  /** Raw bytes that were dropped on the host before they were fetched, in order. */
  gaps: { from: number; to: number }[];
}

/** A session as it was when a step was over. `unknown`: open, and what it did was not observed for long. */
export type SessionAt = Pick<SessionView, 'uid' | 'endOffset' | 'state' | 'exitCode' | 'command'>;

export interface QueryView {
  step: number;
  tool: string;
  query: string;
  where: string;
  hits: number | null;
}

/** One context life of a run. Its steps are those from `firstStep` up to the next segment's. */
export interface SegmentView {
  segment: number;
  /** One past the run's last step while the segment has none. */
  firstStep: number;
  /** The summary turn that opened it; null when no summary did. */
  summaryStep: number | null;
  /** Last step sampled in it; one before `firstStep` while it has none. */
  lastStep: number;
  /** Steps of earlier segments that stood in its context; each trains in the segment in which it was sampled. */
  carried: { from: number; to: number } | null;
  counts: { train: number; mask: number; undecided: number; disagreement: number };
}

/** One 64-step tile of the minimap. */
export interface Tile {
  first: number;
  n: number;
  train: number;
  mask: number;
  undecided: number;
  hints: number;
  errors: number;
  score: number | null;
}

export interface RunHints {
  run: string;
  hints: HintView[];
  /** What would be appended to the context if the agent listened now. */
  textToSend: string;
  /** Why the queue waits, machine-readable; null when nothing is queued. */
  waitsFor: {
    reason:
      | 'model'
      | 'action'
      | 'sleep'
      | 'paused'
      | 'undriven'
      | 'ended'
      | 'condition'
      | 'host'
      | 'model_away'
      | 'human';
    until: number | null;
  } | null;
}

/** A command that goes on by itself. */
export interface RunningCommand {
  computer: string;
  /** The ssh alias, or null for this machine. */
  host: string | null;
  session: string;
  command: string | null;
  since: number | null;
  /** False: as its session was last seen, because the computer could not be asked; it may have ended since. */
  live: boolean;
}

export interface RehearsalCost {
  /** The step whose context is used, and the action it took without the draft. */
  step: number;
  inputTokens: number;
  outputTokens: number;
  /** Null without a price. */
  cost: number | null;
  model: string;
}

export interface RehearsedAction {
  text: string;
  reasoning: string;
  calls: ModelCall[];
}

export interface Rehearsal extends RehearsalCost {
  without: RehearsedAction;
  with: RehearsedAction;
  /** What the call really cost. */
  paid: number | null;
}

export interface VerifyProblem {
  what: string;
  where: string;
  message: string;
  /** What SQLite, the system or a parser said; for reports, not for people. */
  detail?: string | undefined;
}

export interface VerifyReport {
  ok: boolean;
  /** `purged`: texts, or the whole run, were removed under a tombstone; that is not a problem. */
  runs: {
    id: string;
    events: number;
    problems: VerifyProblem[];
    /** What a restore could not bring back and said so; no problem of this workspace. */
    known?: VerifyProblem[];
    purged?: 'text' | 'run';
  }[];
  workspace: VerifyProblem[];
}
