import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedAnswer } from '../../electron/model/scripted-answer';
import { Material } from '../engine/material';
import { alternate, type Bench, ratio, size } from '../harness';
import { openEngineBench } from './long-run';

const RUNS = 8;
/** How long the model takes for an answer, ms. */
const LATENCY_MS = 50;
/** No context grows beyond this, tokens. */
const CONTEXT_TOKENS = 8_000;
/** Steps of each run at its beginning and end that do not count: set-up and the final evaluation are no steps. */
const TRIMMED = 5;

/** Runs of one process: engine, store and model client are shared by all, and the model's time is what may overlap. */
export const concurrentRuns: Bench = {
  name: 'concurrent-runs',
  about: `${RUNS} runs at once against one, model latency ${LATENCY_MS} ms, contexts of at most ${CONTEXT_TOKENS} tokens`,
  async run(options) {
    const steps = size(options, 30, 30, 20);
    const driven = async (name: string, runs: number): Promise<number> => {
      const material = new Material(17);
      const asked: number[] = [];
      const bench = await openEngineBench(
        join(options.folder, name),
        async ({ answers }): Promise<ScriptedAnswer> => {
          asked.push(performance.now());
          await sleep(LATENCY_MS);
          const thought = `${answers}: ${material.prose(24)}`;
          return { calls: [{ name: 'think', arguments: { content: thought } }] };
        },
      );
      try {
        const ids: string[] = [];
        for (let run = 0; run < runs; run += 1) ids.push(await bench.start({ maxSteps: steps }));
        const before = process.cpuUsage();
        await Promise.all(
          ids.map(async (id) => {
            await bench.engine.resumeRun(id);
            await bench.engine.waitRun(id);
          }),
        );
        const { user, system } = process.cpuUsage(before);
        const counts = await Promise.all(ids.map((id) => bench.store.reader.run(id)));
        for (const { steps: made, tokens } of counts) {
          if (made < steps) throw new Error(`A run made ${made} of ${steps} steps.`);
          if (tokens.context > CONTEXT_TOKENS) throw new Error(`A context has ${tokens.context} tokens.`);
        }
        const counted = asked.slice(TRIMMED * runs, -TRIMMED * runs);
        const seconds = ((counted.at(-1) ?? 0) - (counted[0] ?? 0)) / 1_000;
        const rate = (counted.length - 1) / seconds;
        const cpu = (user + system) / 1_000 / asked.length;
        options.say(`${name}: ${rate.toFixed(1)} steps/s, ${cpu.toFixed(1)} ms of all threads' CPU a step`);
        return rate;
      } finally {
        await bench.close();
      }
    };
    const sides = await alternate(
      (round) => driven(`one-${round}`, 1),
      (round) => driven(`eight-${round}`, RUNS),
    );
    const extra = `${steps} steps a run`;
    return [ratio('concurrent-runs', sides, 'steps/s', { is: '≥', value: 6.5 }, extra)];
  },
};
