import { join } from 'node:path';
import { LocalComputer } from '../../electron/computer/local/local-computer';
import { findIsolation } from '../../electron/computer/local/sandbox/bubblewrap';
import { type LocalSandbox, localSandbox } from '../../electron/computer/local/sandbox/local-sandbox';
import { type Bench, type Figure, figure, median, rounds, type Sides, size, spread } from '../harness';
import { openActions } from '../open-actions';

/** What a sandbox costs a session on this machine: at its start, and for each command in it. */
export const sandboxSession: Bench = {
  name: 'sandbox-session',
  about: 'a new local session, and `run_command true` in it, in a sandbox of bubblewrap against one without',
  async run(options) {
    const isolation = await findIsolation();
    if (isolation.kind === 'none') throw new Error(`There is no sandbox to measure: ${isolation.why}.`);
    const work = join(options.folder, 'work');
    const view = { work, home: join(options.folder, 'home'), temporary: join(options.folder, 'tmp') };
    const sandbox = localSandbox(isolation.program, { ...view, folders: [], network: true });
    const bare = await open(join(options.folder, 'bare'), work, undefined);
    const inside = await open(join(options.folder, 'inside'), work, sandbox);
    const starts: Sides = { baseline: [], ours: [] };
    const commands: Sides = { baseline: [], ours: [] };
    try {
      for (let round = 0; round < rounds; round += 1) {
        for (let each = 0; each < size(options, 5, 20, 1); each += 1) {
          starts.baseline.push(await bare.start());
          starts.ours.push(await inside.start());
        }
        for (let each = 0; each < size(options, 20, 100, 3); each += 1) {
          commands.baseline.push(await bare.runTrue());
          commands.ours.push(await inside.runTrue());
        }
      }
    } finally {
      await bare.close();
      await inside.close();
    }
    return [more('sandbox-start', starts, 100), more('sandbox-command', commands, 5)];
  },
};

async function open(sessionsDir: string, work: string, sandbox: LocalSandbox | undefined) {
  const resourcesDir = join(process.cwd(), 'resources');
  const computer = new LocalComputer({ name: 'local', resourcesDir, sessionsDir, sandbox });
  await computer.files.makeDirectory(work);
  const { runTrue } = await openActions(computer, work);
  for (let warm = 0; warm < 5; warm += 1) await runTrue();
  return {
    runTrue,
    /** Until the first prompt, ms. */
    start: async () => {
      const begun = performance.now();
      const size = { rows: 40, cols: 160 };
      // Without the person's own profile, which the sandbox does not show.
      await computer.sessions.create({ name: 'new', cwd: work, env: {}, ...size, profile: false });
      const took = performance.now() - begun;
      await computer.sessions.close('new');
      return took;
    },
    close: async () => {
      await computer.sessions.close('main');
      await computer.dispose();
    },
  };
}

/** The median of what it takes more than without, ms. */
function more(name: string, sides: Sides, most: number): Figure {
  const bar = { is: '≤', value: most } as const;
  return figure(name, median(sides.ours) - median(sides.baseline), 'ms', bar, {
    baseline: median(sides.baseline),
    detail: `median more than without; ours ${spread(sides.ours)} ms, without ${spread(sides.baseline)} ms; n = ${sides.ours.length} each`,
  });
}
