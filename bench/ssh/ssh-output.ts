import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sshCat } from '../baselines/ssh-cat';
import { outputThroughEngine, writeLines } from '../engine/output-through-engine';
import { alternate, type Bench, ratio, size } from '../harness';
import { openBenchHost } from './bench-host';

/** Remote session → its log there → one channel → engine → synced part files and rows, against what ssh itself carries. */
export const sshOutput: Bench = {
  name: 'ssh-output',
  about: 'output of a remote session until every byte is stored and checked, against `ssh -tt host cat`',
  async run(options) {
    const megabytes = size(options, 50, 500, 5);
    const local = join(options.folder, 'output.txt');
    const expected = await writeLines(local, megabytes * 1e6);
    const bench = await openBenchHost({ homeBytes: 8 * 1024 ** 3 });
    try {
      const file = `${bench.host.home}/output.txt`;
      const computer = await bench.computer('bench');
      await computer.files.write(file, await readFile(local));
      const sides = await alternate(
        () => sshCat(bench.target, file),
        (round) =>
          outputThroughEngine({
            folder: join(options.folder, `round-${round}`),
            computer,
            cwd: bench.host.home,
            command: `cat ${file}`,
            expected,
          }),
      );
      await computer.dispose();
      const detail = `${megabytes} MB, all bytes compared`;
      return [ratio('ssh-output', sides, 'MB/s', { is: '≥', value: 0.5 }, detail)];
    } finally {
      await bench.close();
    }
  },
};
