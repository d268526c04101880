import { join } from 'node:path';
import { alternate, type Bench, median, ratio } from '../harness';
import { application, end, helloWorld, launch, prepareDemo, type Start } from './desktop';

/** From spawn until the timeline of the demo run is painted and takes keys. */
export const windowStart: Bench = {
  name: 'window-start',
  about: 'window usable after spawn, with a demo run in the workspace, against a hello-world Electron',
  async run(options) {
    const folder = join(options.folder, 'ours');
    await prepareDemo(folder);
    const hello = helloWorld(join(options.folder, 'hello'));
    const ours = application(folder);
    // Files of both are in the page cache before anything counts.
    await once(hello);
    await once(ours);
    const sides = await alternate(
      () => once(hello),
      () => once(ours),
    );
    const extra = `ours minus hello ${Math.round(median(sides.ours) - median(sides.baseline))} ms`;
    return [ratio('window-start', sides, 'ms', { is: '≤', value: 2.2 }, extra)];
  },
};

async function once(start: Start): Promise<number> {
  const running = await launch(start);
  await end(running);
  return running.usableMs;
}
