import { join } from 'node:path';
import type { ModelRef } from '@shared/log/event-parts';
import { runBatch } from '../../electron/judging/judge-batch';
import { type Judge, judgeTasks } from '../../electron/judging/judge-work';
import { readRubrics } from '../../electron/judging/rubric';
import { createModelClient } from '../../electron/model/client';
import { openStore } from '../../electron/store/threads/client';
import { begunBatch } from '../../electron/testing/begun-batch';
import { barePosts } from '../baselines/bare-posts';
import { driveShortRun } from '../engine/short-run';
import { alternate, type Bench, ratio, rounds, shorten, size } from '../harness';
import { startJudge } from './judge-endpoint';

const TOGETHER = 16;
const ANSWER_MS = 50;
/**
 * Runs that are judged before it counts, each by so many judges: asking takes hours, and this second of it is to be none of the first
 * ones. Until then the compiler takes up to half a processor.
 */
const WARM_UP = 6;
const JUDGES = 6;

/** Reading, asking, and storing every vote, against a client that sends the same bodies and stores nothing. */
export const judgeBatchBench: Bench = {
  name: 'judge-batch',
  about: 'steps judged a second by an endpoint that takes 50 ms, 16 requests at once',
  async run(options) {
    const steps = size(options, 1_000, 10_000, 100);
    const folder = join(options.folder, 'run');
    // A run for each round: judging one again also weighs the votes that it has.
    const runs = await recordRuns(folder, steps, WARM_UP + rounds);
    const server = await startJudge(ANSWER_MS);
    const store = await openStore(folder, {});
    try {
      const model: ModelRef = {
        endpoint: 'judge',
        baseUrl: server.baseUrl,
        model: 'judge',
        keyRef: null,
        params: {},
        contextTokens: 100_000,
        sendReasoning: false,
      };
      const rubrics = await readRubrics(join(process.cwd(), 'resources'), null);
      const judge = (name: string): Judge => ({ name, model, rubrics });
      const bodies: string[] = [];
      const before = performance.now();
      for await (const { open, requestFor } of judgeTasks(store, runs.slice(0, 1), judge('bodies')))
        bodies.push(JSON.stringify(requestFor(open)));
      const reading = performance.now() - before;
      // As with the other side, its connections stay open from round to round.
      const client = createModelClient({ name: 'judge', baseUrl: server.baseUrl, key: null });
      const perSecond = (ms: number) => (1_000 * steps) / ms;
      const bare = async () => {
        // Both begin with a workspace at rest.
        await store.drain();
        return perSecond(await barePosts(server.baseUrl, bodies, TOGETHER));
      };
      const ours = async (run: string, name = 'judge') => {
        const before = performance.now();
        const { votes } = await runBatch(store, judgeTasks(store, [run], judge(name)), {
          judge: name,
          batch: await begunBatch(store, judge(name)),
          price: null,
          maxCost: null,
          together: TOGETHER,
          tries: 1,
          firstPauseMs: 100,
          model: client,
          signal: new AbortController().signal,
        });
        if (votes !== steps) throw new Error(`${votes} of ${steps} steps have a vote.`);
        return perSecond(performance.now() - before);
      };
      const [warmUp, measured] = [runs.slice(0, WARM_UP), runs.slice(WARM_UP)];
      for (let at = 1; at <= JUDGES; at += 1) {
        for (const run of warmUp) {
          await bare();
          await ours(run, `judge ${at}`);
        }
      }
      const sides = await alternate(bare, (round) => ours(measured[round] ?? ''));
      return [
        ratio(
          'judge-batch',
          sides,
          'steps/s',
          { is: '≥', value: 0.8 },
          `${bodies.length} requests; reading and preparing them ${shorten(reading)} ms`,
        ),
      ];
    } finally {
      await store.close();
      await server.close();
    }
  },
};

/** Their ids. The workspace is closed again: what is judged was recorded by another process, whose garbage is not ours. */
async function recordRuns(folder: string, steps: number, count: number): Promise<string[]> {
  const store = await openStore(folder, {});
  try {
    for (let made = 0; made < count; made += 1) await driveShortRun(store, steps);
    await store.drain();
    return (await store.reader.runs()).map(({ id }) => id);
  } finally {
    await store.close();
    globalThis.gc?.();
  }
}
