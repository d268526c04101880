import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, type Bench, describe, figure, median } from '../harness';
import { application, end, helloWorld, launch, prepareDemo, type Start } from './desktop';
import { treeMemory } from './memory';

/** Memory is read this often, a second apart, once a window is usable; the median counts. */
const READINGS = 3;

/** All processes with the demo run open, over the hello-world. The diff editor is loaded at its first use, so not here. */
export const windowMemory: Bench = {
  name: 'window-memory',
  about: 'memory (PSS of all processes) with the demo run open, over a hello-world Electron',
  async run(options) {
    if (process.platform !== 'linux') throw new Error('PSS can be read on Linux only.');
    const folder = join(options.folder, 'ours');
    await prepareDemo(folder);
    const hello = helloWorld(join(options.folder, 'hello'));
    const ours = application(folder);
    const sides = await alternate(
      () => settled(hello),
      () => settled(ours),
    );
    const baseline = median(sides.baseline);
    const detail = describe(sides, 'MB');
    return [
      figure(
        'window-memory',
        median(sides.ours) - baseline,
        'MB',
        { is: '≤', value: 230 },
        { baseline, detail },
      ),
    ];
  },
};

async function settled(start: Start): Promise<number> {
  const running = await launch(start);
  try {
    const readings: number[] = [];
    for (let reading = 0; reading < READINGS; reading += 1) {
      await sleep(1_000);
      readings.push(treeMemory(running.process.pid ?? 0));
    }
    return median(readings);
  } finally {
    await end(running);
  }
}
