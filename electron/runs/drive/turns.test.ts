import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpointSchema, settingsSchema } from '@shared/contract/settings';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../clock';
import { type ScriptedPolicy, startScriptedModel } from '../../model/scripted-server';
import type { Store } from '../../store/api';
import { openStoreInProcess } from '../../store/threads/in-process';
import { addTask } from '../../task/add';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { eventually } from '../../testing/deadline';
import { author, errorsInto, unisolated } from '../../testing/engine-stand';
import { writeTaskPackage } from '../../testing/task-package';
import { createEngine, type Engine } from '../engine';
import { noHosts } from '../start/no-hosts';

/** Steps that each driver takes before the other one takes the run up. */
const TURN = 3;
const STEPS = 12;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Driver {
  store: Store;
  engine: Engine;
  errors: string[];
}

/** An engine with a store of its own, as another process has them. */
function driver(folder: string, endpoint: Endpoint): Driver {
  const store = openStoreInProcess(join(folder, 'workspace'), { partBytes: 400 });
  const errors: string[] = [];
  const engine = createEngine({
    store,
    findKey: () => null,
    clock: systemClock,
    settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
    hosts: noHosts(),
    resourcesDir,
    sessionsDir: join(folder, 'sessions'),
    appVersion: 'test',
    log: errorsInto(errors),
    retry: { attempts: 3, patienceMs: 0, firstMs: 1, longestMs: 2 },
  });
  closing.push(
    () => store.close(),
    () => engine.shutdown({ mode: 'now' }),
  );
  return { store, engine, errors };
}

async function drivers(): Promise<{ drivers: [Driver, Driver]; endpoint: Endpoint; gates: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-turns-')));
  // The last step of each turn waits until its driver was asked to pause.
  const policy: ScriptedPolicy = ({ answers }) => {
    const step = answers + 1;
    if (step > STEPS) return { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
    const gate = step % TURN === 0 ? `; while [ ! -e ${folder}/go-${step} ]; do sleep 0.02; done` : '';
    const command = `seq -f "line %g of step ${step}" 20${gate}; printf 'end of step %s\\n' ${step}`;
    const args = { computer_ip: 'local', session_id: 'main', command, wait_for_completion: true };
    return { calls: [{ name: 'run_command', arguments: args }] };
  };
  const model = await startScriptedModel({ policy });
  closing.push(
    () => rm(folder, { recursive: true, force: true }),
    () => model.close(),
  );
  const endpoint = endpointSchema.parse({ name: 'Scripted', baseUrl: model.baseUrl, model: 'scripted' });
  const pair: [Driver, Driver] = [driver(folder, endpoint), driver(folder, endpoint)];
  closing.push(() => pair[0].engine.cleanSessions(new Set()));
  await addTask(pair[0].store, await writeTaskPackage(join(folder, 'package')));
  return { drivers: pair, endpoint, gates: folder };
}

it('two engines drive one run in turn, both open all the time: every byte of its session is stored once', async () => {
  const { drivers: pair, endpoint, gates } = await drivers();
  const [first] = pair;
  const run = await first.engine.startRun({
    task: 'small',
    title: null,
    endpoint,
    experiment: null,
    maxSteps: null,
    maxWorkingMs: null,
    humanHints: true,
    author,
    approvals: 'off' as const,
    ...unisolated,
  });
  for (let last = TURN; last <= STEPS; last += TURN) {
    const { engine, store } = pair[((last / TURN) % 2) as 0 | 1];
    await engine.resumeRun(run);
    await eventually(`step ${last} acts`, async () =>
      (await store.reader.events(run, 1, 2_000)).some(
        ({ kind, body }) => kind === 'action.started' && 'step' in body && body.step === last,
      ),
    );
    if (last < STEPS) await engine.pause(run, author, 'after_step');
    await writeFile(join(gates, `go-${last}`), '');
    await engine.waitRun(run);
    expect(await store.reader.run(run)).toMatchObject({ state: last < STEPS ? 'paused' : 'finished' });
  }
  for (const { store, errors } of pair) {
    const [session] = await store.reader.sessions(run);
    const { bytes, endOffset } = await store.reader.readSession(run, session?.uid ?? '', 0, 4_000_000);
    const printed = Buffer.from(bytes).toString();
    expect(bytes).toHaveLength(endOffset);
    for (let step = 1; step <= STEPS; step += 1) {
      for (const line of [`line 1 of step ${step}`, `line 20 of step ${step}`, `end of step ${step}`]) {
        expect(printed.split(`${line}\r\n`)).toHaveLength(2);
      }
    }
    expect(errors).toEqual([]);
    const { workspace, runs } = await store.reader.verify([run]);
    expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
  }
}, 120_000);
