import { createHash } from 'node:crypto';
import { type Bench, figure, size } from '../harness';
import { type BenchHost, openBenchHost } from './bench-host';

/** At least this much is printed while the link is cut again and again, bytes. */
const logBytes = 1_200_000;

/** Cuts are mostly waiting, so the hosts go on beside one another. */
const CUTS_A_HOST = 17;

/** Cuts of three kinds while a session prints; what arrived against the host's own log. */
export const sshCuts: Bench = {
  name: 'ssh-cuts',
  about:
    'resets, pulled cables and silent losses while a session prints; its bytes here against its log there',
  async run(options) {
    const cuts = size(options, 50, 200, 6);
    const hosts = Math.ceil(cuts / CUTS_A_HOST);
    const all = await Promise.all(
      Array.from({ length: hosts }, (_, host) => cutHost(Math.floor((cuts + host) / hosts))),
    );
    const sum = (of: (each: Cut) => number) => all.reduce((total, each) => total + of(each), 0);
    const equal = all.every((each) => each.equal);
    const wrong = sum(({ missing }) => missing) + sum(({ double }) => double) + (equal ? 0 : 1);
    return [
      figure(
        'ssh-cuts',
        wrong,
        'bytes missing or double',
        { is: '≤', value: 0 },
        {
          detail: `${cuts} cuts on ${hosts} hosts, ${sum(({ bytes }) => bytes)} of ${sum(({ log }) => log)} bytes, ${equal ? 'equal' : 'DIFFERENT'} by hash, ${sum(({ missing }) => missing)} missing, ${sum(({ double }) => double)} double`,
        },
      ),
    ];
  },
};

interface Cut {
  bytes: number;
  log: number;
  missing: number;
  double: number;
  /** All that was printed arrived, and is what the host's own log holds. */
  equal: boolean;
}

/** One host with one session, whose link is cut so often. */
async function cutHost(cuts: number): Promise<Cut> {
  const bench = await openBenchHost();
  try {
    const computer = await bench.computer('bench');
    const { host } = bench;
    await computer.sessions.create({ name: 's', cwd: host.home, env: {}, rows: 40, cols: 160 });
    const received = createHash('sha256');
    let at = 0;
    let double = 0;
    let missing = 0;
    const lines = Math.ceil(logBytes / 60);
    // Paced, so that it goes on for as long as the cuts do.
    await computer.sessions.run(
      's',
      `for i in $(seq ${lines}); do printf '%059d\\n' $i; [ $((i % 200)) = 0 ] && read -t 0.${cuts > 8 ? 4 : 1} _ < <(sleep 9); done; touch done`,
    );
    const stop = new AbortController();
    const following = (async () => {
      for (;;) {
        try {
          const { reason } = await computer.sessions.follow(
            's',
            at,
            ({ offset, bytes }) => {
              if (offset < at) double += at - offset;
              if (offset > at) missing += offset - at;
              received.update(bytes);
              at = offset + bytes.length;
            },
            stop.signal,
          );
          if (reason === 'aborted') return;
        } catch (error) {
          if (stop.signal.aborted) return;
          await computer.linked(AbortSignal.timeout(60_000)).catch(() => {
            throw error;
          });
        }
      }
    })();
    for (let cut = 0; cut < cuts; cut += 1) {
      await cutOnce(bench, cut);
      await computer.linked(AbortSignal.timeout(60_000));
    }
    const done = host.shell('until [ -e done ]; do read -t 0.2 _ < <(sleep 9) || :; done');
    await done;
    const log = Buffer.from(
      await host.shell('base64 -w0 "$(ls -d .local/state/waymark/sessions/bench/s)/spool"'),
      'base64',
    );
    while (at < log.length) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    await following;
    const equal =
      at >= logBytes &&
      received.digest('hex') === createHash('sha256').update(log.subarray(0, at)).digest('hex');
    await computer.sessions.close('s');
    await computer.dispose();
    return { bytes: at, log: log.length, missing, double, equal };
  } finally {
    await bench.close();
  }
}

async function cutOnce({ host, hosts }: BenchHost, cut: number): Promise<void> {
  const { network } = host;
  if (!network) throw new Error('The host has no network of its own.');
  const lost = new Promise<void>((resolve) => {
    const stop = hosts.onHealth((changed) => {
      if (!changed.some(({ state }) => state !== 'good' && state !== 'degraded')) return;
      stop();
      resolve();
    });
  });
  if (cut % 3 === 0) {
    await network.reset();
    await lost;
    return;
  }
  if (cut % 3 === 1) await network.linkDown();
  else await network.drop();
  // A person looks: the probe is due at once instead of after the next keepalive.
  hosts.retryNow();
  await lost;
  if (cut % 3 === 1) await network.linkUp();
  else await network.undrop();
  hosts.retryNow();
}
