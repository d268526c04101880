import { join } from 'node:path';
import { LocalComputer } from '../../electron/computer/local/local-computer';
import { scriptOutput } from '../baselines/script-output';
import { alternate, type Bench, ratio, size } from '../harness';
import { outputThroughEngine, writeLines } from './output-through-engine';

/** Session → spool → engine → synced part files and rows, against `script` writing the same to one file. */
export const sessionOutput: Bench = {
  name: 'session-output',
  about: 'output of a session until every byte is stored and checked, against `script -qf` to a file',
  async run(options) {
    const megabytes = size(options, 60, 500, 5);
    const file = join(options.folder, 'output.txt');
    const expected = await writeLines(file, megabytes * 1e6);
    const command = `cat ${file}`;
    const computer = new LocalComputer({
      name: 'local',
      resourcesDir: join(process.cwd(), 'resources'),
      sessionsDir: join(options.folder, 'spools'),
    });
    const sides = await alternate(
      () => scriptOutput(options.folder, command),
      (round) =>
        outputThroughEngine({
          folder: join(options.folder, `round-${round}`),
          computer,
          cwd: options.folder,
          command,
          expected,
        }),
    );
    await computer.dispose();
    return [
      ratio('session-output', sides, 'MB/s', { is: '≥', value: 0.5 }, `${megabytes} MB, all bytes compared`),
    ];
  },
};
