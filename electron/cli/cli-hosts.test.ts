import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { eventually } from '../testing/deadline';
import { call } from '../testing/scripted-answers';
import { ClientFiles } from '../testing/ssh/client-files';
import { namespacesMissing } from '../testing/ssh/namespaces';
import { type SshHost, startSshd, testerPassword } from '../testing/ssh/ssh-host';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';

const entry = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');
const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
const flood = 'seq 1 40000; printf "\\033[31mred\\033[0m\\n"';

/** The built command line against a real sshd, with a scripted model. Needs `npm run build` and root. */
describe.skipIf(namespacesMissing)(
  `the command line and a real host${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-cli-hosts-'));
    let files: ClientFiles;
    let host: SshHost;
    let model: ScriptedModel;
    let run = '';

    const env = () => ({
      ...process.env,
      WAYMARK_DATA: join(folder, 'data'),
      WAYMARK_WORKSPACE: join(folder, 'workspace'),
      WAYMARK_SSH_CONFIG: files.configFile,
    });

    /** Runs it without a terminal. */
    function waymark(...args: string[]) {
      return new Promise<{ code: number; out: Buffer; err: string; json(): Record<string, unknown> }>(
        (resolve) => {
          execFile(
            process.execPath,
            [entry, ...args],
            { env: env(), maxBuffer: 64e6, encoding: 'buffer' },
            (error, out, err) => {
              const code = error === null ? 0 : Number(error.code);
              const json = () => JSON.parse(out.toString().trim().split('\n').at(-1) ?? 'null');
              resolve({ code, out, err: err.toString(), json });
            },
          );
        },
      );
    }

    beforeAll(async () => {
      files = await ClientFiles.make();
      host = await startSshd({ authorizedKeys: [files.key.publicLine] });
      await files.add('box', host);
      await files.trust(host);
      const noKeys = join(files.folder, 'known-by-nobody');
      await files.add('stranger', host, [`UserKnownHostsFile ${noKeys}`]);
      await files.add('typed', host, ['PubkeyAuthentication no', 'PreferredAuthentications password']);
      const answers = [
        { calls: [call('run_command', { command: flood, session_id: 'main', wait_for_completion: true })] },
        {
          calls: [
            call('run_command', {
              command: 'seq 1 8 > data/outputs/answer.txt; exit',
              wait_for_completion: true,
            }),
          ],
        },
        { calls: [call('finish')] },
      ];
      model = await startScriptedModel({ policy: ({ answers: given }) => answers[Math.min(given, 2)] ?? {} });
    }, 60_000);

    afterAll(async () => {
      await model?.close();
      await host?.stop();
      await files?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('adds a host after testing it stage by stage', async () => {
      const added = await waymark('computer', 'add', 'box');
      expect(added.err).toMatch(/^box is tester@127\.0\.0\.1:\d+\./);
      for (const stage of ['network', 'host key', 'login', 'shell', 'helper', 'disk']) {
        expect(added.err).toMatch(new RegExp(`^(ok|!) +${stage} `, 'm'));
      }
      expect(added.out.toString()).toContain('Added box (ssh2).');
      expect(added.code).toBe(0);
      expect((await waymark('computer', 'list', '--json')).json()).toMatchObject({
        computers: [{ alias: 'box', transport: 'ssh2' }],
      });
      expect((await waymark('computer', 'test', 'box', '--json')).json()).toMatchObject({
        ok: true,
        facts: { user: 'tester' },
      });
    }, 60_000);

    it('refuses an unknown key where nobody can be asked, and says how', async () => {
      const refused = await waymark('computer', 'add', 'stranger', '--json');
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(/asks for a decision about its unknown key, and nobody can answer here/);
      expect(refused.json()).toMatchObject({ error: { code: 'computer_unavailable' } });
    }, 60_000);

    it('asks for a password at a terminal and does not show it', async () => {
      // `script` gives it a terminal; what it shows comes back here.
      const child = spawn(
        'script',
        ['-qec', `${process.execPath} ${entry} computer test typed`, '/dev/null'],
        {
          env: env(),
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      let shown = '';
      child.stdout.on('data', (piece: Buffer) => {
        shown += piece.toString();
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await eventually('it asks', () => shown.includes('Password for typed [tester@127.0.0.1'));
      child.stdin.write(`${testerPassword}\r`);
      expect(await ended).toBe(0);
      expect(shown).toContain('typed is ready to use.');
      expect(shown).not.toContain(testerPassword);
    }, 60_000);

    it('drives a run there, and shows what its terminal printed, byte for byte', async () => {
      const yaml = smallTaskYaml.replace(localPool, '  - name: worker\n    host: gpu\n    type: cpu\n');
      const source = await writeTaskPackage(join(folder, 'package'), { 'task.yaml': yaml });
      expect((await waymark('task', 'add', source)).code).toBe(0);
      const started = await waymark(
        ...['run', 'start', '--task', 'small', '--computer', 'box', '--base-url', model.baseUrl],
        ...['--model', 'scripted', '--approvals', 'off', '--wait', '--json'],
      );
      expect(started.err).toBe('');
      expect(started.code).toBe(0);
      run = String(started.json().run);
      expect((await waymark('run', 'show', run, '--json')).json()).toMatchObject({
        status: 'finished',
        scores: { final: 80 },
        computers: [{ name: 'worker', kind: 'ssh', host: 'box' }],
      });
      const { sessions } = (await waymark('session', 'list', '--run', run, '--json')).json() as {
        sessions: { session: string; state: string; endOffset: number; uid: string }[];
      };
      expect(sessions).toMatchObject([
        { session: 'main', state: 'ended' },
        { session: 'shell-2', state: 'ended' },
      ]);
      const raw = (await waymark('session', 'tail', 'worker:main', '--run', run, '--all', '--raw')).out;
      const base = (
        await host.shell('find /home /tmp /run -name spool -path "*waymark*" 2>/dev/null || true')
      )
        .trim()
        .split('\n');
      const spools = await Promise.all(base.map((path) => host.shell(`base64 -w0 ${path}`)));
      const theirs = spools.map((text) => Buffer.from(text, 'base64'));
      expect(raw.length).toBe(sessions[0]?.endOffset);
      expect(
        theirs.some((bytes) => bytes.equals(raw)),
        'the bytes of the log on the host',
      ).toBe(true);
      const text = (await waymark('session', 'tail', 'main', '--run', run)).out.toString();
      expect(text).toContain('40000\r\n\u001b[31mred');
      expect(text).not.toContain('\u001b]7717');
    }, 120_000);

    it('cleans and removes what a run left on the host', async () => {
      const home = `${host.home}/waymark/runs/${run}`;
      expect(await host.shell(`ls ${home}`)).toContain('task');
      expect((await waymark('clean', '--json')).json()).toMatchObject({ notReached: [] });
      expect(await host.shell('find /home /tmp /run -name spool -path "*waymark*" 2>/dev/null || true')).toBe(
        '',
      );
      expect((await waymark('run', 'remove', run)).code).toBe(0);
      expect(await host.shell(`ls ${host.home}/waymark/runs`)).toBe('');
      expect((await waymark('verify', '--json')).json()).toMatchObject({ ok: true });
    }, 60_000);
  },
);
