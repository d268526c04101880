import type { z } from 'zod';
import type { HostPromptView, LinkHealth, StageView } from './computers';
import type { Failure, Result } from './errors';
import type { ExportJob } from './export-views';
import {
  applicationCommands,
  keepingCommands,
  type PowerState,
  plotCommands,
  taskCommands,
  type WorkspaceStatus,
  windowCommands,
} from './ipc/application';
import { checkpointCommands } from './ipc/checkpoints';
import { computerCommands } from './ipc/computers';
import { datasetCommands } from './ipc/dataset';
import { experimentCommands } from './ipc/experiments';
import { fileCommands } from './ipc/files';
import { hintCommands } from './ipc/hints';
import { type ImportProgress, importCommands } from './ipc/imports';
import { judgeCommands } from './ipc/judging';
import { guidelineCommands, labelCommands, retroMaskCommands } from './ipc/labels';
import { mergeCommands } from './ipc/merge';
import type { CommandRow, Output } from './ipc/parts';
import { queueCommands } from './ipc/queue';
import { redactionCommands } from './ipc/redaction';
import { type RemoteStatus, remoteCommands } from './ipc/remote';
import { restoreCommands } from './ipc/restore';
import { ruleCommands } from './ipc/rules';
import { type ApprovalAsked, attentionCommands, runChangeCommands, runCommands } from './ipc/runs';
import { searchCommands } from './ipc/search';
import { ownCommands, sessionCommands, type TerminalPage } from './ipc/terminals';
import { timelineCommands } from './ipc/timeline';
import { tokenCommands } from './ipc/tokens';
import type { IndexProgress } from './search/views';
import type { Settings } from './settings';

/**
 * The one contract between window and main process. Preload, registration, client and types derive from it, and so does what a
 * server answers, what is kept while it is away, and what main must have seen of a person. A command is one row of its group in
 * `ipc/` and a handler in `electron/commands/`.
 */
export const commands = {
  ...applicationCommands,
  ...keepingCommands,
  ...taskCommands,
  ...windowCommands,
  ...runCommands,
  ...runChangeCommands,
  ...checkpointCommands,
  ...timelineCommands,
  ...searchCommands,
  ...fileCommands,
  ...hintCommands,
  ...labelCommands,
  ...retroMaskCommands,
  ...mergeCommands,
  ...restoreCommands,
  ...guidelineCommands,
  ...sessionCommands,
  ...ownCommands,
  ...computerCommands,
  ...datasetCommands,
  ...tokenCommands,
  ...redactionCommands,
  ...importCommands,
  ...plotCommands,
  ...experimentCommands,
  ...attentionCommands,
  ...queueCommands,
  ...remoteCommands,
  ...ruleCommands,
  ...judgeCommands,
} as const;

export type CommandName = keyof typeof commands;
export type CommandInput<C extends CommandName> = z.input<(typeof commands)[C]['input']>;
export type CommandParsed<C extends CommandName> = z.output<(typeof commands)[C]['input']>;
export type CommandOutput<C extends CommandName> =
  (typeof commands)[C]['output'] extends Output<infer T> ? T : never;

type Commands = typeof commands;

/** Commands a server answers. */
export type WorkspaceCommand = {
  [C in CommandName]: Commands[C]['place'] extends 'workspace' ? C : never;
}[CommandName];

/** Writes of people that are kept here while a server is away, and delivered in their order when it is back. */
export type LateCommand = {
  [C in CommandName]: Commands[C] extends { late: true } ? C : never;
}[CommandName];

/** What crosses to the window: `text` is the value as JSON, of a command whose row says so. */
export type Reply = Result<unknown> | { ok: true; text: string };

export function crossesAsText(name: unknown): boolean {
  const row: CommandRow | undefined =
    typeof name === 'string' && Object.hasOwn(commands, name) ? commands[name as CommandName] : undefined;
  return row?.asText === true;
}

export function isLate(name: CommandName): name is LateCommand {
  return 'late' in commands[name];
}

/** Pushed from main to the window. Durable facts carry `seq`; a gap means: fetch again. */
export interface EventPayloads {
  'run.changed': { run: string; seq: number; steps: number };
  'run.listChanged': Record<string, never>;
  /** Steps whose head changed for another reason than new events (labels, rules). */
  'labels.changed': { run: string; from: number; to: number };
  'hints.changed': { run: string };
  /** How far the search index is; while it is behind, and once when it has caught up. */
  'search.progress': IndexProgress;
  /** Live frames: may be dropped, never stored. */
  'live.delta': { run: string; step: number; text?: string; reasoning?: string; call?: string };
  'live.session': TerminalPage & { run: string; uid: string; live: number };
  'session.changed': { run: string };
  /** Output of sessions of the run whose terminals are on the screen, gathered: for ages and previews. */
  'session.grew': { run: string; sessions: { uid: string; endOffset: number; lastByteAt: number }[] };
  'computers.changed': { health: LinkHealth[] };
  'computer.stage': { alias: string; stages: StageView[] };
  'prompts.changed': { prompts: HostPromptView[] };
  'own.changed': Record<string, never>;
  /** The keyboard came back from the view of an own terminal, by a key that stands for this command. */
  'own.left': { command: string };
  'workspace.problem': { problem: Failure | null };
  /** A run of which something cannot be read; the others go on. */
  'workspace.unreadable': { failure: Failure };
  'workspace.changed': WorkspaceStatus;
  'settings.changed': Settings;
  'approval.asked': ApprovalAsked;
  'attention.changed': Record<string, never>;
  /** A notification was clicked: the window goes there. */
  'attention.open': { run: string; step: number | null };
  'remote.changed': { status: RemoteStatus | null };
  /** The wish for this machine not to sleep, and what it runs on. */
  'power.changed': PowerState;
  /** Of the import that the window has begun. */
  'import.progress': ImportProgress;
  /** Of an export of this window, a few times a second while it works and whenever its state changes. */
  'export.progress': { job: ExportJob };
  /** A dataset was written, or taken out of the list. */
  'datasets.changed': Record<string, never>;
  /** A batch of a judge began, got on, or ended here. */
  'judge.changed': Record<string, never>;
  'menu.command': { command: string };
}
export type EventName = keyof EventPayloads;

/** What preload exposes as `window.waymark`: exactly two functions. */
export interface Bridge {
  invoke(command: CommandName, input: unknown): Promise<Reply>;
  on(event: EventName, listener: (payload: unknown) => void): () => void;
}
