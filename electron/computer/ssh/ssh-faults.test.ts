import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readRange, runToEnd, untilState } from '../../testing/conformance/session-driver';
import { eventually } from '../../testing/deadline';
import { ComputersStand } from '../../testing/ssh/computers-stand';
import { namespacesMissing } from '../../testing/ssh/namespaces';
import { SessionCopy } from '../../testing/ssh/session-copy';
import { SlowLink } from '../../testing/ssh/slow-link';
import type { HostComputer, Hosts } from '../hosts';

const cuts = process.env.WAYMARK_FULL ? 50 : 12;
const atLeastBytes = 1_200_000;
const patienceMs = 60_000;

describe.skipIf(namespacesMissing)(
  `a host whose link fails${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    let stand: ComputersStand;
    const pools: Hosts[] = [];
    let runs = 0;
    beforeAll(async () => {
      stand = await ComputersStand.open('ssh2', { homeBytes: 48 << 20 });
    }, 60_000);
    afterEach(async () => {
      for (const pool of pools.splice(0)) await pool.dispose();
    });
    afterAll(() => stand?.close(), 60_000);

    interface At {
      hosts: Hosts;
      computer: HostComputer;
      /** Where the host keeps the session's bytes. */
      spool: string;
    }
    const withSession = async (limits?: { unfetchedBytes: number }, alias?: string): Promise<At> => {
      runs += 1;
      const hosts = stand.hosts(limits);
      pools.push(hosts);
      const computer = await stand.computer(hosts, `run-${runs}`, alias);
      await computer.sessions.create({
        name: 's',
        cwd: stand.host.home,
        env: {},
        rows: 40,
        cols: 160,
        profile: false,
      });
      return { hosts, computer, spool: `.local/state/waymark/sessions/run-${runs}/s/spool` };
    };
    const theirLog = async (spool: string) =>
      Buffer.from(await stand.host.shell(`base64 -w0 ${spool}`), 'base64');
    const printing = (pace: string) =>
      `i=0; while [ ! -e stop-${runs} ]; do i=$((i+1)); printf '%059d\\n' $i; [ $((i % 200)) = 0 ] && read -t ${pace} _ < <(sleep 9); done`;
    const stopPrinting = () => stand.host.shell(`touch stop-${runs}`);
    const state = ({ hosts }: At) => hosts.health('box').state;
    const untilNot = (at: At, wanted: string[]) =>
      eventually(`the link is not ${wanted.join(' or ')}`, () => !wanted.includes(state(at)), patienceMs);

    /** Takes the copy to the end of what the host has, and compares every byte. */
    const expectEqual = async (copy: SessionCopy, { spool, computer }: At) => {
      await computer.linked(AbortSignal.timeout(patienceMs));
      await untilState(computer, 'idle', 's', patienceMs);
      const log = await theirLog(spool);
      await eventually('everything has come', () => copy.length >= log.length, patienceMs);
      const bytes = await copy.finish();
      expect(bytes.length).toBe(log.length);
      expect(bytes.equals(log)).toBe(true);
      return bytes;
    };

    it(`brings every byte once through ${cuts} cuts: resets, a pulled cable, silence`, async () => {
      const at = await withSession();
      const { hosts, computer } = at;
      const { network } = stand.host;
      const copy = new SessionCopy(computer, 's');
      await computer.sessions.run('s', printing('0.2'));
      for (let cut = 0; cut < cuts; cut += 1) {
        const { connections } = copy;
        if (cut % 3 === 0) {
          await network?.reset();
          await untilNot(at, ['good', 'degraded']);
        } else {
          await (cut % 3 === 1 ? network?.linkDown() : network?.drop());
          // As a change of networks is told: the link is doubted at once rather than at the next keepalive.
          hosts.retryNow();
          await untilNot(at, ['good', 'degraded', 'stalled']);
          await (cut % 3 === 1 ? network?.linkUp() : network?.undrop());
          hosts.retryNow();
        }
        await eventually('it is followed again', () => copy.connections > connections, patienceMs);
        const { length } = copy;
        await eventually('output comes again', () => copy.length > length, patienceMs);
      }
      await eventually('there is enough', () => copy.length > atLeastBytes, patienceMs);
      await stopPrinting();
      expect((await expectEqual(copy, at)).length).toBeGreaterThan(atLeastBytes);
      expect(copy.connections).toBeGreaterThan(cuts);
    }, 900_000);

    it('is noticed when it is frozen, and loses nothing when it thaws', async () => {
      const at = await withSession();
      const copy = new SessionCopy(at.computer, 's');
      await at.computer.sessions.run('s', printing('0.1'));
      await eventually('it prints', () => copy.length > 20_000);
      stand.host.freeze();
      const from = performance.now();
      try {
        await untilNot(at, ['good', 'degraded']);
        await untilNot(at, ['good', 'degraded', 'stalled']);
        expect(performance.now() - from).toBeLessThan(20_000);
        expect(at.hosts.health('box').message).toContain('box');
      } finally {
        stand.host.thaw();
      }
      at.hosts.retryNow('box');
      await stopPrinting();
      await expectEqual(copy, at);
    }, 120_000);

    it('holds the program back while its disk is full, and loses nothing', async () => {
      // No limit on what waits: this is about the disk.
      const at = await withSession({ unfetchedBytes: 2 ** 40 });
      const { computer } = at;
      await stand.host.shell(`head -c $(( $(stat -f -c '%a*%S' .) - 1500000 )) /dev/zero > filler`);
      const { commandSeq } = await computer.sessions.run('s', 'seq 1 400000');
      await eventually(
        'it says that the disk is full',
        async () => (await computer.sessions.state('s')).diskFull,
        patienceMs,
      );
      const held = await computer.sessions.state('s');
      expect(held.state).toBe('busy');
      expect(held.endOffset).toBeLessThan(2_000_000);
      await stand.host.shell('rm filler');
      const { startOffset, endOffset, exitCode } = await computer.sessions.waitCommand('s', commandSeq, {
        timeoutMs: patienceMs,
      });
      expect(exitCode).toBe(0);
      const numbers = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\r\n`).join('');
      expect(Buffer.from(await readRange(computer, 's', startOffset, endOffset)).toString() === numbers).toBe(
        true,
      );
      expect((await computer.sessions.state('s')).diskFull).toBe(false);
      await computer.sessions.close('s');
    }, 180_000);

    it('that was restarted says honestly that its sessions are lost, and keeps what they wrote', async () => {
      const at = await withSession();
      const { computer } = at;
      const before = await runToEnd(computer, 'echo written before; seq 1000');
      await computer.sessions.run('s', 'sleep 1000');
      await untilState(computer, 'busy');
      await stand.host.reboot();
      at.hosts.retryNow('box');
      await eventually(
        'the link is back',
        () => computer.linked(AbortSignal.timeout(patienceMs)).then(() => true),
        patienceMs,
      );
      const state = await untilState(computer, 'lost', 's', patienceMs);
      expect(state.reason).toMatch(/restart|reboot/i);
      expect(
        Buffer.from(await readRange(computer, 's', before.startOffset, before.endOffset)).equals(
          Buffer.from(before.output),
        ),
      ).toBe(true);
      await expect(computer.sessions.run('s', 'true')).rejects.toMatchObject({ reason: 'session_lost' });
      await computer.sessions.close('s');
      await computer.sessions.create({
        name: 's',
        cwd: stand.host.home,
        env: {},
        rows: 40,
        cols: 80,
        profile: false,
      });
      expect((await runToEnd(computer, 'echo anew')).text).toBe('anew\n');
      await computer.sessions.close('s');
    }, 120_000);

    it('at the end of a long thin line is slow, and nothing more', async () => {
      const { host, files } = stand;
      const line = await SlowLink.open(host, { delayMs: 150, rate: 400_000 });
      try {
        await files.add('thin', { address: '127.0.0.1', port: line.port, user: host.user }, [
          `HostKeyAlias ${host.address}`,
        ]);
        const at = await withSession(undefined, 'thin');
        const copy = new SessionCopy(at.computer, 's');
        await at.computer.sessions.run('s', 'head -c 600000 /dev/urandom | base64');
        await eventually('a good part has come', () => copy.length > 300_000, patienceMs);
        line.stalled = true;
        await eventually('the stall shows', () => at.hosts.health('thin').state === 'stalled', patienceMs);
        line.stalled = false;
        await eventually(
          'it recovers',
          () => ['good', 'degraded'].includes(at.hosts.health('thin').state),
          patienceMs,
        );
        await expectEqual(copy, at);
        expect((await runToEnd(at.computer, 'echo still here')).text).toBe('still here\n');
        await at.computer.sessions.close('s');
      } finally {
        await line.close();
      }
    }, 180_000);
  },
);
