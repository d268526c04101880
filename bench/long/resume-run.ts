import { type Bench, byRound, figure, median, rounds, shorten, size } from '../harness';
import { openEngineBench, writeSteps } from './long-run';

/** How long a killed run of many steps takes until the model is asked again. */
export const resumeRun: Bench = {
  name: 'resume-run',
  about: 'ms from taking up a run of 10,000 steps of 4 KB until its next request reaches the model',
  async run(options) {
    const steps = size(options, 10_000, 10_000, 500);
    let asked: (() => void) | null = null;
    const bench = await openEngineBench(options.folder, () => {
      asked?.();
      return { text: 'Done.', calls: [{ name: 'think', arguments: { thought: 'Going on.' } }] };
    });
    const ms: number[] = [];
    try {
      const run = await bench.start({ maxSteps: steps + 1_000 });
      await writeSteps(bench, run, steps, { bytes: 4_096, segmentSteps: 80 });
      for (let round = 0; round < rounds; round += 1) {
        const start = performance.now();
        const request = new Promise<void>((resolve) => {
          asked = resolve;
        });
        await bench.engine.resumeRun(run);
        await request;
        ms.push(performance.now() - start);
        await bench.engine.pause(run, { uuid: '', name: 'Bench' }, 'now');
        await bench.engine.waitRun(run);
        options.say(`round ${round + 1}: ${shorten(ms.at(-1) ?? 0)} ms`);
      }
    } finally {
      await bench.close();
    }
    return [
      figure(
        ...(['resume-run', median(ms), 'ms'] as const),
        { is: '≤', value: 2_000 },
        { detail: `${byRound(ms)} ms, ${steps} steps` },
      ),
    ];
  },
};
