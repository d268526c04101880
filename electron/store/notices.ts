import type { ErrorCode } from '@shared/contract/errors';
import type { IndexProgress } from '@shared/contract/search/views';
import type { RunEvent } from '@shared/log/events';

/** Why nothing can be written at the moment. */
export type StoreProblem =
  | 'disk_full'
  | 'workspace_corrupt'
  | 'workspace_locked'
  | 'read_only'
  | 'workspace_moved'
  | 'system_busy';

/** Pushed by the store after a commit, also for commits of other processes (within 200 ms). */
export type StoreNotice =
  /** `events`: from a thread only those without large texts (`toldNotice`). */
  /** `events` null: too many at once, or one cannot be read; ask for what you need. */
  | { kind: 'run'; run: string; seq: number; steps: number; events: RunEvent[] | null }
  | { kind: 'outbox'; run: string; head: number }
  | { kind: 'labels'; run: string; from: number; to: number }
  | { kind: 'session'; run: string; uid: string; endOffset: number }
  | { kind: 'foreign' }
  /** Events of a run that are derived again, so far, of so many. */
  | { kind: 'rebuild'; run: string; done: number; of: number }
  | ({ kind: 'index' } & IndexProgress)
  /** One run has something that cannot be read; all else goes on without it. Said once per run, also to who subscribes later. */
  | { kind: 'unreadable'; run: string; code: ErrorCode; message: string }
  | { kind: 'problem'; code: StoreProblem; message: string }
  | { kind: 'problem_solved'; code: StoreProblem };
