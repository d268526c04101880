import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { childCommand, finished, start } from '../child-process';
import { Material } from '../engine/material';
import { type Bench, type Figure, figure, quantile, size, spread } from '../harness';
import { floodInWindow, type WindowFlood } from '../window/flood-window';
import { openBenchHost } from './bench-host';
import type { EngineFlood } from './flood-child';

const memoryBar = { is: '≤', value: 100 } as const;
const echoBar = { is: '≤', value: 100 } as const;
const keyBar = { is: '≤', value: 50 } as const;

/** One session of a host prints without end in sight; another one of it is typed into meanwhile. */
export const sshFlood: Bench = {
  name: 'ssh-flood',
  about:
    'a flood in one remote session: memory of main process, window and engine, and the echo in another session of the host',
  async run(options) {
    const megabytes = size(options, 256, 1024, 8);
    const bench = await openBenchHost({ homeBytes: (options.long ? 6 : 4) * 1024 ** 3 });
    try {
      const { host } = bench;
      const computer = await bench.computer('bench');
      const block = new Material(8).log(1_000_000).replace(/[^\n]*$/u, '');
      await computer.files.write(`${host.home}/block.txt`, Buffer.from(block));
      await computer.dispose();
      const blocks = Math.ceil((megabytes * 1024 * 1024) / block.length);
      await host.shell(`for i in $(seq ${blocks}); do cat block.txt; done > flood.txt`);
      const command = `cat ${host.home}/flood.txt`;
      const folder = join(options.folder, 'engine');
      mkdirSync(folder);
      const engine = await engineFlood([folder, bench.target.config, host.home, command]);
      if (engine.stored < blocks * block.length)
        throw new Error(`Only ${engine.stored} bytes of the flood were stored.`);
      const { hidden, shown } = await floodInWindow(join(options.folder, 'window'), bench, command);
      return [
        ...figures('window', 'in a terminal that is not shown', hidden, 'painted'),
        ...figures('shown', 'in the terminal that is shown', shown, 'in the page'),
        figure('flood-engine', engine.growth, 'MB', memoryBar, {
          detail: `storing process, peak over before; ${engine.stored} bytes stored in ${engine.seconds.toFixed(1)} s`,
        }),
        echoFigure('flood-engine-echo', engine.echoes, 'here'),
      ];
    } finally {
      await bench.close();
    }
  },
};

async function engineFlood(args: readonly string[]): Promise<EngineFlood> {
  const { code, signal, out } = await finished(start(childCommand('ssh-flood', args)));
  if (code !== 0) throw new Error(`The storing process ended with ${code ?? signal}.`);
  return JSON.parse(out) as EngineFlood;
}

function figures(name: string, where: string, flood: WindowFlood, until: string): Figure[] {
  const detail = `peak over before; flood ${where}, ${flood.seconds.toFixed(1)} s`;
  return [
    figure(`flood-${name}-main`, flood.main, 'MB', memoryBar, { detail }),
    figure(`flood-${name}-renderer`, flood.window, 'MB', memoryBar, { detail }),
    echoFigure(`flood-${name}-echo`, flood.echoes, until),
    figure(`flood-${name}-key`, quantile(flood.keys, 0.95), 'ms', keyBar, {
      detail: `p95 of a key until the window has painted again; ${spread(flood.keys)} ms, n = ${flood.keys.length}`,
    }),
  ];
}

function echoFigure(name: string, echoes: readonly number[], until: string): Figure {
  const worst = quantile(echoes, 1).toFixed(0);
  return figure(name, quantile(echoes, 0.95), 'ms', echoBar, {
    detail: `p95 of a key in another session until its echo is ${until}; ${spread(echoes)} ms, worst ${worst}, n = ${echoes.length}`,
  });
}
