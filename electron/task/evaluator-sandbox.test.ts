import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evaluateLeft, withLine } from '../testing/evaluation-stand';
import { sandboxMissing } from '../testing/sandbox-missing';
import type { EvaluationOutcome } from './evaluate';
import { evaluatorSandbox } from './evaluator-sandbox';
import { WrittenLimit } from './written-limit';

/** Not below a folder for temporary files: a sandbox has those for itself. */
const below = resolve(import.meta.dirname, '../../node_modules/.cache');
let folder: string;
let home: string;
let workspace: string;

beforeEach(async () => {
  await mkdir(below, { recursive: true });
  folder = await realpath(await mkdtemp(join(below, 'waymark-evaluator-')));
  home = join(folder, 'home');
  workspace = join(folder, 'workspace');
  await mkdir(join(home, '.ssh'), { recursive: true });
  await mkdir(join(workspace, 'runs/other'), { recursive: true });
  await writeFile(join(home, '.ssh/id_ed25519'), 'PLANTED the private key\n');
  await writeFile(join(home, 'thesis.txt'), 'PLANTED thesis\n');
  await writeFile(join(workspace, 'workspace.db'), 'PLANTED the log\n');
  await writeFile(join(workspace, 'runs/other/secret'), 'PLANTED of another run\n');
  vi.stubEnv('HOME', home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Evaluates what an agent left: `train` is its script, which the evaluator runs before it counts. */
function evaluated(train: string, yaml?: (text: string) => string): Promise<EvaluationOutcome> {
  const script = `bash data/outputs/train.sh
printf '{"score": %d}' "$(wc -l < data/outputs/train.sh)" > "$WAYMARK_RESULT"
`;
  const files = { 'evaluation/evaluate.sh': script };
  const left = { 'data/outputs/train.sh': train };
  return evaluateLeft(workspace, { files, left, ...(yaml === undefined ? {} : { yaml }) });
}

describe.skipIf(sandboxMissing)(
  `what an agent left to be evaluated${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    let driver: ChildProcess;
    let server: Server;
    let port: number;
    let calls: number;
    beforeEach(async () => {
      calls = 0;
      driver = spawn('sleep', ['1000'], { env: { PLANTED_MODEL_KEY: 'PLANTED the key of a model' } });
      server = createServer((socket) => {
        calls += 1;
        socket.end('PLANTED answer\n');
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      port = (server.address() as { port: number }).port;
    });
    afterEach(() => {
      driver.kill('SIGKILL');
      server.close();
    });

    it("reads neither the person's home nor the workspace, other runs and earlier evaluations", async () => {
      await evaluated('echo PLANTED in the log of an evaluation');
      const { outcome, log } = await evaluated(
        `cat ${home}/.ssh/id_ed25519 ${home}/thesis.txt ~/thesis.txt ${workspace}/workspace.db ${workspace}/runs/other/secret 2>/dev/null
cat ${workspace}/runs/one/evaluations/001/evaluator.log ../outcome.json ../../001/evaluator.log 2>/dev/null
ls -A ~ | sed 's/^/AT HOME: /'; ls ${workspace}/runs/one ${workspace}/runs ${workspace}/tasks 2>/dev/null`,
      );
      expect(outcome).toBe('scored');
      expect(log).not.toMatch(/PLANTED|AT HOME|other|small|workspace.db/);
    });

    it('changes nothing outside: no log, no package, no result of another', async () => {
      const before = await evaluated('true');
      const { outcome } = await evaluated(
        `for f in ${workspace}/workspace.db ${workspace}/tasks/small/evaluation/key ${before.folder}/outcome.json ${home}/.bashrc ../planted ${folder}/planted; do echo CHANGED 2>/dev/null >$f; done`,
      );
      expect(outcome).toBe('scored');
      expect(await readFile(join(workspace, 'workspace.db'), 'utf8')).toBe('PLANTED the log\n');
      expect(await readFile(join(workspace, 'tasks/small/evaluation/key'), 'utf8')).toBe('the key');
      expect(await readFile(join(before.folder, 'outcome.json'), 'utf8')).not.toContain('CHANGED');
      expect(await readdir(home)).toEqual(['.ssh', 'thesis.txt']);
      await expect(readFile(join(folder, 'planted'))).rejects.toThrow('ENOENT');
    });

    it('sees and ends no process outside, and reads no environment', async () => {
      const { outcome, log } = await evaluated(
        `kill -0 ${driver.pid} && echo REACHED; kill -9 ${driver.pid}
for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; tr '\\0' ' ' <$p/cmdline; done`,
      );
      expect(outcome).toBe('scored');
      expect(log).not.toMatch(/REACHED|PLANTED|sleep 1000/);
      expect(driver.signalCode).toBeNull();
    });

    const callHome = () => `cat </dev/tcp/127.0.0.1/${port}`;

    it('reaches no server, unless the task says that its evaluator needs the network', async () => {
      expect((await evaluated(callHome())).log).not.toContain('PLANTED');
      expect(calls).toBe(0);
      expect((await evaluated(callHome(), withLine('network: true'))).log).toContain('PLANTED answer');
    });

    it('has a loopback of its own, for evaluators that serve a model to themselves', async () => {
      const serve = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:4711"); if (fork) { print $s->accept->getline } else { IO::Socket::INET->new("127.0.0.1:4711")->print("to itself\\n") }'`;
      expect((await evaluated(serve)).log).toContain('to itself');
    });

    it('outlives no evaluation, whatever it left running, nor its time limit', async () => {
      const word = `waymark-${process.pid}-${Date.now()}`;
      const linger = `setsid bash -c 'exec -a ${word} sleep 300' >/dev/null 2>&1 </dev/null & sleep 0.2`;
      expect(await evaluated(linger)).toMatchObject({ outcome: 'scored' });
      expect(await evaluated(`${linger}; sleep 300`, (text) => text.replace('20s', '700ms'))).toMatchObject({
        outcome: 'unavailable',
        message: expect.stringContaining('700ms'),
      });
      await vi.waitFor(async () => {
        const lines = await Promise.all(
          (await readdir('/proc'))
            .filter(Number)
            .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
        );
        expect(lines.filter((line) => line.startsWith(word))).toEqual([]);
      }, 60_000);
    });

    it('leaves nothing but inputs, result and log, whatever it closed or linked', async () => {
      const { folder: kept, outcome } = await evaluated(
        `ln -s ${home} "$HOME/out"; ln -s ${home} "$WAYMARK_EVALUATOR/out"; mkdir -p /tmp/closed/deep "$HOME/closed/deep"; chmod 0 "$HOME/closed" /tmp/closed`,
      );
      expect(outcome).toBe('scored');
      expect((await readdir(kept)).sort()).toEqual([
        ...['evaluator.log', 'inputs', 'outcome.json', 'protected-changed.txt', 'result'],
      ]);
      expect(await readdir(home)).toEqual(['.ssh', 'thesis.txt']);
    });
  },
);

it('keeps the rest of its sandbox where the system lets nobody make a network, and the log says so', async () => {
  const program = join(folder, 'bwrap');
  const script = '#!/bin/sh\nfor word; do [ "$word" != --unshare-net ] || exit 1; done\n';
  await writeFile(program, script, { mode: 0o755 });
  const place = (name: string) => join(folder, 'evaluation', name);
  for (const name of ['package', 'result', 'inputs']) await mkdir(place(name), { recursive: true });
  await writeFile(place('changed'), '');
  const sandbox = await evaluatorSandbox(program, {
    command: 'true',
    folder: place(''),
    staged: place('package'),
    evaluator: place('package/evaluation'),
    inputs: place('inputs'),
    changedList: place('changed'),
    result: place('result/result.json'),
    programs: [],
    folders: [],
    submitted: false,
    limit: new WrittenLimit(place(''), 1024 ** 3),
    network: false,
    workspace,
    timeoutMs: 1,
    signal: new AbortController().signal,
  });
  expect(sandbox.view.network).toBe(true);
  expect(sandbox.command()).toContain('--unshare-pid');
  expect(sandbox.left.join()).toContain('network could not be taken');
});

describe.skipIf(sandboxMissing)(
  `what an evaluation needs of this machine${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    it('is there, read-only: folders that the task names', async () => {
      const data = join(folder, 'datasets');
      await mkdir(data);
      await writeFile(join(data, 'rows'), 'rows of the task\n');
      const { log } = await evaluated(
        `cat ${data}/rows; echo CHANGED 2>/dev/null >${data}/rows`,
        withLine(`folders: [${data}]`),
      );
      expect(log).toContain('rows of the task');
      expect(await readFile(join(data, 'rows'), 'utf8')).toBe('rows of the task\n');
    });

    it.each([
      '/',
      '~',
      '~/.ssh',
      'WORKSPACE',
      'WORKSPACE/runs',
      'LINK',
    ])('is not shown where the task names %s, and the log says why', async (name) => {
      await symlink(join(home, '.ssh'), join(folder, 'link'));
      const path = name
        .replace('~', home)
        .replace('WORKSPACE', workspace)
        .replace('LINK', join(folder, 'link'));
      const { outcome, log } = await evaluated(
        `cat ${home}/.ssh/id_ed25519 ${folder}/link/id_ed25519 ${workspace}/workspace.db`,
        withLine(`folders: ["${path}"]`),
      );
      expect(outcome).toBe('scored');
      expect(log).not.toContain('PLANTED');
      expect(log).toContain(`Not shown to the evaluator: ${path}, because`);
    });

    it.each([
      ['where the task needs it', 'tool', (text: string) => text.replace('wc]', 'wc, tool]')],
      [
        'where its command names it',
        'tool',
        (text: string) => text.replace('command: ', 'command: true tool; '),
      ],
      ['where it is an interpreter', 'python3', (text: string) => text],
    ])('is there: an installation in the home that the search path leads to, %s', async (_, program, yaml) => {
      const conda = join(home, 'miniconda3');
      for (const each of ['bin', 'conda-meta', 'share']) await mkdir(join(conda, each), { recursive: true });
      await writeFile(join(conda, 'share/part'), 'a part of it\n');
      await writeFile(join(conda, 'bin/real'), `#!/bin/sh\ncat ${conda}/share/part\n`);
      await chmod(join(conda, 'bin/real'), 0o755);
      await mkdir(join(home, '.local/bin'), { recursive: true });
      await mkdir(join(home, '.local/share/keyrings'), { recursive: true });
      await writeFile(join(home, '.local/share/keyrings/one'), 'PLANTED keys\n');
      await symlink(join(conda, 'bin/real'), join(home, '.local/bin', program));
      vi.stubEnv('PATH', `${home}/.local/bin:${process.env.PATH}`);
      const { log } = await evaluated(
        `${program}; cat ${home}/.local/share/keyrings/one ${home}/thesis.txt; echo CHANGED >${conda}/share/part`,
        yaml,
      );
      expect(log).toContain('a part of it');
      expect(log).not.toContain('PLANTED');
      expect(await readFile(join(conda, 'share/part'), 'utf8')).toBe('a part of it\n');
    });
  },
);
