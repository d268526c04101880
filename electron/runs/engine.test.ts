import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { VerifyReport } from '@shared/contract/views';
import type { EventBody, EventKind } from '@shared/log/events';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock';
import { LocalComputer } from '../computer/local/local-computer';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import type { Store } from '../store/api';
import { openStoreInProcess } from '../store/threads/in-process';
import { addTask } from '../task/add';
import { unisolated } from '../testing/engine-stand';
import { call, finish, steps } from '../testing/scripted-answers';
import { writeTaskPackage } from '../testing/task-package';
import type { LiveFrame } from './drive/live';
import { createEngine, type Engine } from './engine';
import { noHosts } from './start/no-hosts';

const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const resourcesDir = join(import.meta.dirname, '../../resources');
const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const run = (command: string, wait = true) =>
  call('run_command', { computer_ip: 'local', session_id: 'main', command, wait_for_completion: wait });

class Bench {
  readonly frames: LiveFrame[] = [];
  constructor(
    readonly folder: string,
    readonly store: Store,
    readonly engine: Engine,
    readonly model: ScriptedModel,
    readonly endpoint: Endpoint,
  ) {
    engine.live.subscribe((frame) => this.frames.push(frame));
  }

  start(over: { humanHints?: boolean; maxSteps?: number; approvals?: 'on' | 'off' } = {}): Promise<string> {
    const { humanHints = true, maxSteps = null, approvals = 'off' } = over;
    return this.engine.startRun({
      task: 'small',
      title: null,
      endpoint: this.endpoint,
      experiment: null,
      maxWorkingMs: null,
      ...unisolated,
      author,
      humanHints,
      maxSteps,
      approvals,
    });
  }

  async drive(id: string): Promise<void> {
    await this.engine.resumeRun(id);
    await this.engine.waitRun(id);
  }

  async of<K extends EventKind>(id: string, kind: K): Promise<EventBody<K>[]> {
    const events = await this.store.reader.events(id, 1, 2_000);
    return events.flatMap((event) => (event.kind === kind ? [event.body as EventBody<K>] : []));
  }

  /** Resolves when an event of the run passes the test. */
  async until<K extends EventKind>(
    id: string,
    kind: K,
    test: (body: EventBody<K>) => boolean = () => true,
  ): Promise<void> {
    while (!(await this.of(id, kind)).some(test)) await turn();
  }
}

async function bench(policy: ScriptedPolicy, keyEnv = ''): Promise<Bench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-engine-')));
  const model = await startScriptedModel({ policy });
  const store = openStoreInProcess(join(folder, 'workspace'));
  const endpoint = endpointSchema.parse({
    name: 'Scripted',
    baseUrl: model.baseUrl,
    model: 'scripted',
    parallelCalls: true,
    keyEnv,
  });
  const price = { input: 1, cached: 1, output: 1 };
  const made = createEngine({
    store,
    settings: { current: settingsSchema.parse({ endpoints: [{ ...endpoint, price }] }) },
    findKey: () => null,
    clock: systemClock,
    hosts: noHosts(),
    resourcesDir,
    sessionsDir: join(folder, 'sessions'),
    appVersion: '0.0.0',
    log: { info: () => undefined, error: () => undefined },
    retry: { attempts: 3, patienceMs: 0, firstMs: 1, longestMs: 2 },
  });
  closing.push(
    () => rm(folder, { recursive: true, force: true }),
    () => model.close(),
    () => store.close(),
    () => made.cleanSessions(new Set()),
    () => made.shutdown({ mode: 'now' }),
  );
  await addTask(store, await writeTaskPackage(join(folder, 'package')));
  return new Bench(folder, store, made, model, endpoint);
}

function problemsOf({ runs, workspace }: VerifyReport) {
  return [...workspace, ...runs.flatMap(({ problems }) => problems)];
}

/** The engine of the application's next start. */
function successor({ store, folder, endpoint }: Bench): Engine {
  const engine = createEngine({
    store,
    findKey: () => null,
    clock: systemClock,
    settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
    resourcesDir,
    sessionsDir: join(folder, 'sessions'),
    hosts: noHosts(),
    appVersion: '0.0.1',
    log: { info: () => undefined, error: () => undefined },
  });
  closing.push(() => engine.shutdown({ mode: 'now' }));
  return engine;
}

describe('the engine', () => {
  it('drives a task to its end on real sessions, and everything can be verified', async () => {
    const stand = await bench(
      steps(
        {
          text: 'I look around.',
          calls: [call('create_session', { computer_ip: 'local', session_id: 'main' }), run('ls task')],
        },
        { calls: [run('printf "1\\n2\\n3\\n4\\n" > data/outputs/answer.txt'), run('false')] },
        { calls: [call('eval')] },
        finish,
      ),
    );
    const id = await stand.start();
    expect((await stand.store.reader.run(id)).state).toBe('created');
    await stand.drive(id);
    const summary = await stand.store.reader.run(id);
    expect(summary).toMatchObject({
      state: 'finished',
      reason: 'finish',
      steps: 4,
      scores: { best: 40, final: 40, tries: 1 },
    });
    expect(summary.cost).toBeGreaterThan(0);
    const observed = await stand.of(id, 'action.observed');
    expect(observed.map(({ ok, closedBy }) => [ok, closedBy])).toEqual(
      Array.from({ length: 6 }, () => [true, 'run']),
    );
    expect(observed[1]?.text).toContain('run.sh');
    const [session] = await stand.store.reader.sessions(id);
    expect(session?.endOffset).toBeGreaterThanOrEqual(observed.at(-1)?.offsets['local:main'] ?? Number.NaN);
    const { bytes } = await stand.store.reader.readSession(id, session?.uid ?? '', 0, 100_000);
    expect(Buffer.from(bytes).toString()).toContain('fixed.txt');
    for (const step of [1, 2, 3, 4]) expect((await stand.store.reader.prompt(id, step)).verified).toBe(true);
    expect(problemsOf(await stand.store.reader.verify([id]))).toEqual([]);
    expect(stand.frames.some((frame) => frame.kind === 'delta' && frame.text !== undefined)).toBe(true);
    expect(stand.model.requests[0]?.raw).not.toContain('{{');
    await expect(stand.engine.resumeRun(id)).rejects.toMatchObject({ code: 'run_ended' });
    await expect(stand.engine.hint(id, author, 'late', 'other')).rejects.toMatchObject({ code: 'run_ended' });
  }, 60_000);

  it('runs no evaluator that the agent rewrote, and says in its log that it could', async () => {
    const best = `echo '{"score": 8}'`;
    const stand = await bench(
      steps(
        { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' })] },
        {
          calls: [
            run(
              `for f in ../../../tasks/*/evaluation/evaluate.sh; do printf '%s\\n' "${best.replaceAll('"', '\\"')}" > $f; done`,
            ),
          ],
        },
        { calls: [call('eval')] },
        finish,
      ),
    );
    const id = await stand.start();
    await stand.drive(id);
    const [tried, final] = await stand.of(id, 'evaluation.ended');
    const refused = { outcome: 'unavailable', attempt: null, score: null, isolated: false };
    expect(tried).toMatchObject(refused);
    expect(tried?.message).toMatch(/is not the one that this run pinned/);
    expect(final).toMatchObject({ ...refused, forced: true });
    expect((await stand.store.reader.run(id)).scores).toMatchObject({ best: null, final: null, tries: 0 });
  }, 60_000);

  it('no earlier score stands for a final evaluation that what the agent left made impossible', async () => {
    const stand = await bench(
      steps(
        { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' })] },
        { calls: [run('printf "1\\n2\\n3\\n4\\n" > data/outputs/answer.txt')] },
        { calls: [call('eval')] },
        { calls: [run('rm -r data/outputs; mkfifo data/outputs')] },
        finish,
      ),
    );
    const id = await stand.start();
    await stand.drive(id);
    const [tried, final] = await stand.of(id, 'evaluation.ended');
    expect(tried).toMatchObject({ outcome: 'scored', forced: false });
    expect(final).toMatchObject({ outcome: 'unavailable', score: null, forced: true });
    const { scores } = await stand.store.reader.run(id);
    expect(scores).toMatchObject({
      best: tried?.score,
      final: null,
      last: tried?.score,
      finalUnavailable: true,
    });
  }, 60_000);

  it('delivers hints, and refuses to edit one that was delivered', async () => {
    const stand = await bench(({ answers }) =>
      answers === 0 ? { calls: [call('think', { thought: 'x' })], pieceMs: 20 } : finish,
    );
    const id = await stand.start();
    const first = await stand.engine.hint(id, author, 'use awk', 'strategy');
    await stand.engine.resumeRun(id);
    await stand.until(id, 'hint.delivered');
    await expect(
      stand.store.writer.post(id, author, { op: 'hint.edited', hint: first, text: 'use sed' }),
    ).rejects.toMatchObject({ code: 'hint_already_delivered' });
    await stand.engine.waitRun(id);
    expect(stand.model.requests[0]?.raw).toContain('<real_user>use awk</real_user>');
    expect((await stand.store.reader.hints(id)).hints[0]).toMatchObject({ state: 'delivered', step: 0 });
    const silent = await stand.start({ humanHints: false });
    await expect(stand.engine.hint(silent, author, 'x', 'other')).rejects.toMatchObject({ code: 'refused' });
  }, 60_000);

  it('pauses without asking when the key is missing', async () => {
    const stand = await bench(steps({ calls: [call('sleep', { sleep_time: 100 })] }, finish), 'NO_SUCH_KEY');
    const keyless = await stand.start();
    await stand.drive(keyless);
    expect(await stand.store.reader.run(keyless)).toMatchObject({
      state: 'paused',
      reason: 'model_key_missing',
    });
    expect(stand.model.requests).toHaveLength(0);
  }, 60_000);

  it('lets go on shutdown and goes on after it', async () => {
    const stand = await bench(steps({ calls: [call('sleep', { sleep_time: 100 })] }, finish));
    const id = await stand.start();
    await stand.engine.resumeRun(id);
    await stand.until(id, 'action.started');
    expect(stand.engine.drivenRuns()).toEqual([id]);
    expect(stand.store.isDriven(id)).toBe(true);
    await stand.engine.shutdown({ mode: 'now' });
    expect(stand.store.isDriven(id)).toBe(false);
    expect(await stand.store.reader.run(id)).toMatchObject({ state: 'paused', reason: 'asked' });
    await expect(stand.engine.resumeRun(id)).rejects.toMatchObject({ code: 'refused' });
    const next = successor(stand);
    await next.resumeRun(id);
    await next.waitRun(id);
    expect(await stand.store.reader.run(id)).toMatchObject({ state: 'finished', steps: 2 });
    expect((await stand.of(id, 'driver.started')).map(({ reason, epoch }) => [reason, epoch])).toEqual([
      ['start', expect.any(Number)],
      ['resume', expect.any(Number)],
    ]);
  }, 60_000);

  it('keeps every byte of a session that goes on while nobody drives, and counts its command as work', async () => {
    const ticks = 'i=0; while [ ! -e stop ]; do i=$((i+1)); echo "tick $i"; sleep 0.02; done';
    const stand = await bench(
      steps(
        { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' }), run(ticks, false)] },
        { calls: [call('sleep', { sleep_time: 100 })] },
        { calls: [call('sleep', { sleep_time: 0.2 })] },
        finish,
      ),
    );
    const id = await stand.start();
    await stand.engine.resumeRun(id);
    await stand.until(id, 'action.started', ({ name }) => name === 'sleep');
    await stand.engine.shutdown({ mode: 'now' });
    const before = (await stand.store.reader.sessions(id))[0]?.endOffset ?? 0;
    const computer = new LocalComputer({ resourcesDir, sessionsDir: join(stand.folder, 'sessions', id) });
    closing.push(() => computer.dispose());
    // Five lines more, 20 ms apart, while nobody drives.
    while (((await computer.sessions.find('main'))?.endOffset ?? 0) < before + 50) await turn();
    expect((await stand.store.reader.sessions(id))[0]?.endOffset).toBe(before);
    const next = successor(stand);
    await next.resumeRun(id);
    await next.waitRun(id);
    const [session] = await stand.store.reader.sessions(id);
    expect(session?.endOffset).toBeGreaterThan(before);
    const { bytes } = await stand.store.reader.readSession(id, session?.uid ?? '', 0, 1_000_000);
    const numbers = [
      ...Buffer.from(bytes)
        .toString()
        .matchAll(/tick (\d+)/gu),
    ].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const [ran] = await stand.of(id, 'command.ran');
    expect((ran?.to ?? 0) - (ran?.from ?? 0)).toBeGreaterThanOrEqual(60);
    expect(problemsOf(await stand.store.reader.verify([id]))).toEqual([]);
  }, 60_000);

  it('wakes, pauses and stops through the outbox, driven or not', async () => {
    const stand = await bench(() => ({ calls: [call('sleep', { sleep_time: 100 })] }));
    const id = await stand.start();
    await stand.engine.pause(id, author, 'now');
    expect(await stand.store.reader.run(id)).toMatchObject({ state: 'paused', message: 'Paused by Ada.' });
    await stand.engine.resumeRun(id);
    await stand.until(id, 'action.started');
    await stand.engine.wake(id, author);
    await stand.until(id, 'action.observed', ({ text }) => text.startsWith('Woken'));
    await stand.until(id, 'action.started', ({ step }) => step === 2);
    await stand.engine.pause(id, author, 'now');
    await stand.engine.waitRun(id);
    await stand.engine.hint(id, author, 'never read', 'other');
    await stand.engine.stop(id, author);
    expect(await stand.store.reader.run(id)).toMatchObject({ state: 'stopped' });
    expect((await stand.store.reader.hints(id)).hints[0]?.state).toBe('undelivered');
    expect(problemsOf(await stand.store.reader.verify([id]))).toEqual([]);
  }, 60_000);

  it('names what stands in the way before the first step, and cleans up sessions', async () => {
    const stand = await bench(
      steps(
        { calls: [call('create_session', { computer_ip: 'local', session_id: 'idle' })] },
        { calls: [call('run_command', { computer_ip: 'local', session_id: 'busy', command: 'sleep 600' })] },
        finish,
      ),
    );
    await expect(stand.engine.resumeRun('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toMatchObject({
      code: 'not_found',
    });
    const id = await stand.start();
    await stand.drive(id);
    const other = stand.store.lockRun(id);
    expect(other).not.toBeNull();
    await expect(stand.engine.resumeRun(id)).rejects.toMatchObject({ code: 'run_driven_elsewhere' });
    other?.release();
    // What stands at its prompt is closed with the run; what still runs something is left to `clean`.
    expect((await stand.of(id, 'session.ended')).map(({ session }) => session)).toEqual(['idle']);
    expect(await stand.engine.cleanSessions(new Set([id]))).toEqual({
      closed: 0,
      folders: [],
      notReached: [],
    });
    expect(await stand.engine.cleanSessions(new Set())).toEqual({
      closed: 1,
      notReached: [],
      folders: [join(stand.folder, 'sessions', id)],
    });
  }, 60_000);
});
