import type { MergeReport } from '@shared/contract/ipc/merge';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { BatchChoices, BatchEnd, JudgeAnswer } from '@shared/judging/batch';
import type { TimedDecision } from '@shared/labels/review/pace';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import type { DatedEvent, NewEvent } from '@shared/log/events';
import type { OutboxEntry, OutboxOp } from '@shared/log/outbox';
import type { RefusedAct } from '../file/read-only';
import type { HeldBatch } from '../log/judge-batches';
import type { NewRubric } from '../log/rubric-settings';
import type { Look } from '../log/seen-log';
import type { Tried, TriedBy } from '../log/trial-verdicts';
import type { Redone, Said, StoredChunk, StoredTask, Undone } from '../values';
import { type Command, command } from './command';

const refused = (act: RefusedAct) => ({ refused: act });

/**
 * Every write of the store: its thread, what becomes of it where the workspace is only read, the function. What others see of it
 * (`StoreWriter`), the threads' answers, the client and the writer of a workspace that is only read follow from this table. Every
 * write resolves after COMMIT under `synchronous=FULL`. Expected failures reject with a `WaymarkError` (`disk_full`, `not_found`,
 * `conflict`, …).
 */
export const commands = {
  /**
   * Appends events of one run in one transaction; heads, marks and rule columns advance with them. Returns the new head.
   * `newest`: nothing is written, and it rejects with `conflict`, when a run was begun after this one; null: when any was.
   */
  append: command({
    thread: 'write',
    whenReadOnly: refused('recording'),
    run: (
      core,
      run: string,
      epoch: number,
      events: DatedEvent[],
      newest?: string | null,
    ): Promise<{ seq: number }> => core.append(run, epoch, events, newest),
  }),
  /**
   * Appends `events` only if no outbox entry newer than `outboxHead` exists for the run; otherwise nothing is written and
   * `raced` is true. Hint rule: semantics, Hints (one transaction for delivery and request).
   */
  appendIfOutboxAt: command({
    thread: 'write',
    whenReadOnly: refused('recording'),
    run: (
      core,
      run: string,
      epoch: number,
      outboxHead: number,
      events: NewEvent[],
    ): Promise<{ raced: boolean; seq: number }> => core.appendIfOutboxAt(run, epoch, outboxHead, events),
  }),
  /**
   * Refuses `hint_already_delivered` when an edit, move or withdrawal lost the race. `ulid`: the entry's id where the asker
   * chose it; the same one again stores nothing and gives the entry that is there.
   */
  post: command({
    thread: 'write',
    whenReadOnly: refused('asking'),
    entryAt: 3,
    run: (core, run: string, author: Author, op: OutboxOp, ulid?: string): Promise<OutboxEntry> =>
      core.post(run, author, op, ulid),
  }),
  /**
   * Fills in device, deviceSeq and `supersedes` (the heads on the target as stored now). Steps before a branch point belong to
   * the run they were made in: one entry for each run in one transaction, of which the latest is given. `ulid`: as in `post`.
   */
  annotate: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    entryAt: 3,
    run: (
      core,
      author: Author,
      target: AnnotationTarget,
      op: AnnotationOp,
      ulid?: string,
    ): Promise<AnnotationEntry> => core.annotations.annotate(author, target, op, ulid),
  }),
  /** As `annotate`, for a few hundred entries of one author, each on steps of its own: all of them are stored, or none. */
  annotateEach: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, author: Author, said: readonly Said[]): Promise<AnnotationEntry[]> =>
      core.annotations.annotateEach(author, said),
  }),
  /** A batch of a judge begins, in a process that holds the judge's lock; other batches of that judge without an end get one. */
  beginBatch: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, held: HeldBatch, choices: BatchChoices): Promise<void> => core.batches.begin(held, choices),
  }),
  /** A batch goes on in this process. `maxCost`: its limit from now on; null: the one it has. */
  resumeBatch: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, held: HeldBatch, maxCost: number | null): Promise<void> => core.batches.resume(held, maxCost),
  }),
  /**
   * Stores an answer that was paid for and the votes it held, in one transaction. `conflict` when another process has taken the
   * batch up meanwhile: then neither is stored.
   */
  judgeAnswered: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, held: HeldBatch, answer: JudgeAnswer, author: Author, said: readonly Said[]): Promise<void> =>
      core.batches.answered(held, answer, author, said),
  }),
  /** As `judgeAnswered` for a batch that tries a rubric: its verdicts are kept apart, are no votes and change no label. */
  judgeTried: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (
      core,
      held: HeldBatch,
      answer: JudgeAnswer,
      judge: string,
      tried: readonly Tried[],
    ): Promise<void> => core.batches.tried(held, answer, judge, tried),
  }),
  /** Makes what a judge said of the run's own steps by a rubric that it tried the judge's votes; how many. */
  adoptTrial: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, run: string, by: TriedBy): Promise<number> => core.batches.adopt(run, by),
  }),
  /**
   * Keeps a rubric for judging the steps of a task; null goes back to the application's own. `before`: the text that was seen kept,
   * null for none; `conflict` when it is another one by now. Absent: whatever is kept.
   */
  keepRubric: command({
    thread: 'write',
    whenReadOnly: refused('setting_rubric'),
    run: (core, rubric: NewRubric, before?: string | null): Promise<void> =>
      core.batches.keepRubric(rubric, before),
  }),
  /**
   * Asks the process that works on a batch to end it: it sends nothing more and stores what is under way. Holds only for the process
   * that works on it now, not for one that takes the batch up later; nothing is asked of a batch that has ended.
   */
  stopBatch: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, batch: string): Promise<void> => core.batches.askStop(batch),
  }),
  endBatch: command({
    thread: 'write',
    whenReadOnly: refused('labelling'),
    run: (core, held: HeldBatch, end: Omit<BatchEnd, 'at'>): Promise<void> => core.batches.end(held, end),
  }),
  /** Takes over what another annotation log holds: a workspace's folder, or a file made by `label export`. */
  merge: command({
    thread: 'write',
    whenReadOnly: refused('merging'),
    run: (core, path: string): Promise<MergeReport> => core.merge(path),
  }),
  /**
   * Undoes what the author did last in the run, whole: every entry of the gesture, and the decision that it only gave a reason
   * for. Null when there is none. `entry`: undoes the gesture with this entry instead, if it stands.
   */
  undo: command({
    thread: 'write',
    whenReadOnly: refused('undoing'),
    run: (core, run: string, author: Author, entry?: string): Promise<Undone | null> =>
      core.annotations.undo(run, author, entry),
  }),
  redo: command({
    thread: 'write',
    whenReadOnly: refused('redoing'),
    run: (core, run: string, author: Author): Promise<Redone | null> => core.annotations.redo(run, author),
  }),
  /**
   * Stores bytes `[offset, offset + length)` of a session; those that are there already are passed over. Rejects with
   * `conflict` when bytes before them are missing, `run_driven_elsewhere` when a driver of a newer epoch wrote.
   */
  sessionBytes: command({
    thread: 'write',
    whenReadOnly: refused('recording'),
    run: (core, run: string, epoch: number, uid: string, chunk: StoredChunk): Promise<void> =>
      core.sessionBytes(run, epoch, uid, chunk),
  }),
  /** Removes a run, or only its texts, under a tombstone that keeps counts and hashes. */
  remove: command({
    thread: 'write',
    whenReadOnly: refused('removing'),
    run: (core, run: string, mode: 'run' | 'text', author: Author): Promise<void> =>
      core.remove(run, mode, author),
  }),
  /** Deletes files of texts that nothing names any more, left by processes that were killed; how much that was. */
  clean: command({
    thread: 'write',
    whenReadOnly: refused('cleaning'),
    run: (core): Promise<{ files: number; bytes: number }> => core.clean(),
  }),
  createTask: command({
    thread: 'write',
    whenReadOnly: refused('adding_task'),
    run: (core, task: StoredTask): Promise<void> => core.createTask(task),
  }),
  /** What the workspace says about the rules of a task; null takes it back. Verdicts of its runs are derived again in the background. */
  setRules: command({
    thread: 'write',
    whenReadOnly: refused('setting_rules'),
    run: (core, task: string, settings: RuleSettings | null, author: Author): Promise<void> =>
      core.setRules(task, settings, author),
  }),
  /** Moves a person's bookmark of a run forward; `author` is a uuid. */
  see: command({
    thread: 'write',
    whenReadOnly: 'passed over',
    run: (core, run: string, author: string, seq: number): Promise<void> => core.see(run, author, seq),
  }),
  /** Keeps how long a person (uuid) has watched a run, since when; told again while they watch. In no log. */
  look: command({
    thread: 'write',
    whenReadOnly: 'passed over',
    run: (core, run: string, author: string, look: Look): Promise<void> => core.look(run, author, look),
  }),
  /** Keeps how long a person (uuid) had a step before them; in no log. */
  keepDwell: command({
    thread: 'write',
    whenReadOnly: 'passed over',
    run: (core, author: string, decision: Omit<TimedDecision, 'at'>): Promise<void> =>
      core.keepDwell(author, decision),
  }),
  /** A person does not want a hint's proposal to mask earlier steps again; `author` is a uuid. */
  dismissRetroMask: command({
    thread: 'write',
    whenReadOnly: 'passed over',
    run: (core, run: string, hint: string, author: string): Promise<void> =>
      core.dismissRetroMask(run, hint, author),
  }),
  /**
   * Derives what is kept about a run from its log again, in small transactions, telling `rebuild` notices; resolves with how
   * many rows were not what the log gives. Nobody may drive the run meanwhile.
   */
  rebuild: command({
    thread: 'write',
    whenReadOnly: refused('deriving'),
    run: (core, run: string): Promise<{ changed: number }> => core.rebuild(run),
  }),
  /** Empties the search index; it is filled again in the background. */
  rebuildSearch: command({
    thread: 'index',
    whenReadOnly: 'done',
    run: (index): Promise<void> => index.rebuildSearch(),
  }),
  /** Copies the annotation and outbox logs into a verified backup file; returns its path. */
  backup: command({
    thread: 'index',
    whenReadOnly: 'done',
    run: (index): Promise<string> => index.backup(),
  }),
} as const;

type Commands = typeof commands;
export type CommandName = keyof Commands;

/** Every write by its name, as others ask for it. */
export type StoreWriter = {
  [Name in CommandName]: Commands[Name] extends Command<infer Args, infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never;
};
