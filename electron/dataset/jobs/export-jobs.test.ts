import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { exportRequestSchema } from '@shared/contract/export-request';
import type { ExportJob } from '@shared/contract/export-views';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock';
import { scriptedExport } from '../../testing/scripted-export';
import { writeDataset } from '../export-dataset';
import { DatasetAnswers } from '../past/dataset-answers';
import { DatasetRegistry } from '../past/dataset-registry';
import { indexLineOf } from '../past/record-index';
import { ExportGate } from './export-gate';
import { ExportJobs } from './export-jobs';
import type { ExportRunner } from './export-runner';

let folder = '';
let workspace = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-jobs-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace, { mode: 0o700 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = '01KRVN00000000000000000001';
const options = exportRequestSchema.parse({ undecided: 'train', redact: 'off' });

/** Exports the scripted runs here, as the thread would; `hold` stops it at a page until it is let go. */
function runner(hold: { at: number; held(): void; free: Promise<void> } | null = null): ExportRunner {
  return (task, tell) => {
    const gate = new ExportGate();
    const reader = scriptedExport();
    let pages = 0;
    const { events } = reader;
    reader.events = async (...args) => {
      pages += 1;
      if (pages === hold?.at) {
        hold.held();
        await hold.free;
      }
      await gate.pass();
      return events.apply(reader, args);
    };
    const { job, goOn, out } = task;
    const done = writeDataset(
      reader,
      { ...task.options, out, signal: gate.signal },
      { job, workspace: task.workspace, goOn, tell, borderEvents: 1, keeps: () => gate.keeps },
    ).then(({ result }) => ({ result, dataset: null, notKept: null, resumed: false }));
    return {
      done,
      pause: () => gate.pause(),
      resume: () => gate.resume(),
      cancel: () => gate.cancel(),
      stop: () => gate.stop(),
    };
  };
}

function held(at: number) {
  let held: () => void = () => undefined;
  let free: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    held = resolve;
  });
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { hold: { at, held: () => held(), free: freed }, reached, free: () => free() };
}

function jobsOf(run: ExportRunner) {
  const told: ExportJob[] = [];
  const jobs = new ExportJobs({
    run,
    clock: systemClock,
    tell: (job) => told.push(job),
    written: () => undefined,
  });
  const until = async (id: string, state: ExportJob['state']) => {
    for (let looks = 0; looks < 20_000; looks += 1) {
      const job = (await jobs.list(null)).find((each) => each.id === id);
      if (job?.state === state) return job;
      if (job?.state === 'failed') throw new Error(job.error?.message);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    throw new Error(`The job did not become ${state}: ${JSON.stringify(await jobs.list(null))}`);
  };
  return { jobs, told, until };
}

const start = (jobs: ExportJobs, name: string) =>
  jobs.start(workspace, { out: join(folder, name), options, register: true });

describe('exports of a window', () => {
  it('wait for each other, pause, go on and end', async () => {
    const { hold, reached, free } = held(20);
    const { jobs, told, until } = jobsOf(runner(hold));
    const first = await start(jobs, 'one');
    const second = await start(jobs, 'two');
    expect(second.state).toBe('waiting');
    await reached;
    expect(jobs.pause(first.id).state).toBe('paused');
    free();
    await until(second.id, 'done');
    expect((await until(first.id, 'paused')).done).toBeLessThan(1_000_000);
    expect(await readdir(folder)).not.toContain('one');
    await jobs.resume(first.id, workspace);
    const done = await until(first.id, 'done');
    expect([done.done, done.records > 10, done.bytes > 1_000]).toEqual([done.total, true, true]);
    expect(told.some(({ state }) => state === 'running')).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['one', 'two', 'workspace']);
    await expect(jobs.resume(first.id, workspace)).rejects.toMatchObject({ code: 'refused' });
    await jobs.cancel(first.id, workspace);
    expect((await jobs.list(workspace)).map(({ id }) => id)).toEqual([second.id]);
  });

  it('leave nothing when they are cancelled, waiting or working', async () => {
    const { hold, reached, free } = held(60);
    const { jobs } = jobsOf(runner(hold));
    const first = await start(jobs, 'one');
    const second = await start(jobs, 'two');
    await expect(start(jobs, 'one')).rejects.toMatchObject({ code: 'already_exists' });
    await reached;
    await jobs.cancel(second.id, workspace);
    const ended = jobs.cancel(first.id, workspace);
    free();
    await ended;
    expect(await readdir(folder)).toEqual(['workspace']);
    expect(await readdir(join(workspace, 'datasets'))).toEqual([]);
  });

  it('are offered again when the application was closed in the middle, and go on', async () => {
    const { hold, reached, free } = held(130);
    const before = jobsOf(runner(hold));
    const job = await start(before.jobs, 'one');
    await reached;
    const closed = before.jobs.close();
    free();
    await closed;
    const { jobs, until } = jobsOf(runner());
    const [left] = await jobs.list(workspace);
    expect(left).toMatchObject({ id: job.id, state: 'paused', resumed: true, folder: join(folder, 'one') });
    expect(left?.done).toBeGreaterThan(0);
    await jobs.resume(job.id, workspace);
    await until(job.id, 'done');
    expect((await readdir(folder)).sort()).toEqual(['one', 'workspace']);
    expect(await jobsOf(runner()).jobs.list(workspace)).toEqual([]);
  });

  it('fail with a message that names the folder, and an unknown one is no bug', async () => {
    const { jobs } = jobsOf(runner());
    await mkdir(join(folder, 'one'));
    await mkdir(join(folder, 'one', 'photos'));
    const job = await start(jobs, 'one');
    await expect.poll(async () => (await jobs.list(workspace))[0]?.state).toBe('failed');
    expect((await jobs.list(workspace))[0]?.error).toMatchObject({ code: 'already_exists' });
    expect(() => jobs.pause('01KRVN00000000000000000007')).toThrow(/not in the list/);
    await expect(jobs.cancel('../../x', workspace)).rejects.toMatchObject({ code: 'not_found' });
    expect(job.folder).toBe(join(folder, 'one'));
  });
});

describe('past exports', () => {
  const add = async (id: string, mask: 0 | 1, reason: string | null) => {
    const steps = [
      { step: 3, mask, source: 'human', reason },
      { step: 4, mask: 1 as const, source: null, reason: null },
    ];
    const at = { file: 'train.jsonl', from: 5, to: 11, variant: 'all' as const };
    const line = indexLineOf({ run, segment: 2, kind: 'react' }, at, steps);
    const facts = {
      id,
      format: 'slime' as const,
      writtenAt: mask,
      snapshot: id,
      compression: 'none' as const,
      options,
    };
    const counts = { records: 11, trained: 1, masked: 1, bytes: 9, redacted: 0 };
    const files = [{ path: 'train.jsonl', bytes: 9, sha256: id, records: 11 }];
    await new DatasetRegistry(workspace).add(
      { ...facts, ...counts, files, variants: ['all'] },
      join(folder, `gone-${mask}`),
      gzipSync(`${JSON.stringify(line)}\nhalf a li`),
    );
  };
  const [a, b] = ['aa'.repeat(32), 'bb'.repeat(32)] as const;

  it('tell which masks differ, which hold a step, and where a record is from', async () => {
    await add(a, 1, null);
    await add(b, 0, 'AL');
    const answers = new DatasetAnswers(workspace);
    expect(await answers.difference(a, b)).toEqual({
      a,
      b,
      count: 1,
      steps: [{ run, step: 3, a: 1, b: 0, reasonA: 'human', reasonB: 'human: AL' }],
    });
    expect(
      (await answers.forStep(run, 3)).map(({ dataset, mask, places }) => [
        dataset.id,
        dataset.state,
        mask,
        places,
      ]),
    ).toEqual([
      [a, 'missing', 1, [{ file: 'train.jsonl', from: 5, to: 11 }]],
      [b, 'missing', 0, [{ file: 'train.jsonl', from: 5, to: 11 }]],
    ]);
    expect(await answers.forStep(run, 5)).toEqual([]);
    expect(await answers.row(b, 'train.jsonl', 11)).toMatchObject({
      run,
      segment: 2,
      kind: 'react',
      step: 4,
    });
    expect(await answers.row(b, 'train.jsonl', 12)).toBeNull();
    await expect(answers.row(b, '../../x', 1)).rejects.toMatchObject({ code: 'not_found' });
    const registry = new DatasetRegistry(workspace);
    registry.forget(a);
    expect((await registry.list()).map(({ id }) => id)).toEqual([b]);
    await expect(answers.difference(a, b)).rejects.toMatchObject({ code: 'not_found' });
  });
});
