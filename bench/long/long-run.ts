import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { NewEvent } from '@shared/log/events';
import { systemClock } from '../../electron/clock';
import {
  type ScriptedModel,
  type ScriptedPolicy,
  startScriptedModel,
} from '../../electron/model/scripted-server';
import { createEngine, type Engine } from '../../electron/runs/engine';
import { noHosts } from '../../electron/runs/start/no-hosts';
import type { Store } from '../../electron/store/api';
import { openStore } from '../../electron/store/threads/client';
import { addTask } from '../../electron/task/add';
import { unisolated } from '../../electron/testing/engine-stand';
import { writeTaskPackage } from '../../electron/testing/task-package';
import { Material } from '../engine/material';
import { author, commandStep } from '../engine/run-events';

/** A whole engine on a store with threads, a scripted model over HTTP and the small task. */
export interface EngineBench {
  store: Store;
  model: ScriptedModel;
  engine: Engine;
  /** A new run of the small task; it rests. */
  start(limits?: { maxSteps?: number }): Promise<string>;
  close(): Promise<void>;
}

export async function openEngineBench(
  folder: string,
  policy: ScriptedPolicy,
  contextTokens = 100_000,
): Promise<EngineBench> {
  const model = await startScriptedModel({ policy });
  const store = await openStore(join(folder, 'workspace'), { ballastBytes: 0 });
  const endpoint = endpointSchema.parse({
    name: 'Scripted',
    baseUrl: model.baseUrl,
    model: 'scripted',
    contextTokens,
  });
  await addTask(store, await writeTaskPackage(join(folder, 'package')));
  const engine = createEngine({
    store,
    clock: systemClock,
    hosts: noHosts(),
    appVersion: 'bench',
    settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
    findKey: () => null,
    resourcesDir: join(process.cwd(), 'resources'),
    sessionsDir: join(folder, 'spools'),
    log: {
      info: () => undefined,
      error: (message, facts) =>
        process.stderr.write(`  engine: ${message} ${JSON.stringify(facts ?? {})}\n`),
    },
  });
  return {
    store,
    model,
    engine,
    start: (limits = {}) =>
      engine.startRun({
        task: 'small',
        title: null,
        endpoint,
        experiment: null,
        maxWorkingMs: 30 * 3_600_000,
        humanHints: true,
        author,
        approvals: 'off',
        maxSteps: limits.maxSteps ?? null,
        ...unisolated,
      }),
    close: async () => {
      await engine.shutdown({ mode: 'now' });
      await engine.cleanSessions(new Set());
      await model.close();
      await store.close();
    },
  };
}

/** Writes steps of about `bytes` of text into a run, as a driver would have; a new context every `segmentSteps` steps. */
export async function writeSteps(
  { store }: Pick<EngineBench, 'store'>,
  run: string,
  steps: number,
  { bytes, segmentSteps }: { bytes: number; segmentSteps: number },
): Promise<void> {
  const material = new Material(11);
  const [, first] = await store.reader.events(run, 1, 2);
  if (first?.kind !== 'segment.started') throw new Error('A run begins with its first segment.');
  const lock = store.lockRun(run);
  if (lock === null) throw new Error(`Run ${run} is new and cannot be driven.`);
  const arrival: NewEvent[] = [
    {
      kind: 'driver.started',
      body: {
        epoch: lock.epoch,
        pid: process.pid,
        host: 'bench',
        app: 'bench',
        runtime: 'node',
        reason: 'start',
      },
    },
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'Driven.' } },
  ];
  let batch: NewEvent[] = arrival;
  for (let step = 1; step <= steps; step += 1) {
    if (step % segmentSteps === 0) {
      const segment = step / segmentSteps + 1;
      batch.push({ kind: 'segment.started', body: { ...first.body, segment } });
    }
    const { action, observation } = commandStep(step, bytes, material);
    const request = { step, attempt: 1, sha256: 'a'.repeat(64), bytes: 1, messages: 1, tokensEstimate: 1 };
    batch.push({ kind: 'model.requested', body: { ...request, tail: '' } }, ...action, ...observation);
    if (batch.length >= 500) {
      await store.writer.append(run, lock.epoch, batch);
      batch = [];
    }
  }
  await store.writer.append(run, lock.epoch, batch);
  lock.release();
}
