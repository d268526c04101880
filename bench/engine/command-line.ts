import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { emptyPackage, npmRun } from '../baselines/npm-node';
import { alternate, type Bench, median, ratio } from '../harness';
import { prepareDemo } from '../window/desktop';

/** Starts of either side in a round; the round counts their median. */
const STARTS = 3;

/** What a person waits for a short command, as the guides write it. */
export const commandLine: Bench = {
  name: 'command-line',
  about: '`npm run -s waymark -- run list` on a small workspace against `npm run` of `node -e 0`',
  async run(options) {
    const ours = join(options.folder, 'ours');
    await prepareDemo(ours);
    const empty = join(options.folder, 'empty');
    mkdirSync(empty);
    emptyPackage(empty);
    const env = { ...process.env, WAYMARK_DATA: join(ours, 'settings') };
    const words = ['waymark', '--', 'run', 'list', '--workspace', join(ours, 'workspace')];
    const list = () => npmRun(process.cwd(), words, env);
    const node = () => npmRun(empty, ['empty'], env);
    const several = (once: () => number) => () => median(Array.from({ length: STARTS }, once));
    // Files of both are in the page cache, and set-up is done, before anything counts.
    node();
    list();
    const sides = await alternate(several(node), several(list));
    return [ratio('command-line', sides, 'ms', { is: '≤', value: 3 }, `each of ${STARTS} starts a round`)];
  },
};
