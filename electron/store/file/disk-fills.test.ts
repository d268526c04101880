import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AnnotationOp } from '@shared/log/annotations';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/deadline';
import { alice, bob, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { fillDisk, smallDisk } from '../../testing/small-disk';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import type { StoreNotice } from '../notices';
import { openDatabase } from './database';
import { workspaceFile } from './workspace-file';

/** A statement of a kind, carried out once. */
type Fill = [
  kind: string,
  act: (stand: Stand) => Promise<unknown>,
  before?: (stand: Stand) => Promise<unknown>,
];

/** A store on a small disk, and a run that a driver goes on with, as it does: what is refused is stored once there is room. */
class Stand {
  readonly notices: StoreNotice[] = [];
  refused = 0;
  readonly writer: RunWriter;
  readonly hints: string[] = [];
  readonly entries: string[] = [];
  bytes = 0;
  private filler: string | null = null;

  constructor(
    readonly disk: string,
    readonly store: Store,
    readonly run: string,
    /** An annotation log of another workspace, on another disk. */
    readonly others: string,
  ) {
    store.subscribe((notice) => this.notices.push(notice));
    const { writer } = store;
    this.writer = new RunWriter(
      {
        reader: store.reader,
        writer: {
          ...writer,
          append: (...given) => this.stored(() => writer.append(...given)),
          appendIfOutboxAt: (...given) => this.stored(() => writer.appendIfOutboxAt(...given)),
          post: (...given) => this.stored(() => writer.post(...given)),
        },
      },
      run,
    );
  }

  /** Does it; where the disk has no room looks whether the window was told, makes room and does it again once it may. */
  readonly stored = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'disk_full' });
      this.refused += 1;
      // Told with the refusal itself, not a while later.
      expect(this.notices.at(-1)).toMatchObject({ kind: 'problem', code: 'disk_full' });
      await this.look();
      if (this.filler !== null) rmSync(this.filler);
      this.filler = null;
      await eventually('work goes on', () => this.notices.at(-1)?.kind === 'problem_solved');
      return act();
    }
  };

  /** Takes all room, also what the write-ahead log keeps for itself. */
  fill(): void {
    this.notices.length = 0;
    const db = openDatabase(workspaceFile(join(this.disk, 'workspace')));
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    this.filler = fillDisk(this.disk);
  }

  async label(op: AnnotationOp, target: object = { from: 1, to: 1 }): Promise<void> {
    const at = { run: this.run, from: 1, to: 1, ...target };
    const { ulid: entry } = await this.stored(() => this.store.writer.annotate(alice, at, op));
    this.entries.push(entry);
  }

  async type(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const chunk = { offset: this.bytes, bytes, receivedAt: 1, hostAt: null };
    await this.stored(() => this.store.writer.sessionBytes(this.run, 1, 'u1', chunk));
    this.bytes += bytes.length;
  }

  /** Everything that was acknowledged is there. */
  async look(): Promise<void> {
    const { reader } = this.store;
    expect((await reader.run(this.run)).steps).toBeGreaterThanOrEqual(this.writer.acknowledged);
    for (let step = 1; step <= this.writer.acknowledged; step += 1)
      expect((await reader.step(this.run, step)).observations[0]?.ok).toBe(true);
    const stored = new Set((await reader.annotations(this.run)).map((entry) => entry.ulid));
    expect(this.entries.filter((entry) => !stored.has(entry))).toEqual([]);
    const hints = new Set((await reader.hints(this.run)).hints.map(({ id }) => id));
    expect(this.hints.filter((hint) => !hints.has(hint))).toEqual([]);
    if (this.bytes > 0)
      expect((await reader.readSession(this.run, 'u1', 0, 1)).endOffset).toBeGreaterThanOrEqual(this.bytes);
  }
}

const train = { op: 'label', value: 'train', reason: null } as const;
const parts = [1, 3].map((step) => ({ from: step, to: step }));
const answer = ({ writer }: Stand) => writer.answer('I look.', 'run_command', { command: 'ls' });

/** One of each kind of statement that takes room. Looks, removing and cleaning take none, and are no part of it. */
const fills: readonly Fill[] = [
  ['a new run', ({ store, stored }) => stored(() => createRun(store))],
  ['the begin of a drive', ({ writer }) => writer.start()],
  ['a request', ({ writer }) => writer.request()],
  ['an answer', answer],
  ['an observation', ({ writer }) => writer.observe('one')],
  ['an observation with a text of its own', ({ writer }) => writer.observe(noise(30_000)), answer],
  ['an observation with a text in a file', ({ writer }) => writer.observe(noise(300_000)), answer],
  [
    'a hint',
    async (stand) => {
      const hint = ulid();
      const op = { op: 'hint.queued', hint, text: 'Look again.', category: 'other' } as const;
      await stand.stored(() => stand.store.writer.post(stand.run, alice, op));
      stand.hints.push(hint);
    },
  ],
  [
    'a request with what the outbox holds',
    async ({ store, run, stored }) => {
      const head = await store.reader.outboxHead(run);
      const body = { status: 'running', reason: null, message: 'Goes on.' } as const;
      await stored(() => store.writer.appendIfOutboxAt(run, 1, head, [{ kind: 'run.status', body }]));
    },
  ],
  [
    'a pause',
    ({ store, run, stored }) =>
      stored(() => store.writer.post(run, alice, { op: 'run.pause', mode: 'after_step' })),
  ],
  ['a label', (stand) => stand.label(train)],
  ['a label of steps that lie apart', (stand) => stand.label(train, { from: 1, to: 3, parts })],
  ['a comment', (stand) => stand.label({ op: 'comment', text: noise(3_000) })],
  ['a flag', (stand) => stand.label({ op: 'flag', on: true })],
  ['an undo', ({ store, run, stored }) => stored(() => store.writer.undo(run, alice))],
  ['a redo', ({ store, run, stored }) => stored(() => store.writer.redo(run, alice))],
  ['a merge', ({ store, others, stored }) => stored(() => store.writer.merge(others))],
  ['terminal output', (stand) => stand.type('said\r\n')],
  ['more terminal output', (stand) => stand.type(noise(100_000))],
  [
    'a task',
    ({ store, stored }) => {
      const task = { id: 'demo', title: 'Demo', domain: null, hash: 'a'.repeat(64), addedAt: 5 };
      return stored(() =>
        store.writer.createTask({ ...task, folder: 'tasks/demo', spec: { a: noise(5_000) } }),
      );
    },
  ],
  ['a bookmark', ({ store, run, stored }) => stored(() => store.writer.see(run, alice.uuid, 2))],
  [
    'how long a person looked',
    ({ store, run, stored }) =>
      stored(() => store.writer.keepDwell(alice.uuid, { run, step: 1, ms: 5, class: null, agreed: true })),
  ],
];

test(`${fills.length} fills of the disk, one at each kind of statement: refused by name, nothing acknowledged lost, stored once there is room`, async (context) => {
  const disk = smallDisk('size=16m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  mkdirSync(folder);
  const store = testStore(folder, { ballastBytes: 64 * 1024 });
  const run = await createRun(store);
  const stand = new Stand(disk, store, run, await otherLog(run));
  for (const [kind, act, before] of fills) {
    await before?.(stand);
    stand.fill();
    const { refused } = stand;
    await act(stand);
    expect([kind, stand.refused - refused]).toEqual([kind, 1]);
    await stand.look();
  }
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  expect(runs.flatMap(({ problems }) => problems)).toEqual([]);
  // The task of this test is a row alone.
  expect(workspace.map(({ what, where }) => [what, where])).toEqual([['task_package', 'task demo']]);
  await store.close();
  const again = testStore(folder, { ballastBytes: 0 });
  expect(await again.reader.run(run)).toMatchObject({ steps: stand.writer.step });
}, 120_000);

/** What another person said of a run, in a file. */
async function otherLog(run: string): Promise<string> {
  const folder = temporaryFolder();
  const store = testStore(join(folder, 'workspace'));
  await store.writer.append(run, 0, [{ kind: 'run.created', body: createdBody(run) }]);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'one', { exitCode: 0 });
  await store.writer.annotate(bob, { run, from: 1, to: 1 }, train);
  const path = join(folder, 'labels.jsonl');
  await store.reader.exportAnnotations(path);
  await store.close();
  return path;
}

/** A text that does not compress. */
function noise(length: number): string {
  let text = '';
  for (let index = 0; text.length < length; index += 1)
    text += Math.imul(index * 31 + length, 2654435761).toString(36);
  return text.slice(0, length);
}
