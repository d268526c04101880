import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allAnnotations } from '../../dataset/event-pages';
import { type ScriptedModel, startScriptedModel } from '../../model/scripted-server';
import { eventually } from '../../testing/deadline';
import { createRun, RunWriter } from '../../testing/run-writer';
import { askedStep, askedTurns, judgeAnswer } from '../../testing/scripted-judges';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';

const entry = join(import.meta.dirname, '../../../out/main/cli.js');
const STEPS = 60;

let model: ScriptedModel;
let asked: number[][];
/** Hears of every request before it is answered; what it resolves to is waited for. */
let atRequest: (index: number) => Promise<void> | void;
let folder: string;
let workspace: string;
/** The judge calls no tool. */
let onlyTalks = false;
/** From this request on whoever asks is to wait for an hour. */
let busyFrom: number;
const busy = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } as const;

/** A workspace with one run of 60 steps, as a command of its own finds it. */
beforeEach(async () => {
  expect(existsSync(entry), 'the command line is built before tests: npm run build').toBe(true);
  folder = temporaryFolder();
  workspace = join(folder, 'workspace');
  asked = [];
  atRequest = () => undefined;
  onlyTalks = false;
  busyFrom = Number.POSITIVE_INFINITY;
  model = await startScriptedModel({
    policy: async (request) => {
      const { step } = askedStep(request);
      asked.push(Number.isNaN(step) ? askedTurns(request).asked : [step]);
      await atRequest(request.index);
      if (request.index >= busyFrom) return { fault: busy };
      if (onlyTalks) return { text: 'I would rather not.' };
      if (!Number.isNaN(step)) return { text: `Thought.\n\\boxed{${step % 5 === 0 ? -1 : 1}}` };
      return judgeAnswer(request, (step) => (step % 5 === 0 ? 'mask' : 'keep'));
    },
  });
  const store = testStore(workspace);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  await store.close();
});
afterEach(() => model.close());

/** Asks the judge of this test, by an address that is named here. */
const start = (...words: string[]) => startBare(...words, '--base-url', model.baseUrl, '--model', 'strict');

function startBare(...words: string[]): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const options = ['--workspace', workspace, '--trust', '--json'];
  const env = { ...process.env, WAYMARK_DATA: join(folder, 'data') };
  const child = spawn(process.execPath, [entry, 'judge', ...words, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return child as ReturnType<typeof startBare>;
}

const waymark = (...words: string[]) => answerOf(start(...words));
const bare = (...words: string[]) => answerOf(startBare(...words));

async function answerOf(child: ReturnType<typeof startBare>) {
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(out.trim().split('\n').at(-1) ?? 'null') as Record<string, unknown>;
}

/** All batches as `judge list` tells them. */
const listed = () => bare('list') as unknown as Promise<Record<string, unknown>[]>;

/** How many steps have a vote, read as another process would. */
async function voted(): Promise<number> {
  const store = testStore(workspace);
  const [run] = await store.reader.runs();
  const fold = foldAnnotations(await allAnnotations(store.reader, run?.id ?? ''));
  await store.close();
  return Array.from({ length: STEPS }, (_, at) => fold.at(at + 1).judges).filter(({ length }) => length === 1)
    .length;
}

describe('judge run', () => {
  it('an estimate sends nothing; the run stores a vote for each step; a second one finds nothing to do', async () => {
    expect(await waymark('estimate')).toMatchObject({ steps: STEPS, requests: 3, cost: null });
    expect(asked).toEqual([]);
    const votes = { votes: STEPS, masks: 12, missing: 0 };
    expect(await waymark('run')).toMatchObject({ judge: 'strict', asked: 3, ...votes, ended: null });
    expect(await voted()).toBe(STEPS);
    expect(await waymark('run')).toMatchObject({ asked: 0, votes: 0 });
    expect(await waymark('estimate')).toMatchObject({ steps: 0, requests: 0 });
  });

  it.each([0, 1, 2])('killed at request %i, resume asks only for what has no vote', async (last) => {
    let child: ChildProcess | null = null;
    atRequest = (index) => {
      if (index < last) return undefined;
      child?.kill('SIGKILL');
      // What is under way is lost with it.
      return new Promise(() => undefined);
    };
    child = start('run');
    await once(child, 'exit');
    const before = await voted();
    expect(before).toBeLessThan(STEPS);
    const [killed] = await listed();
    expect(killed).toMatchObject({ state: 'interrupted', votes: before, ended: null });
    const answered = Number(killed?.asked);
    atRequest = () => undefined;
    asked = [];
    const batch = String(killed?.batch);
    expect(await bare('resume', batch.slice(0, 20))).toMatchObject({
      batch,
      state: 'done',
      ended: null,
      votes: STEPS,
      masks: 12,
      missing: 0,
      asked: answered + asked.length,
    });
    expect(asked.flat()).toHaveLength(STEPS - before);
    expect(await voted()).toBe(STEPS);
    expect(await listed()).toMatchObject([{ batch, state: 'done', votes: STEPS, asked: 3 }]);
    expect(await bare('show', batch)).toMatchObject({ batch, judge: 'strict', steps: 'all', votes: STEPS });
  });

  it('a batch that was killed and is begun again by judge run is interrupted for good, and pays for nothing twice', async () => {
    let child: ChildProcess | null = null;
    atRequest = (index) => {
      if (index < 2) return undefined;
      child?.kill('SIGKILL');
      return new Promise(() => undefined);
    };
    child = start('run');
    await once(child, 'exit');
    const before = await voted();
    atRequest = () => undefined;
    expect(await waymark('run')).toMatchObject({ votes: STEPS - before, missing: 0, ended: null });
    expect((await listed()).map(({ state }) => state)).toEqual(['done', 'interrupted']);
  });

  it('a judge that only talks is no success, and what is done is not asked again', async () => {
    onlyTalks = true;
    const talks = start('run', '--steps', 'all');
    const [code] = (await once(talks, 'exit')) as [number];
    expect(code).toBe(1);
    expect((await listed())[0]).toMatchObject({ votes: 0 });
    onlyTalks = false;
    const done = await waymark('run');
    expect(done).toMatchObject({ votes: STEPS, missing: 0 });
    const sent = asked.length;
    // Votes by another rubric take the place of these; going on with what is done would pay for them once more.
    const rubric = join(folder, 'rubric.md');
    writeFileSync(rubric, 'Keep all.');
    await waymark('run', '--rubric', rubric);
    expect(asked.length).toBeGreaterThan(sent);
    const replaced = asked.length;
    expect(await bare('resume', String(done.batch))).toMatchObject({ state: 'done', votes: STEPS });
    expect(asked).toHaveLength(replaced);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 1],
  ] as const)('%s ends it at once with %i and a batch that resume finishes', async (signal, exitCode) => {
    let child: ChildProcess | null = null;
    atRequest = (index) => {
      if (index === 2) child?.kill(signal);
      return index < 2 ? undefined : new Promise(() => undefined);
    };
    const started = start('run');
    child = started;
    const [out, [code]] = await Promise.all([text(started.stdout), once(started, 'exit')]);
    expect(code).toBe(exitCode);
    const { batch, ended } = JSON.parse(out) as { batch: string; ended: unknown };
    expect(ended).toEqual({ why: 'cancelled' });
    expect(await bare('show', batch)).toMatchObject({ state: 'ended', ended: { why: 'cancelled' } });
    atRequest = () => undefined;
    expect(await bare('resume', batch)).toMatchObject({ state: 'done', votes: STEPS });
  });

  it('another process stops it while it waits: what was answered is stored, and resume judges the rest', async () => {
    busyFrom = 1;
    const priced = ['--price', '10,1,10'];
    expect(await waymark('estimate', ...priced)).toMatchObject({ cost: expect.any(Number) });
    const started = start('run', '--max-cost', '5', ...priced);
    const over = Promise.all([text(started.stdout), once(started, 'exit')]);
    const running = await eventually('an answer is stored', async () => {
      const [first] = await listed();
      return Number(first?.votes) > 0 ? first : null;
    });
    const batch = String(running.batch);
    expect(running).toMatchObject({ state: 'running' });
    expect(await bare('stop', batch.slice(0, 20))).toMatchObject({ batch });
    const [out, [code]] = await over;
    expect(code).toBe(1);
    const ended = { state: 'ended', ended: { why: 'cancelled' }, votes: running.votes, maxCost: 5 };
    expect(JSON.parse(out)).toMatchObject({ ...ended, cost: expect.any(Number) });
    // Nobody works on it any more.
    expect(await bare('stop', batch)).toMatchObject(ended);
    busyFrom = Number.POSITIVE_INFINITY;
    expect(await bare('resume', batch)).toMatchObject({
      error: { code: 'refused', message: expect.stringMatching(/no price is set.*--price/) },
    });
    expect(await bare('resume', batch, '--price', 'cheap')).toMatchObject({ error: { code: 'bad_input' } });
    expect(await bare('resume', batch, ...priced)).toMatchObject({ state: 'done', votes: STEPS, asked: 3 });
  }, 60_000);

  it('a batch is resumed only at an address that was named on this machine, and only there', async () => {
    const { batch } = await waymark('run');
    asked = [];
    rmSync(join(folder, 'data', 'model-addresses.jsonl'));
    const unknown = {
      code: 'refused',
      message: expect.stringMatching(/unknown on this machine\. Nothing was sent/),
    };
    expect(await bare('resume', String(batch))).toMatchObject({ error: unknown });
    const elsewhere = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'strict'];
    expect(await bare('resume', String(batch), ...elsewhere)).toMatchObject({
      error: { code: 'bad_input', message: expect.stringMatching(/begin a new batch/) },
    });
    expect(await waymark('resume', String(batch))).toMatchObject({ state: 'done', votes: STEPS });
    expect(asked).toEqual([]);
    expect(await bare('show', 'nothing')).toMatchObject({ error: { code: 'not_found' } });
  });

  it('rates steps several times each; killed at any request, resume pays for no vote twice; each prompt is proved', async () => {
    const rate = ['run', '--mode', 'reward', '--votes', '2', '--temperature', '0.3'];
    let child: ChildProcess | null = null;
    let last = 0;
    // 60 steps twice: killed three times on the way.
    atRequest = (index) => {
      if (index < last + 25 || last > 60) return undefined;
      last = index;
      child?.kill('SIGKILL');
      return new Promise(() => undefined);
    };
    child = start(...rate);
    await once(child, 'exit');
    const [first] = await listed();
    const batch = String(first?.batch);
    // Who asked it to stop before it was killed is not told that it is stopping.
    const store = testStore(workspace);
    await store.writer.stopBatch(batch);
    await store.close();
    expect(await bare('stop', batch)).toMatchObject({ state: 'interrupted' });
    expect(first).toMatchObject({ state: 'interrupted', mode: 'reward', votesPerStep: 2, temperature: 0.3 });
    let paid = Number(first?.votes);
    while (last <= 60) {
      child = startBare('resume', batch);
      await once(child, 'exit');
      const votes = Number((await bare('show', batch)).votes);
      expect(votes).toBeGreaterThan(paid);
      paid = votes;
    }
    asked = [];
    const counts = { votes: 2 * STEPS, asked: 2 * STEPS, plus: 96, minus: 24, unparsable: 0, missing: 0 };
    expect(await bare('resume', batch)).toMatchObject({ batch, state: 'done', ...counts });
    expect(asked).toHaveLength(2 * STEPS - paid);
    expect(model.requests.every(({ raw }) => JSON.parse(raw).temperature === 0.3)).toBe(true);

    const run = String((await bare('show', batch)).runs).split(',')[0] ?? '';
    const proved = await bare('prompt', run, '7', '--judge', 'strict', '--vote', '2');
    expect(proved).toMatchObject({ step: 7, judge: 'strict', batch, verified: true });
    expect(model.requests.map(({ raw }) => raw)).toContain(proved.body);
    expect(await bare('prompt', run, '7', '--judge', 'nobody')).toMatchObject({
      error: { code: 'not_found' },
    });
    expect(await bare('agreement')).toMatchObject({
      rewards: { raters: [{ judge: 'strict', steps: STEPS, plus: 96, minus: 24 }] },
    });
    for (const odd of [
      ['--votes', '0'],
      ['--temperature', '3'],
      ['--future', 'maybe'],
    ])
      expect(await waymark('run', '--mode', 'reward', ...odd)).toMatchObject({
        error: { code: 'bad_input' },
      });
    expect(await waymark('run', '--votes', '2')).toMatchObject({
      error: { message: expect.stringMatching(/--votes belongs to --mode reward/) },
    });
  }, 120_000);

  it('two at once do not pay for the same judgements: the second is refused until the first has ended', async () => {
    const held: (() => void)[] = [];
    const arrived = new Promise<void>((resolve) => {
      atRequest = () =>
        new Promise((answer) => {
          held.push(answer);
          resolve();
        });
    });
    const first = waymark('run');
    await arrived;
    const busy = { code: 'refused', message: expect.stringMatching(/by another process.*--judge/) };
    expect(await waymark('run')).toMatchObject({ error: busy });
    atRequest = () => undefined;
    for (const answer of held) answer();
    expect(await first).toMatchObject({ votes: STEPS, asked: 3 });
    expect(await waymark('run')).toMatchObject({ votes: 0, asked: 0 });
  });

  it('an endpoint that is not there, a price that is unknown and an empty rubric are told with the next step', async () => {
    expect(await waymark('run', '--max-cost', '1')).toMatchObject({
      error: { code: 'refused', message: expect.stringMatching(/no price is set.*leave out --max-cost/) },
    });
    const rubric = join(folder, 'rubric.md');
    writeFileSync(rubric, ' \n');
    expect(await waymark('run', '--rubric', rubric)).toMatchObject({ error: { code: 'bad_input' } });
    expect(await waymark('run', '--judge', ' ')).toMatchObject({ error: { code: 'bad_input' } });
    expect(asked).toEqual([]);
    expect(await voted()).toBe(0);
  });
});
