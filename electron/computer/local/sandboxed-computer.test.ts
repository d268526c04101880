import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runToEnd } from '../../testing/conformance/session-driver';
import { sandboxMissing } from '../../testing/sandbox-missing';
import { sandboxViewIn } from '../../testing/sandbox-view-in';
import { LocalComputer, type LocalComputerOptions } from './local-computer';
import { processTable } from './process-table';
import { bubblewrapPath, closedNamespaces } from './sandbox/bubblewrap';
import { localSandbox } from './sandbox/local-sandbox';
import { probeSandbox } from './sandbox/probes';
import type { SandboxView } from './sandbox/sandbox-view';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');
/** Neither below a folder for temporary files, nor below the home of whoever runs this as root. */
const elsewhere = resolve(import.meta.dirname, '../../../node_modules/.cache');
const program = bubblewrapPath();
const open: string[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const root of open.splice(0)) await rm(root, { recursive: true, force: true });
});

interface Stand {
  root: string;
  view: SandboxView;
  computer: LocalComputer;
  again(): LocalComputer;
}

async function stand(
  more: Partial<LocalComputerOptions> = {},
  change: Partial<SandboxView> = {},
  below = elsewhere,
): Promise<Stand> {
  await mkdir(below, { recursive: true });
  const root = await realpath(await mkdtemp(join(below, 'waymark-sandbox-')));
  open.push(root);
  const view: SandboxView = { ...sandboxViewIn(root), ...change };
  await mkdir(join(root, 'runs', 'other'), { recursive: true });
  const again = () =>
    new LocalComputer({
      sessionsDir: join(root, 'sessions'),
      resourcesDir,
      sandbox: localSandbox(program ?? '', view),
      ...more,
    });
  const computer = again();
  await computer.files.makeDirectory(view.work);
  return { root, view, computer, again };
}

describe.skipIf(sandboxMissing)(
  `attacks of an agent on this machine${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    let driver: ChildProcess;
    let place: Stand;
    beforeEach(async () => {
      driver = spawn('sleep', ['1000'], { env: { PLANTED_MODEL_KEY: 'sk-the-model-key-000000000000' } });
      place = await stand();
      await writeFile(join(place.root, 'workspace.db'), 'the log');
      await writeFile(join(place.root, 'runs', 'other', 'secret'), 'of another run');
    });
    afterEach(async () => {
      driver.kill('SIGKILL');
      for (const { name } of await place.computer.sessions.list()) await place.computer.sessions.close(name);
      await place.computer.dispose();
    });

    const attack = async (command: string) => {
      const { computer, view } = place;
      await computer.sessions.create({ name: 'main', cwd: view.work, env: {}, rows: 40, cols: 160 });
      return runToEnd(computer, command, 'main');
    };

    it('finds no environment of a driver, and no process of the person', async () => {
      const command = `for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done | grep -c PLANTED; kill -0 ${driver.pid} && echo KILLED; ps -e 2>/dev/null | grep -c sleep`;
      const { text } = await attack(command);
      expect(text).not.toMatch(/sk-the-model-key|KILLED/);
      expect(text).toMatch(/^0\s/m);
      expect(driver.exitCode).toBeNull();
    });

    it.each([
      'perl',
      'python3',
    ] as const)('finds no name of a folder of the person at process 1, started by %s', async (supervisor) => {
      const { root, view } = place;
      await place.computer.dispose();
      const sandbox = localSandbox(program ?? '', view);
      const sessionsDir = join(root, 'sessions');
      const computer = new LocalComputer({ sessionsDir, resourcesDir, sandbox, supervisors: [supervisor] });
      place = { ...place, computer };
      const { text } = await attack(
        `echo ${root} >/tmp/names; tr '\\0' '\\n' </proc/1/cmdline | grep -c bwrap; cat /proc/1/cmdline /proc/1/environ /proc/*/cmdline /proc/*/environ | tr '\\0' '\\n' | grep -Ev '^(OLD)?PWD=' | grep -F -f /tmp/names; ls -l /proc/1/fd /proc/1/root | grep -F -f /tmp/names; echo looked`,
      );
      expect(text).toBe('1\nlooked\n');
    });

    it('finds none of them in the sandbox that serves its files', async () => {
      const { computer, view, root } = place;
      await computer.files.stat(view.work);
      const rows = await processTable().all();
      const below = (pid: number): number[] => [
        pid,
        ...rows.filter(({ parent }) => parent === pid).flatMap((row) => below(row.pid)),
      ];
      const sandboxes = rows.filter(({ name, parent }) => name === 'bwrap' && parent === process.pid);
      const lines = await Promise.all(
        sandboxes.flatMap(({ pid }) => below(pid)).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
      );
      expect(lines.filter((line) => line.includes('bwrap')).length).toBeGreaterThanOrEqual(2);
      expect(lines.filter((line) => line.includes(root))).toEqual([]);
    });

    it('sees neither the workspace, nor another run, nor the home', async () => {
      const { text } = await attack(
        `ls ${place.root}; ls ${place.root}/runs; cat ${place.root}/workspace.db ${place.root}/runs/other/secret; ls -A ~ | wc -l; : >${place.root}/planted; : >/usr/planted; : >/etc/planted; : >/planted`,
      );
      expect(text).not.toMatch(/the log|of another run|other\n/);
      expect(text).toMatch(/\n0\n/);
      await expect(readFile(join(place.root, 'planted'))).rejects.toThrow('ENOENT');
    });

    it('does not get at a file of the person by a link that file actions follow', async () => {
      const { view, computer, root } = place;
      await symlink(join(root, 'workspace.db'), join(view.work, 'notes.txt'));
      await symlink(root, join(view.work, 'folder'));
      await expect(computer.files.read(join(view.work, 'notes.txt'), { maxBytes: 100 })).rejects.toThrow();
      await expect(computer.files.read(join(root, 'workspace.db'), { maxBytes: 100 })).rejects.toThrow();
      // A folder of that path inside, if there is one, is the sandbox's own.
      await computer.files
        .write(join(view.work, 'folder', 'planted'), new Uint8Array())
        .catch(() => undefined);
      await expect(readFile(join(root, 'planted'))).rejects.toThrow('ENOENT');
      expect(await readFile(join(root, 'workspace.db'), 'utf8')).toBe('the log');
    });

    // It leaves a link where the next session's work folder is mounted: that would come to stand before the session's own files on
    // the host, with a link instead of the folder that is shown as `cmd`.
    it.each(['/tmp', 'the home'])('does not steer what the next session mounts, below %s', async (where) => {
      place = await stand({}, {}, where === '/tmp' ? tmpdir() : elsewhere);
      const { computer, view, root } = place;
      if (where === 'the home') vi.stubEnv('HOME', root);
      await mkdir(join(root, 'private'));
      await writeFile(join(root, 'private', 'key'), 'the private key');
      await attack(
        `cd /; echo 'cat /run/waymark/cmd/key >~/found 2>/dev/null; echo tried >>~/found' >~/.bashrc
        ln -s /oldroot${root}/private ${view.work}/cmd; : >${view.work}/nonce
        mv ${root}/runs ${root}/away; mkdir -p ${dirname(view.work)}; ln -s /oldroot${root}/sessions/second ${view.work}`,
      );
      const second = { name: 'second', cwd: '/', env: {}, rows: 40, cols: 160 };
      await computer.sessions.create(second);
      expect(await readFile(join(view.home, 'found'), 'utf8')).toBe('tried\n');
      const { text } = await runToEnd(computer, `echo new >${view.work}/new; pwd`, 'second');
      expect(text).toBe('/\n');
      expect(await readFile(join(view.work, 'new'), 'utf8')).toBe('new\n');
    });

    it('is shown no other folder when what was named is exchanged for a link before a session starts', async () => {
      const { root } = place;
      const [mid, sub, away] = [join(root, 'mid'), join(root, 'mid', 'sub'), join(root, 'private')];
      await mkdir(sub, { recursive: true });
      await mkdir(away);
      await writeFile(join(away, 'key'), 'the private key');
      await place.computer.dispose();
      place = { ...(await stand({}, { folders: [{ path: sub, write: false, source: sub }] })), root };
      await rm(sub, { recursive: true });
      await symlink(away, sub);
      await expect(attack(`cat ${sub}/key`)).rejects.toThrow('leads to');
      await rm(sub);
      await rename(mid, join(root, 'gone'));
      await mkdir(join(root, 'elsewhere/sub'), { recursive: true });
      await symlink(join(root, 'elsewhere'), mid);
      await expect(attack(`ls ${sub}`)).rejects.toThrow('leads to');
    });

    it.each([
      'perl',
      'python3',
    ] as const)('is shown nothing that is exchanged after the check and before the mount, by %s', async (supervisor) => {
      const { root } = place;
      const [shown, away] = [join(root, 'shown'), join(root, 'private')];
      await mkdir(shown);
      await mkdir(away);
      await writeFile(join(away, 'key'), 'the private key');
      const racing = (view: SandboxView) => {
        const sandbox = localSandbox(program ?? '', view);
        const command = () => {
          const words = sandbox.command();
          // The last moment: bwrap has not looked yet.
          renameSync(shown, join(root, 'kept'));
          renameSync(away, shown);
          return words;
        };
        return { ...sandbox, command };
      };
      const { view } = place;
      const sandbox = racing({ ...view, folders: [{ path: shown, write: false, source: shown }] });
      const computer = new LocalComputer({
        sessionsDir: join(root, 'sessions'),
        resourcesDir,
        sandbox,
        supervisors: [supervisor],
      });
      const session = { name: 'main', cwd: '/', env: {}, rows: 40, cols: 160 };
      await expect(computer.sessions.create(session)).rejects.toMatchObject({
        reason: 'sandbox_refused',
        message: expect.stringMatching(
          /"main" was not started .* shown folder was exchanged .* Put the folder back/,
        ),
      });
      await computer.dispose();
    });

    it('keeps what it wrote in its own folders, for its sessions and its file actions alike', async () => {
      const { computer, view } = place;
      await attack(`echo one >${view.work}/a; echo two >/tmp/b; echo three >~/c`);
      const seen = async (path: string) =>
        Buffer.from((await computer.files.read(path, { maxBytes: 100 })).bytes).toString();
      expect([await seen(join(view.work, 'a')), await seen('/tmp/b')]).toEqual(['one\n', 'two\n']);
      expect(await readFile(join(view.home, 'c'), 'utf8')).toBe('three\n');
    });

    it('leaves nothing behind when the session is closed, whatever hid from it', async () => {
      const { text } = await attack(
        `env -i setsid bash -c 'exec -a hidden-one sleep 1000' >/dev/null 2>&1 & echo started`,
      );
      expect(text).toContain('started');
      await place.computer.sessions.close('main');
      const { stdout } = await promisify(execFile)('sh', [
        '-c',
        'grep -l hidden-[o]ne /proc/[0-9]*/cmdline 2>/dev/null || true',
      ]);
      expect(stdout.trim()).toBe('');
    });

    it.skipIf(program === undefined || closedNamespaces(program).length === 0)(
      'makes no namespace of its own',
      async () => {
        expect((await attack('unshare -U echo MADE 2>/dev/null; true')).text).not.toContain('MADE');
      },
    );

    it('changes no setting of the kernel', async () => {
      const { text } = await attack(
        `for f in /proc/sys/kernel/core_uses_pid /proc/sysrq-trigger; do ( : >>$f ) 2>/dev/null && echo OPENED $f; done; true`,
      );
      expect(text).not.toContain('OPENED');
    });

    it('has no network where the task says so', async () => {
      const server: Server = createServer((socket) => socket.end('reached'));
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      const { port } = server.address() as { port: number };
      try {
        const reach = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
        expect((await attack(reach)).text).toContain('reached');
        await place.computer.sessions.close('main');
        await place.computer.dispose();
        place = await stand({}, { network: false });
        expect((await attack(reach)).text).not.toContain('reached');
      } finally {
        server.close();
      }
    });

    it('is found out by the probes when the sandbox has a hole', async () => {
      const { root, view } = place;
      const order = { view, workspace: root, run: 'one' };
      expect(await probeSandbox({ ...order, command: localSandbox(program ?? '', view).command() })).toEqual({
        kind: 'tried',
        escaped: [],
      });
      const whole = [program ?? '', '--unshare-user', '--bind', '/', '/', '--dev', '/dev'];
      const found = await probeSandbox({ ...order, command: whole });
      expect(found).toMatchObject({
        escaped: expect.arrayContaining(['signal', 'processes', 'planted', 'runs']),
      });
    });
  },
);
