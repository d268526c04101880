import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../deadline';
import { openWith, output } from './channel-reading';
import { nameInKnownHosts } from './client-files';
import { type MakeTransport, makeStand, patienceMs, refusalOf, type Stand } from './connect-cases';
import { startOtherServer } from './keyboard-server';
import { makeKey } from './keys';
import { run } from './namespaces';
import { answers, ScriptedPerson } from './prompts';
import { type SshHost, startSshd, startSshHost, testerPassword } from './ssh-host';

/** The way to a host: over others, through a command, and what is said when it cannot be gone. */
export function wayCases(kind: Stand['kind'], make: MakeTransport): void {
  describe('over jump hosts', { timeout: patienceMs }, () => {
    const stand = makeStand(kind, make);
    let outer: SshHost;
    let middle: SshHost;
    beforeAll(async () => {
      const { files, host } = stand.get();
      outer = await startSshd({ authorizedKeys: [files.key.publicLine] });
      middle = await startSshd({ authorizedKeys: [files.key.publicLine] });
      await files.add('outer', outer);
      await files.add('middle', middle, ['ProxyJump outer']);
      await files.add('inner', host, ['ProxyJump middle']);
    }, patienceMs);
    afterAll(async () => {
      await outer.stop();
      await middle.stop();
    }, patienceMs);

    it('checks the key of each and records what is accepted', async () => {
      const { files, host, to } = stand.get();
      const unknown = async (known: SshHost[]) => {
        await run('rm', ['-f', files.knownHosts]);
        for (const one of known) await files.trust(one);
        const person = new ScriptedPerson();
        const failure = await refusalOf(to('inner'), person);
        return { failure, asked: person.asked };
      };
      const first = await unknown([]);
      expect(first.failure).toMatchObject({ reason: 'host_key_unknown', stage: 'host_key' });
      expect(first.asked).toMatchObject([
        { kind: 'unknown_host_key', alias: 'inner', via: 'outer', target: `tester@127.0.0.1:${outer.port}` },
      ]);
      expect((await unknown([outer])).asked).toMatchObject([{ via: 'middle' }]);
      const last = await unknown([outer, middle]);
      expect(last.asked).toMatchObject([{ alias: 'inner', target: `tester@127.0.0.1:${host.port}` }]);
      expect(last.asked[0]).not.toHaveProperty('via');
      const person = new ScriptedPerson(answers({ unknown_host_key: true }));
      expect(await output(to('inner'), 'echo in', person)).toBe('in\n');
      expect(await output(to('inner'), 'echo again', new ScriptedPerson())).toBe('again\n');
    });

    it('goes through each of them', async () => {
      const { to, host } = stand.get();
      const [before, after] = [(await outer.log()).length, (await middle.log()).length];
      expect(await output(to('inner'), 'echo $SSH_CONNECTION', new ScriptedPerson())).toContain(
        ` ${host.port}\n`,
      );
      expect((await outer.log()).slice(before)).toMatch(
        new RegExp(`direct-tcpip.*${middle.port}|connect_next.*${middle.port}`),
      );
      expect((await middle.log()).slice(after)).toMatch(
        new RegExp(`direct-tcpip.*${host.port}|connect_next.*${host.port}`),
      );
    });

    it('asks for a password on the way by the name of the host that wants it', async () => {
      const { files, host, to } = stand.get();
      await files.add('outer-pw', outer, ['PubkeyAuthentication no', 'PreferredAuthentications password']);
      await files.add('behind-pw', host, ['ProxyJump outer-pw']);
      const person = new ScriptedPerson(answers({ password: ['wrong', testerPassword] }));
      expect(await output(to('behind-pw'), 'echo in', person)).toBe('in\n');
      expect(person.asked).toMatchObject([
        { kind: 'password', alias: 'behind-pw', via: 'outer-pw', attempt: 1 },
        { kind: 'password', alias: 'behind-pw', via: 'outer-pw', attempt: 2 },
      ]);
    });

    it('stops at one whose key changed', async () => {
      const { files, host, to } = stand.get();
      const other = await makeKey(files.folder, 'other-middle');
      const known = await files.known();
      await run('bash', ['-c', `: > ${files.knownHosts}`]);
      await files.trust(outer);
      await files.trust(host);
      await files.know(`${nameInKnownHosts(middle)} ${other.publicLine}`);
      const before = (await middle.log()).length;
      const person = new ScriptedPerson();
      const failure = await refusalOf(to('inner'), person);
      expect(failure).toMatchObject({ reason: 'host_key_changed', stage: 'host_key' });
      expect(person.alarms).toMatchObject([{ kind: 'changed', alias: 'inner', via: 'middle' }]);
      expect((await middle.log()).slice(before)).not.toContain('userauth-request');
      await run('bash', ['-c', 'printf %s "$1" > "$2"', '-', known, files.knownHosts]);
    });

    it('says which host on the way refuses to go on', async () => {
      const { to, files, host } = stand.get();
      for (const one of [outer, middle, host]) await files.trust(one);
      await middle.reconfigure({ lines: ['AllowTcpForwarding no'] });
      const failure = await refusalOf(to('inner'), new ScriptedPerson());
      expect(failure).toMatchObject({ stage: 'tcp', reason: 'tcp' });
      await middle.reconfigure({ lines: [] });
    });
  });

  describe('the way', { timeout: patienceMs }, () => {
    const stand = makeStand(kind, make);
    const nobody = new ScriptedPerson();

    it("through a command of the user's, which ends with the connection", async () => {
      const { files, host, to } = stand.get();
      const mark = `proxy-${host.port}`;
      const command = `bash -c "exec -a ${mark} bash -c 'exec 3<>/dev/tcp/\\$0/\\$1; cat <&3 & cat >&3' %h %p"`;
      await files.add('proxied', host, [`ProxyCommand ${command}`, 'HostKeyAlias by-command']);
      await files.know(`by-command ${host.hostKey().publicLine}`);
      const channel = await openWith(to('proxied'), 'echo in; cat', nobody);
      expect(String(await new Promise((resolve) => channel.stream.once('data', resolve)))).toBe('in\n');
      expect(await run('pgrep', ['-f', `^${mark}`])).not.toBe('');
      channel.close();
      await channel.closed;
      await eventually('the command ended', () =>
        run('pgrep', ['-f', `^${mark}`]).then(
          () => false,
          () => true,
        ),
      );
    });

    it('through a command that fails: its words are told', async () => {
      const { files, host, refusal } = stand.get();
      await files.add('broken', host, ["ProxyCommand sh -c 'echo no gate here >&2; exit 7'"]);
      const failure = await refusal('broken');
      expect(failure).toMatchObject({ passing: true });
      expect(`${failure.message}\n${failure.detail}`).toContain('no gate here');
    });

    it('to a port where nobody listens', async () => {
      const { files, host, refusal } = stand.get();
      await files.add('closed', { ...host, address: host.address, user: 'tester', port: 1 });
      const failure = await refusal('closed');
      expect(failure).toMatchObject({ reason: 'tcp', stage: 'tcp', passing: true });
      expect(failure.message).toMatch(/refused.*Check Port/);
    });

    it('to a name that has no address', async () => {
      const { files, refusal } = stand.get();
      await files.add('nameless', { address: 'no-such-host.invalid', port: 22, user: 'tester' });
      const failure = await refusal('nameless');
      expect(failure).toMatchObject({ reason: 'resolve', stage: 'resolve', passing: true });
      expect(failure.message).toContain('no-such-host.invalid');
    });

    it('to something that is no ssh server', async () => {
      const { files, refusal } = stand.get();
      const web = await startOtherServer('HTTP/1.1 400 Bad Request\r\n\r\n', true);
      await files.add('web', { address: '127.0.0.1', port: web.port, user: 'tester' });
      const failure = await refusal('web');
      expect(failure).toMatchObject({ reason: 'tcp', stage: 'tcp' });
      expect(failure.message).toContain('not answer as an ssh server');
      await web.stop();
    });

    it('to a host that is away', async () => {
      const { files, refusal } = stand.get();
      const away = await startSshHost();
      await away.network?.drop();
      await files.add('away', away, ['ConnectTimeout 1']);
      const failure = await refusal('away');
      expect(failure).toMatchObject({ reason: 'timeout', stage: 'tcp', passing: true });
      expect(failure.message).toContain('switched on');
      await away.stop();
    });

    it('given up while it is gone, or while a person is asked: nothing is left', async () => {
      const { files, host, to } = stand.get();
      const silent = await startOtherServer('', false);
      await files.add('silent', { address: '127.0.0.1', port: silent.port, user: 'tester' });
      const why = new Error('called off');
      const abortAt = async (alias: string, person: ScriptedPerson, when: () => boolean) => {
        const abort = new AbortController();
        const stages: string[] = [];
        const opening = to(alias).open('true', {
          signal: abort.signal,
          prompts: person,
          onStage: ({ stage, state }) => stages.push(`${stage} ${state}`),
        });
        opening.catch(() => undefined);
        await eventually('it is under way', () => when() || stages.includes('host_key running'));
        abort.abort(why);
        await expect(opening).rejects.toBe(why);
        expect(stages.filter((stage) => stage.endsWith('failed'))).toEqual([]);
      };
      await abortAt('silent', nobody, () => kind === 'openssh');
      await files.add('asking', host, ['PubkeyAuthentication no', 'PreferredAuthentications password']);
      await files.trust(host);
      const person = new ScriptedPerson(() => new Promise(() => undefined));
      await abortAt('asking', person, () => false);
      const abort = new AbortController();
      const opening = to('asking').open('true', { signal: abort.signal, prompts: person });
      opening.catch(() => undefined);
      await eventually('a person is asked', () => person.asked.length > 0);
      abort.abort(why);
      await expect(opening).rejects.toBe(why);
      await eventually('the question is withdrawn', () => person.withdrawn.length === person.asked.length);
      await expect(to('box').open('true', { signal: abort.signal, prompts: nobody })).rejects.toBe(why);
      await silent.stop();
    });

    it('never makes an option of an alias or a command', async () => {
      const { to, files } = stand.get();
      for (const alias of [`-oProxyCommand=touch ${files.folder}/x`, '-V'])
        await expect(refusalOf(to(alias), nobody)).resolves.toMatchObject({
          reason: 'config',
          stage: 'resolve',
        });
      const command = `echo "a  b'c" $((1+1)) -oProxyCommand=x`;
      expect(await output(to('box'), command, nobody)).toBe("a  b'c 2 -oProxyCommand=x\n");
    });

    it('is noticed to be dead without a word from it', async () => {
      const { files, to } = stand.get();
      const host = await startSshHost({ authorizedKeys: [files.key.publicLine] });
      await files.add('dies', host);
      await files.trust(host);
      const channel = await openWith(to('dies'), 'echo up; cat', nobody);
      await new Promise((resolve) => channel.stream.once('data', resolve));
      channel.stream.resume();
      const from = performance.now();
      await host.network?.drop();
      const { reason } = await channel.closed;
      expect(performance.now() - from).toBeLessThan(19_000);
      expect(reason).toMatch(/Keepalive timeout|not responding/);
      await host.stop();
    });
  });
}
