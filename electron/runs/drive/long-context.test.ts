import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { EventBody, EventKind, RunEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../clock';
import { exportDataset } from '../../dataset/export-dataset';
import { type ScriptedPolicy, startScriptedModel } from '../../model/scripted-server';
import { scriptedSummary, withSummaries } from '../../model/scripted-summary';
import { openStoreInProcess } from '../../store/threads/in-process';
import { addTask } from '../../task/add';
import { eventually } from '../../testing/deadline';
import { unisolated } from '../../testing/engine-stand';
import { writeTaskPackage } from '../../testing/task-package';
import { createEngine } from '../engine';
import { noHosts } from '../start/no-hosts';

const resourcesDir = join(import.meta.dirname, '../../../resources');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };

const STEPS = 30;

/** Steps that say how far they are; `before` runs before the answer of each. */
function policy(before: (step: number) => Promise<void>): ScriptedPolicy {
  return async ({ messages }) => {
    const said = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    const step = Number(/(?:^Step |up to step )(\d+)/u.exec(said.at(-1) ?? '')?.[1] ?? 0) + 1;
    if (step > STEPS) return { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
    await before(step);
    const think = { name: 'think', arguments: { thought: `t${step}` } };
    return { text: `Step ${step}. ${'w'.repeat(2_000)}`, calls: [think] };
  };
}

it('a run with summaries, hints and a restart on a real store: every prompt proved, every row made', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-long-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let summaries = 0;
  const refused: ScriptedPolicy = (request) => {
    summaries += 1;
    return summaries === 2 ? { text: 'I would rather go on.' } : scriptedSummary(request);
  };
  let held = false;
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const half = async (step: number) => {
    if (step === STEPS / 2) {
      held = true;
      await gate;
    }
  };
  const model = await startScriptedModel({ policy: withSummaries(policy(half), refused) });
  onTestFinished(() => model.close());
  const store = openStoreInProcess(join(folder, 'workspace'));
  onTestFinished(() => store.close());
  await addTask(store, await writeTaskPackage(join(folder, 'package'), {}));
  const endpoint = endpointSchema.parse({
    name: 'Scripted',
    baseUrl: model.baseUrl,
    model: 'scripted',
    contextTokens: 9_000,
  });
  const engineOf = () =>
    createEngine({
      store,
      settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
      findKey: () => null,
      clock: systemClock,
      hosts: noHosts(),
      resourcesDir,
      sessionsDir: join(folder, 'sessions'),
      appVersion: 'test',
      log: { info: () => undefined, error: () => undefined },
    });
  const first = engineOf();
  const run = await first.startRun({
    task: 'small',
    title: null,
    endpoint,
    experiment: null,
    maxSteps: 100,
    maxWorkingMs: null,
    humanHints: true,
    author,
    approvals: 'off',
    ...unisolated,
  });
  const events = async () => {
    const all: RunEvent[] = [];
    for (let from = 1; ; from = (all.at(-1)?.seq ?? 0) + 1) {
      const page = await store.reader.events(run, from, 500);
      if (page.length === 0) return all;
      all.push(...page);
    }
  };
  const of = async <K extends EventKind>(kind: K) =>
    (await events()).flatMap((event) => (event.kind === kind ? [event.body as EventBody<K>] : []));
  await first.resumeRun(run);
  await eventually('half of the steps are taken', async () => held);
  const queued = { op: 'hint.queued', hint: ulid(), text: 'look twice', category: 'strategy' } as const;
  await store.writer.post(run, author, queued);
  await first.shutdown({ mode: 'now' });
  release();
  const second = engineOf();
  await second.resumeRun(run);
  await second.waitRun(run);
  expect((await store.reader.run(run)).stored).toBe('finished');
  const turns = await of('summary.ended');
  expect(turns.length).toBeGreaterThan(2);
  expect(await of('summary.rejected')).toHaveLength(1);
  expect((await of('hint.delivered')).map(({ hints }) => hints.map(({ text }) => text))).toEqual([
    ['look twice'],
  ]);
  for (const { tokensAfter, tokensBefore } of turns) expect(tokensAfter).toBeLessThan(tokensBefore);
  const summary = await store.reader.run(run);
  expect(summary).toMatchObject({
    taken: STEPS + 1,
    segments: turns.length + 1,
    steps: STEPS + 1 + turns.length,
  });
  for (let step = 1; step <= summary.steps; step += 1) {
    expect(await store.reader.prompt(run, step)).toMatchObject({ step, verified: true });
  }
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  const sent = model.requests.map(({ messages }) => messages.length);
  expect(Math.max(...sent)).toBeLessThan(40);
  const out = join(folder, 'out');
  const result = await exportDataset(store.reader, { format: 'slime', undecided: 'train', out });
  const rows = (await readFile(join(out, 'train.jsonl'), 'utf8')).trim().split('\n');
  expect(
    rows.map((line) => JSON.parse(line).metadata.kind).filter((kind) => kind === 'summary'),
  ).toHaveLength(turns.length);
  expect(result.rows).toBe(2 * turns.length + 1);
  expect(result.trained + result.masked).toBe(summary.steps);
}, 60_000);
