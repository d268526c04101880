import type { NewEvent } from '@shared/log/events';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock';
import type { ScriptedPolicy } from '../../model/scripted-server';
import type { Store } from '../../store/api';
import { openStoreInProcess } from '../../store/threads/in-process';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { eventually } from '../../testing/deadline';
import { EndpointsStand } from '../../testing/endpoints-stand';
import { author } from '../../testing/engine-stand';
import { createEngine, type Engine } from '../engine';
import { noHosts } from '../start/no-hosts';

const stands: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of stands.splice(0).reverse()) await stand.close();
});

const thinking: ScriptedPolicy = () => ({
  calls: [{ name: 'think', arguments: { thought: 'Hm.' } }],
});

async function open(policy: ScriptedPolicy = thinking): Promise<EndpointsStand> {
  const stand = await EndpointsStand.open({ Model: { policy } });
  stands.push(stand);
  return stand;
}

function engineOn(stand: EndpointsStand, store: Store): Engine {
  const engine = createEngine({
    store,
    settings: { current: stand.settings },
    findKey: () => null,
    clock: systemClock,
    resourcesDir,
    sessionsDir: `${stand.folder}/sessions`,
    hosts: noHosts(),
    appVersion: 'test',
    log: { info: () => undefined, error: () => undefined },
  });
  stands.push({ close: () => engine.shutdown({ mode: 'now' }) });
  return engine;
}

/** The command line beside the window: a store and an engine of their own on the same workspace. */
function beside(stand: EndpointsStand): Engine {
  const store = openStoreInProcess(stand.store.folder);
  stands.push(store);
  return engineOn(stand, store);
}

/** The store, where somebody does something right before the log says that the run is paused. */
function beforePaused(store: Store, act: () => Promise<unknown>): Store {
  const append: Store['writer']['append'] = async (run, epoch, events) => {
    if (events.some(saysPaused)) await act();
    return store.writer.append(run, epoch, events);
  };
  return Object.assign(Object.create(store) as Store, {
    writer: Object.assign(Object.create(store.writer) as Store['writer'], { append }),
  });
}

/** The store, where the head of an outbox is only read once the state of a run has been read after it was asked for. */
function slowHead(store: Store): Store {
  let release: () => void = () => undefined;
  const run: Store['reader']['run'] = async (...args) => {
    const found = await store.reader.run(...args);
    release();
    return found;
  };
  const outboxHead: Store['reader']['outboxHead'] = async (...args) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return store.reader.outboxHead(...args);
  };
  return Object.assign(Object.create(store) as Store, {
    reader: Object.assign(Object.create(store.reader) as Store['reader'], { run, outboxHead }),
  });
}

/** Calls `act` the first time the log says that the run is paused, in the very moment in which it says so. */
function oncePaused<T>(stand: EndpointsStand, run: string, act: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = stand.store.subscribe((notice) => {
      if (notice.kind !== 'run' || notice.run !== run || !(notice.events ?? []).some(saysPaused)) return;
      stop();
      act().then(resolve, reject);
    });
  });
}

function saysPaused(event: NewEvent): boolean {
  return event.kind === 'run.status' && event.body.status === 'paused';
}

async function drivenAndPausing(stand: EndpointsStand): Promise<string> {
  const run = await stand.start('Model', { maxSteps: 1_000 });
  await stand.engine.resumeRun(run);
  await stand.until(run, 'model.answered');
  return run;
}

describe('while a drive lets go', () => {
  it('a resume waits for its end and drives the run on', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    const resumed = oncePaused(stand, run, () => stand.engine.resumeRun(run));
    await stand.engine.pause(run, author, 'after_step');
    await resumed;
    expect(stand.engine.drivenRuns()).toEqual([run]);
    expect((await stand.of(run, 'driver.started')).map(({ reason }) => reason)).toEqual(['start', 'resume']);
    const steps = (await stand.of(run, 'model.answered')).length;
    await eventually('the run goes on', async () => (await stand.of(run, 'model.answered')).length > steps);
  }, 60_000);

  it('a stop is carried out', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    const stopped = oncePaused(stand, run, () => stand.engine.stop(run, author));
    await stand.engine.pause(run, author, 'after_step');
    await stopped;
    expect(await stand.store.reader.run(run)).toMatchObject({
      state: 'stopped',
      message: expect.stringContaining('Ada'),
    });
    expect(await stand.problems(run)).toEqual([]);
  }, 60_000);

  it('a stop that the drive had not read when it came to rest is carried out at its end', async () => {
    const stand = await open();
    const run = await stand.start('Model', { maxSteps: 1_000 });
    const store = beforePaused(stand.store, () => stand.store.writer.post(run, author, { op: 'run.stop' }));
    const engine = engineOn(stand, store);
    await engine.resumeRun(run);
    await stand.until(run, 'model.answered');
    await engine.pause(run, author, 'after_step');
    await engine.waitRun(run);
    expect((await stand.store.reader.run(run)).state).toBe('stopped');
    expect((await stand.of(run, 'run.status')).map(({ status }) => status).slice(-2)).toEqual([
      'paused',
      'stopped',
    ]);
  }, 60_000);

  it('a checkpoint is made', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    const kept = oncePaused(stand, run, () => stand.engine.checkpoints.make(run, author, 'here'));
    await stand.engine.pause(run, author, 'after_step');
    await kept;
    expect(await stand.of(run, 'checkpoint.made')).toMatchObject([{ why: 'asked', note: 'here' }]);
  }, 60_000);
});

describe('while a run is taken up', () => {
  it('a second resume gives the same drive, and both succeed', async () => {
    const stand = await open();
    const run = await stand.start('Model', { maxSteps: 1_000 });
    const { engine } = stand;
    await Promise.all([engine.resumeRun(run), engine.resumeRun(run), engine.resumeRun(run)]);
    expect(await stand.of(run, 'driver.started')).toHaveLength(1);
    await stand.until(run, 'model.answered');
  }, 60_000);

  it('a pause is heard', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    await stand.engine.pause(run, author, 'after_step');
    await stand.engine.waitRun(run);
    const resumed = stand.engine.resumeRun(run);
    await stand.engine.pause(run, author, 'now');
    await resumed;
    await stand.engine.waitRun(run);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'paused', reason: 'asked' });
    expect(await stand.of(run, 'driver.started')).toHaveLength(2);
  }, 60_000);

  it('a pause is heard that finds the run paused while the resume still reads', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    await stand.engine.pause(run, author, 'after_step');
    await stand.engine.waitRun(run);
    const engine = engineOn(stand, slowHead(stand.store));
    const resumed = engine.resumeRun(run);
    await engine.pause(run, author, 'now');
    await resumed;
    await engine.waitRun(run);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'paused', reason: 'asked' });
  }, 60_000);

  it('a stop and a resume at once leave the run stopped or driven to its stop', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    await stand.engine.pause(run, author, 'after_step');
    await stand.engine.waitRun(run);
    const outcome = await Promise.allSettled([stand.engine.stop(run, author), stand.engine.resumeRun(run)]);
    expect(outcome[0].status).toBe('fulfilled');
    if (outcome[1].status === 'rejected') expect(outcome[1].reason).toMatchObject({ code: 'run_ended' });
    await eventually(
      'the run is stopped',
      async () => (await stand.store.reader.run(run)).state === 'stopped',
    );
  }, 60_000);
});

describe('another process that has come to rest and not let go yet', () => {
  async function resting(stand: EndpointsStand) {
    const run = await drivenAndPausing(stand);
    await stand.engine.pause(run, author, 'after_step');
    await stand.engine.waitRun(run);
    const lock = stand.store.lockRun(run);
    if (lock === null) throw new Error('The run is let go of.');
    return { run, lock };
  }

  it('is waited for by a resume', async () => {
    const stand = await open();
    const other = beside(stand);
    const { run, lock } = await resting(stand);
    const resumed = other.resumeRun(run);
    setImmediate(() => lock.release());
    await resumed;
    expect(other.drivenRuns()).toEqual([run]);
    await stand.until(run, 'driver.started', ({ reason }) => reason === 'resume');
  }, 60_000);

  it('is waited for by a stop', async () => {
    const stand = await open();
    const other = beside(stand);
    const { run, lock } = await resting(stand);
    stand.store.subscribe((notice) => {
      if (notice.kind === 'outbox') lock.release();
    });
    await other.stop(run, author);
    expect((await stand.store.reader.run(run)).state).toBe('stopped');
  }, 60_000);

  it('is no obstacle once it works: then the run is driven elsewhere', async () => {
    const stand = await open();
    const run = await drivenAndPausing(stand);
    await expect(beside(stand).resumeRun(run)).rejects.toMatchObject({ code: 'run_driven_elsewhere' });
  }, 60_000);
});
