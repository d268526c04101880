import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sandboxMissing } from '../../../testing/sandbox-missing';
import { sandboxViewIn } from '../../../testing/sandbox-view-in';
import { bubblewrapPath } from './bubblewrap';
import { localSandbox } from './local-sandbox';
import { type ProbeOrder, probeSandbox, probes } from './probes';

/** Neither below a folder for temporary files, nor below the home of whoever runs this as root. */
const elsewhere = resolve(import.meta.dirname, '../../../../node_modules/.cache');
const program = bubblewrapPath() ?? '';
const count = Object.keys(probes).length;

describe.skipIf(sandboxMissing)(
  `the probes of a sandbox${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    let root: string;
    let order: Omit<ProbeOrder, 'command'>;
    const agent = createServer();

    beforeAll(async () => {
      await mkdir(elsewhere, { recursive: true });
      root = await realpath(await mkdtemp(join(elsewhere, 'waymark-probes-')));
      const view = sandboxViewIn(root);
      for (const folder of [
        view.work,
        view.home,
        view.temporary,
        join(root, 'runs', 'other'),
        join(root, 'me'),
      ])
        await mkdir(folder, { recursive: true });
      await writeFile(join(root, 'me', 'diary'), 'of the person');
      vi.stubEnv('HOME', join(root, 'me'));
      vi.stubEnv('SSH_AUTH_SOCK', join(root, 'agent'));
      await new Promise<void>((ready) => agent.listen(join(root, 'agent'), ready));
      order = { view, workspace: root, run: 'one' };
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      agent.close();
      await rm(root, { recursive: true, force: true });
    });
    /** What gets out of a sandbox that is meant to have a network, or none. */
    const escapes = (command: readonly string[], network: boolean) =>
      probeSandbox({ ...order, view: { ...order.view, network }, command });

    it(`0 of ${count} get out of it, with the network and without`, async () => {
      for (const network of [true, false]) {
        const { command } = localSandbox(program, { ...order.view, network });
        expect(await escapes(command(), network)).toEqual({ kind: 'tried', escaped: [] });
      }
    });

    it.skipIf(process.getuid?.() !== 0)('all find what is open where nothing is closed', async () => {
      // Node 20 pads abstract names with zeros.
      const listening = `$| = 1; socket my $s, PF_UNIX, SOCK_STREAM, 0; bind $s, pack("Sa*", 1, "\\0waymark-dbus-${process.pid}");
      listen $s, 5; print "ready"; 1 while accept my $c, $s;`;
      const bus = spawn('perl', ['-MSocket', '-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(bus.stdout, 'data');
      try {
        const open = [program, '--dev-bind', '/', '/', '--bind', root, root, '--tmpfs', '/tmp'];
        expect(await escapes(open, false)).toEqual({ kind: 'tried', escaped: Object.keys(probes) });
      } finally {
        bus.kill('SIGKILL');
      }
    });
  },
);
