import { evaluated } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import type { HintDelivery, HintVerdict } from '@shared/log/outbox';
import fc from 'fast-check';
import { ulid } from 'ulid';
import type { Store } from '../store/api';
import { alice, bob, createRun, RunWriter } from './run-writer';

/** One thing that can happen to a run, by the loop or by people. */
export type RunDeed =
  | { deed: 'command'; command: string; output: string; exitCode: number; long: boolean }
  | { deed: 'edit'; path: string; text: string }
  | { deed: 'search'; term: string; hits: number }
  | { deed: 'failure' }
  | { deed: 'null' }
  | { deed: 'evaluate'; score: number }
  | { deed: 'status'; status: 'paused' | 'running' | 'waiting_human' }
  | { deed: 'ask'; answered: boolean }
  | { deed: 'hint'; text: string }
  | { deed: 'queue'; text: string; deliver: HintDelivery }
  | { deed: 'reword'; text: string; deliver: HintDelivery }
  | { deed: 'withdraw' | 'move' | 'due' }
  | { deed: 'verdict'; who: 0 | 1; step: number; verdict: HintVerdict | null }
  | { deed: 'label'; who: 0 | 1; from: number; length: number; value: 'train' | 'mask' | 'clear' }
  | { deed: 'adjudicate'; step: number; value: 'train' | 'mask' }
  | { deed: 'comment'; step: number }
  | { deed: 'flag'; step: number; on: boolean }
  | { deed: 'undo' | 'redo'; who: 0 | 1 }
  | { deed: 'session'; bytes: number };

const deliver: fc.Arbitrary<HintDelivery> = fc.constantFrom(
  { when: 'next_step' },
  { when: 'wake' },
  { when: 'score_changes' },
  { when: 'error_streak', steps: 2 },
  { when: 'session_idle', computer: '', session: 'main' },
);

const word = fc.constantFrom(
  'ls',
  'cat a.py',
  'python train.py',
  'grep "学习" .',
  'sed -n 1,5p a.py',
  'echo <real_user>',
);
const who = fc.constantFrom(0 as const, 1 as const);
const step = fc.nat(12);

export const deeds: fc.Arbitrary<RunDeed[]> = fc.array(
  fc.oneof(
    fc.record({
      deed: fc.constant('command' as const),
      command: word,
      output: fc.string({ maxLength: 60 }),
      exitCode: fc.constantFrom(0, 0, 1),
      long: fc.boolean(),
    }),
    fc.record({
      deed: fc.constant('edit' as const),
      path: fc.constantFrom('/tmp/w/a.py', '/tmp/w/b'),
      text: fc.string(),
    }),
    fc.record({ deed: fc.constant('search' as const), term: fc.string({ maxLength: 9 }), hits: fc.nat(9) }),
    fc.record({ deed: fc.constant('failure' as const) }),
    fc.record({ deed: fc.constant('null' as const) }),
    fc.record({ deed: fc.constant('evaluate' as const), score: fc.nat(100) }),
    fc.record({
      deed: fc.constant('status' as const),
      status: fc.constantFrom('paused', 'running', 'waiting_human'),
    }),
    fc.record({ deed: fc.constant('ask' as const), answered: fc.boolean() }),
    fc.record({ deed: fc.constant('hint' as const), text: fc.string({ minLength: 1, maxLength: 20 }) }),
    fc.record({
      deed: fc.constantFrom('queue' as const, 'reword' as const),
      text: fc.string({ minLength: 1, maxLength: 20 }),
      deliver,
    }),
    fc.record({ deed: fc.constantFrom('withdraw' as const, 'move' as const, 'due' as const) }),
    fc.record({
      deed: fc.constant('verdict' as const),
      who,
      step,
      verdict: fc.constantFrom('acted_on', 'ignored', null),
    }),
    fc.record({
      deed: fc.constant('label' as const),
      who,
      from: step,
      length: fc.nat(6),
      value: fc.constantFrom('train', 'mask', 'clear'),
    }),
    fc.record({ deed: fc.constant('adjudicate' as const), step, value: fc.constantFrom('train', 'mask') }),
    fc.record({ deed: fc.constant('comment' as const), step }),
    fc.record({ deed: fc.constant('flag' as const), step, on: fc.boolean() }),
    fc.record({ deed: fc.constantFrom('undo' as const, 'redo' as const), who }),
    fc.record({ deed: fc.constant('session' as const), bytes: fc.integer({ min: 1, max: 500 }) }),
  ) as fc.Arbitrary<RunDeed>,
  { minLength: 1, maxLength: 25 },
);

/** Makes a run of deeds; those that make no sense where they stand are left out. Returns its id. */
export async function liveThrough(store: Store, list: readonly RunDeed[]): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const life: Life = { queued: [], offset: 0, files: new Map() };
  for (const deed of list) {
    await live(store, writer, deed, life);
  }
  return run;
}

/** `entry`: the one that queued or last reworded the hint, which may not have set its condition. */
type Life = { queued: { hint: string; entry: string }[]; offset: number; files: Map<string, string> };

async function live(store: Store, writer: RunWriter, deed: RunDeed, life: Life): Promise<void> {
  const { run } = writer;
  const on = (number: number) => Math.min(writer.step, number + 1);
  const person = (index: 0 | 1) => (index === 0 ? alice : bob);
  switch (deed.deed) {
    case 'command':
      return writer.command(deed.command, deed.output + (deed.long ? 'long '.repeat(1000) : ''), {
        exitCode: deed.exitCode,
      });
    case 'edit': {
      const before = life.files.get(deed.path) ?? null;
      life.files.set(deed.path, deed.text);
      const change: NewEvent = {
        kind: 'file.changed',
        body: {
          step: writer.step + 1,
          call: 0,
          computer: 'local',
          path: deed.path,
          before: before === null ? null : 'b'.repeat(64),
          after: 'c'.repeat(64),
          size: deed.text.length,
          beforeText: before,
          text: deed.text,
          by: 'action',
        },
      };
      const args = { path: deed.path, start: 1, end: 2, content: deed.text };
      return writer.command('', 'edited', {
        tool: 'edit_file',
        args,
        events: [change],
        data: { path: deed.path },
      });
    }
    case 'search':
      return writer.command('', `${deed.hits} found`, {
        tool: 'search_dir',
        args: { search_term: deed.term, dir_path: '/tmp/w' },
        data: { hits: deed.hits },
      });
    case 'failure':
      return writer.command('cat nowhere', 'No such file', { ok: false });
    case 'null':
      return writer.teach('I do not know');
    case 'evaluate':
      return writer.command('', `score ${deed.score}`, {
        tool: 'eval',
        args: {},
        events: [
          {
            kind: 'evaluation.ended',
            body: evaluated(writer.step + 1, deed.score, { outcome: 'scored', raw: null, message: 'ok' }),
          },
        ],
      });
    case 'status':
      return writer.record([
        { kind: 'run.status', body: { status: deed.status, reason: 'asked', message: 'By hand' } },
      ]);
    case 'ask': {
      const approval = ulid();
      const body = {
        approval,
        step: Math.max(1, writer.step),
        call: 0,
        what: 'rm -r data',
        why: 'It deletes.',
      };
      await writer.record([{ kind: 'approval.asked', body }]);
      if (!deed.answered) return;
      return writer.record([{ kind: 'approval.decided', body: { approval, decision: 'allow', by: 'Ada' } }]);
    }
    case 'hint':
      if (writer.step > 0 && !writer.awaits) {
        await writer.hint(deed.text);
      }
      return;
    case 'queue': {
      const hint = ulid();
      const { text, deliver: when } = deed;
      const op = { op: 'hint.queued' as const, hint, text, category: 'question' as const, deliver: when };
      life.queued.push({ hint, entry: (await store.writer.post(run, bob, op)).ulid });
      return;
    }
    case 'reword':
    case 'withdraw':
    case 'move':
    case 'due':
      return changeHint(store, writer, deed, life);
    case 'session': {
      const chunk = {
        offset: life.offset,
        bytes: Buffer.alloc(deed.bytes, 65),
        receivedAt: life.offset,
        hostAt: null,
      };
      await store.writer.sessionBytes(run, writer.epoch, 'main', chunk);
      life.offset += deed.bytes;
      return;
    }
    default:
      if (writer.step > 0) {
        await decide(store, run, deed, on, person);
      }
  }
}

async function changeHint(
  store: Store,
  writer: RunWriter,
  deed: Extract<RunDeed, { deed: 'reword' | 'withdraw' | 'move' | 'due' }>,
  life: Life,
): Promise<void> {
  const { run } = writer;
  const last = life.queued.at(-1);
  if (last === undefined) {
    return;
  }
  const { hint, entry } = last;
  if (deed.deed === 'reword') {
    const { text, deliver: when } = deed;
    const edited = await store.writer.post(run, alice, { op: 'hint.edited', hint, text, deliver: when });
    life.queued.splice(-1, 1, { hint, entry: edited.ulid });
  } else if (deed.deed === 'withdraw') {
    life.queued.pop();
    await store.writer.post(run, alice, { op: 'hint.withdrawn', hint });
  } else if (deed.deed === 'move') {
    const before = life.queued[0]?.hint ?? null;
    await store.writer.post(run, alice, { op: 'hint.moved', hint, before });
  } else {
    await writer.record([{ kind: 'hint.due', body: { id: hint, entry, why: 'so' } }]);
  }
}

async function decide(
  store: Store,
  run: string,
  deed: Extract<RunDeed, { deed: 'label' | 'adjudicate' | 'comment' | 'flag' | 'verdict' | 'undo' | 'redo' }>,
  on: (step: number) => number,
  person: (index: 0 | 1) => typeof alice,
): Promise<void> {
  switch (deed.deed) {
    case 'label': {
      const target = { run, from: on(deed.from), to: on(deed.from + deed.length) };
      await store.writer.annotate(person(deed.who), target, { op: 'label', value: deed.value, reason: null });
      return;
    }
    case 'adjudicate': {
      const target = { run, from: on(deed.step), to: on(deed.step) };
      await store.writer.annotate(bob, target, { op: 'adjudicate', value: deed.value, reason: 'seen' });
      return;
    }
    case 'comment':
      await store.writer.annotate(
        alice,
        { run, from: on(deed.step), to: on(deed.step) },
        { op: 'comment', text: 'hm' },
      );
      return;
    case 'flag':
      await store.writer.annotate(
        bob,
        { run, from: on(deed.step), to: on(deed.step) },
        { op: 'flag', on: deed.on },
      );
      return;
    case 'verdict': {
      const target = { run, from: on(deed.step), to: on(deed.step) };
      const { hints } = await store.reader.hints(run);
      const { id: hint = ulid() } = hints[0] ?? {};
      await store.writer.annotate(person(deed.who), target, { op: 'hint', hint, verdict: deed.verdict });
      return;
    }
    case 'undo':
      await store.writer.undo(run, person(deed.who));
      return;
    case 'redo':
      await store.writer.redo(run, person(deed.who));
      return;
  }
}
