import { WaymarkError } from '@shared/contract/errors';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { RubricKind } from '@shared/judging/rubric-text';
import type { AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import { spentIn } from '@shared/log/event-fixtures';
import type { OutboxOp } from '@shared/log/outbox';
import { BranchContext } from '../../branches/branch-context';
import type { Store } from '../../store/api';
import { allEvents, createdBody, RunWriter, requestBase } from '../run-writer';

/** A step that a drive records: its command prints `output`, which also goes to the session's log. */
export interface DrivenStep {
  output: string;
  exitCode: number;
  /** Text of a hint that is queued and delivered right before the step; null = none. */
  hint: string | null;
}

/** One write of a process, complete in itself: it can be sent to any process and means the same there. */
export type Act =
  | { act: 'create'; run: string }
  /** A branch of `parent` right after one of its steps, with the steps in its context. */
  | { act: 'branch'; run: string; parent: { run: string; step: number } }
  /** Takes the run's lock, records the steps with their terminal bytes, and lets go. */
  | { act: 'drive'; run: string; uid: string; steps: DrivenStep[] }
  /** A chunk of a driver that lost the run to another one. */
  | { act: 'late_chunk'; run: string; uid: string }
  | { act: 'annotate'; author: Author; target: AnnotationTarget; op: AnnotationOp; ulid: string }
  | { act: 'undo' | 'redo'; run: string; author: Author }
  | { act: 'post'; run: string; author: Author; op: OutboxOp; ulid: string }
  | { act: 'rules'; task: string; settings: RuleSettings | null; author: Author }
  | { act: 'rubric'; task: string; kind: RubricKind; text: string | null; author: Author }
  | { act: 'merge'; path: string }
  | { act: 'remove'; run: string; mode: 'run' | 'text'; author: Author }
  | { act: 'see'; run: string; author: string }
  | { act: 'rebuild'; run: string }
  | { act: 'backup' };

/** What an act came to: `ok`, or the code of the failure that its caller was given. */
export type Outcome = string;

/**
 * Does an act and says what it came to. What is no expected failure (`bug`, or not a `WaymarkError`) is thrown.
 */
export async function perform(store: Store, act: Act): Promise<Outcome> {
  try {
    return (await carryOut(store, act)) ?? 'ok';
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code !== 'bug' && thrown.code !== 'workspace_corrupt') {
      return thrown.code;
    }
    throw thrown;
  }
}

/** Outcomes of acts at one moment, in an order of their own. Processes that merge one file share what is new in it. */
export function summed(outcomes: readonly Outcome[]): Outcome[] {
  let added = 0;
  const others = outcomes.map((outcome) => {
    const [, news, all] = /^(\d+) new of (\d+)$/.exec(outcome) ?? [];
    added += Number(news ?? 0);
    return all === undefined ? outcome : `some new of ${all}`;
  });
  return [...others.sort(), `${added} new in all`];
}

async function carryOut(store: Store, act: Act): Promise<Outcome | undefined> {
  const { writer } = store;
  switch (act.act) {
    case 'create':
      await writer.append(act.run, 0, [{ kind: 'run.created', body: createdBody(act.run) }]);
      return;
    case 'branch':
      return branch(store, act.run, act.parent);
    case 'drive':
      return drive(store, act.run, act.uid, act.steps);
    case 'late_chunk': {
      const chunk = { offset: 0, bytes: Buffer.from('late'), receivedAt: 0, hostAt: null };
      await writer.sessionBytes(act.run, 0, act.uid, chunk);
      return;
    }
    case 'annotate':
      await writer.annotate(act.author, act.target, act.op, act.ulid);
      return;
    case 'undo':
      return (await writer.undo(act.run, act.author)) === null ? 'nothing' : 'undone';
    case 'redo':
      return (await writer.redo(act.run, act.author)) === null ? 'nothing' : 'redone';
    case 'post':
      await writer.post(act.run, act.author, act.op, act.ulid);
      return;
    case 'rules':
      await writer.setRules(act.task, act.settings, act.author);
      return;
    case 'rubric':
      await writer.keepRubric({ task: act.task, kind: act.kind, text: act.text, author: act.author.name });
      return;
    case 'merge': {
      const { added, known, kept } = await writer.merge(act.path);
      return `${added} new of ${added + known + kept.entries}`;
    }
    case 'remove':
      await writer.remove(act.run, act.mode, act.author);
      return;
    case 'see':
      await writer.see(act.run, act.author, Number.MAX_SAFE_INTEGER);
      return;
    case 'rebuild':
      // Nothing may differ from what the log gives.
      return `${(await writer.rebuild(act.run)).changed} rows were wrong`;
    case 'backup':
      await writer.backup();
      return;
  }
}

async function branch(store: Store, run: string, parent: { run: string; step: number }): Promise<undefined> {
  const context = new BranchContext();
  for (const event of await allEvents(store, parent.run)) {
    if (event.kind === 'model.requested' && event.body.step > parent.step) break;
    context.apply(event);
  }
  const spent = spentIn(parent.step);
  await store.writer.append(run, 0, [
    { kind: 'run.created', body: { ...createdBody(run), parent } },
    ...context.events({
      drop: new Set(),
      added: [],
      notice: 'You are elsewhere now.',
      request: requestBase,
      copied: 0,
    }),
    {
      kind: 'branch.began',
      body: { parent, checkpoint: null, spent, dropped: [], added: [], message: 'From there' },
    },
  ]);
}

async function drive(store: Store, run: string, uid: string, steps: readonly DrivenStep[]): Promise<Outcome> {
  const lock = store.lockRun(run);
  if (lock === null) return 'driven';
  try {
    const writer = await RunWriter.takeOver(store, run, lock.epoch);
    const opened = (await store.reader.sessions(run)).find((session) => session.uid === uid);
    let end = opened?.endOffset ?? 0;
    if (opened === undefined) {
      const session = { computer: 'local', session: 'main', uid, rows: 24, cols: 80 };
      await writer.record([{ kind: 'session.opened', body: session }]);
    }
    for (const { output, exitCode, hint } of steps) {
      if (hint !== null && writer.step > 0 && !writer.awaits) await writer.hint(hint);
      await writer.answer('I look', 'run_command', { command: 'make', session_id: 'main' });
      const bytes = Buffer.from(output);
      const chunk = { offset: end, bytes, receivedAt: end, hostAt: null };
      await store.writer.sessionBytes(run, lock.epoch, uid, chunk);
      end += bytes.length;
      await writer.observe(output, { exitCode, data: { command: 'make' }, offsets: { 'local:main': end } });
    }
    return 'ok';
  } finally {
    lock.release();
  }
}
