import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { openStore } from '../../electron/store/threads/client';
import { childCommand, start } from '../child-process';
import { creation } from '../engine/run-events';
import { type Bench, figure, size } from '../harness';
import { openBenchHost } from './bench-host';

/** At least this much is printed. */
const outputBytes = 24_000_000;
/** The last kill happens before this, so that there is always more to come; storing overshoots a little each time. */
const killedWithin = 16_000_000;
const bytesPerLine = 55;

/** kill -9 of the process that stores a remote session, again and again, while it prints. */
export const sshKill: Bench = {
  name: 'ssh-kill',
  about:
    'kill -9 of the storing process during output, reopened each time; stored bytes against the host’s own log',
  async run(options) {
    const kills = size(options, 6, 50, 2);
    const bench = await openBenchHost();
    try {
      const computer = await bench.computer('bench');
      const { host } = bench;
      const session = await computer.sessions.create({
        name: 's',
        cwd: host.home,
        env: {},
        rows: 40,
        cols: 160,
      });
      const run = ulid();
      const folder = join(options.folder, 'workspace');
      const first = await openStore(folder, {});
      await first.writer.append(run, 1, creation(run, 1));
      await first.close();
      const lines = Math.ceil(outputBytes / bytesPerLine);
      const { commandSeq } = await computer.sessions.run(
        's',
        `for i in $(seq ${lines}); do echo "$i ${'x'.repeat(50)}"; done`,
      );
      let from = 0;
      let lost = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        const acknowledged = await storeAndKill(
          options.folder,
          bench.target.config,
          run,
          session.id,
          from,
          Math.max(from + 1, (killedWithin * (kill + 1)) / kills),
        );
        const store = await openStore(folder, {});
        from = (await store.reader.readSession(run, session.id, 0, 1)).endOffset;
        await store.close();
        lost += Math.max(0, acknowledged - from);
      }
      await computer.sessions.waitCommand('s', commandSeq, {});
      const end = (await computer.sessions.find('s'))?.endOffset ?? 0;
      await storeAndKill(options.folder, bench.target.config, run, session.id, from, end);
      const log = Buffer.from(
        await host.shell('base64 -w0 .local/state/waymark/sessions/bench/s/spool'),
        'base64',
      );
      const store = await openStore(folder, {});
      const hash = createHash('sha256');
      let at = 0;
      for (;;) {
        const { bytes } = await store.reader.readSession(run, session.id, at, 256 * 1024);
        if (bytes.length === 0) break;
        hash.update(bytes);
        at += bytes.length;
      }
      await store.close();
      const equal =
        at === log.length && hash.digest('hex') === createHash('sha256').update(log).digest('hex');
      await computer.sessions.close('s');
      await computer.dispose();
      return [
        figure(
          'ssh-kill',
          lost + Math.abs(log.length - at) + (equal ? 0 : 1),
          'bytes lost or wrong',
          { is: '≤', value: 0 },
          {
            detail: `${kills} kills, ${at} of ${log.length} bytes stored, ${equal ? 'equal' : 'DIFFERENT'} by hash`,
          },
        ),
      ];
    } finally {
      await bench.close();
    }
  },
};

/** Runs the storing process until it has acknowledged all before `target`, then kills it; the last acknowledged offset. */
function storeAndKill(
  folder: string,
  config: string,
  run: string,
  uid: string,
  from: number,
  target: number,
): Promise<number> {
  const child = start(childCommand('ssh-output', [folder, config, run, uid, String(from)]));
  return new Promise((resolve, reject) => {
    let text = '';
    let end = from;
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const whole = text.split('\n');
      text = whole.pop() ?? '';
      end = Math.max(end, ...whole.map(Number));
      if (end >= target) child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      signal === 'SIGKILL' ? resolve(end) : reject(new Error(`The storing process ended with ${code}.`)),
    );
  });
}
