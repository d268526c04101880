import { describe, expect, it } from 'vitest';
import { output } from './channel-reading';
import { nameInKnownHosts } from './client-files';
import { type MakeTransport, makeStand, patienceMs, type Stand } from './connect-cases';
import { certifyHost, type KeyKind, makeKey, sha256Of } from './keys';
import { run } from './namespaces';
import { answers, ScriptedPerson } from './prompts';

/** Known hosts: known, unknown, changed, revoked, in every notation. Nothing of a login is sent to a host that is not trusted. */
export function hostKeyCases(kind: Stand['kind'], make: MakeTransport): void {
  describe('the host key', { timeout: patienceMs }, () => {
    const stand = makeStand(kind, make);
    let count = 0;
    /** An alias with known hosts of its own, holding these lines. */
    const alias = async (lines: readonly string[], more: readonly string[] = []) => {
      const { files, host } = stand.get();
      count += 1;
      const name = `key-${count}`;
      const file = `${files.folder}/known-${count}`;
      await run('bash', [
        '-c',
        'printf "%s" "$1" > "$2"',
        '-',
        lines.join('\n') + (lines.length > 0 ? '\n' : ''),
        file,
      ]);
      await files.add(name, host, [`UserKnownHostsFile ${file}`, ...more]);
      return { name, file, text: () => run('cat', [file]) };
    };
    const hostLine = (type: 'ed25519' | 'ecdsa' = 'ed25519', name = nameInKnownHosts(stand.get().host)) =>
      `${name} ${stand.get().host.hostKey(type).publicLine.split(' ').slice(0, 2).join(' ')}`;
    const otherLine = async (type: KeyKind = 'ed25519') => {
      count += 1;
      const key = await makeKey(stand.get().files.folder, `other-${count}`, { kind: type });
      return {
        line: `${nameInKnownHosts(stand.get().host)} ${key.publicLine}`,
        sha256: await sha256Of(`${key.file}.pub`),
      };
    };
    const connects = async (name: string, person = new ScriptedPerson()) => {
      expect(await output(stand.get().to(name), 'echo in', person)).toBe('in\n');
      return person;
    };

    it('that is unknown is shown, and declined: nothing is sent, nothing recorded', async () => {
      const { refusal, logSince, host } = stand.get();
      const { name, file, text } = await alias([]);
      const since = await logSince();
      const person = new ScriptedPerson();
      const failure = await refusal(name, person);
      expect(failure).toMatchObject({ reason: 'host_key_unknown', stage: 'host_key', passing: false });
      const sha256 = await sha256Of(`${host.hostKey().file}.pub`);
      expect(failure.message).toContain(sha256);
      expect(person.asked).toEqual([
        {
          kind: 'unknown_host_key',
          keyType: kind === 'ssh2' ? 'ssh-ed25519' : 'ED25519',
          sha256,
          file,
          alias: name,
          target: `tester@127.0.0.1:${host.port}`,
        },
      ]);
      expect(await text()).toBe('');
      expect(await since()).not.toContain('userauth-request');
    });

    it('that is accepted is recorded, and not asked about again', async () => {
      const plain = await alias([]);
      await connects(plain.name, new ScriptedPerson(answers({ unknown_host_key: true })));
      expect((await plain.text()).trim().split('\n')).toContain(hostLine());
      expect((await connects(plain.name)).asked).toEqual([]);
      const hashed = await alias([], ['HashKnownHosts yes']);
      await connects(hashed.name, new ScriptedPerson(answers({ unknown_host_key: true })));
      expect(await hashed.text()).toMatch(/^\|1\|/);
      expect((await connects(hashed.name)).asked).toEqual([]);
      expect(
        await run('ssh-keygen', ['-F', nameInKnownHosts(stand.get().host), '-f', hashed.file]),
      ).toContain('found: line');
    });

    it('is refused unasked where the configuration says so', async () => {
      const { name } = await alias([], ['StrictHostKeyChecking yes']);
      const person = new ScriptedPerson();
      expect(await stand.get().refusal(name, person)).toMatchObject({ reason: 'host_key_unknown' });
      expect(person.asked).toEqual([]);
    });

    it('is asked about also where the configuration would not', async () => {
      for (const value of ['no', 'accept-new']) {
        const { name } = await alias([], [`StrictHostKeyChecking ${value}`]);
        const person = new ScriptedPerson();
        expect(await stand.get().refusal(name, person)).toMatchObject({ reason: 'host_key_unknown' });
        expect(person.kinds).toEqual(['unknown_host_key']);
      }
    });

    it('that changed stops everything: old and new, file and line', async () => {
      const { refusal, logSince, host } = stand.get();
      const other = await otherLine();
      const { name, file, text } = await alias(['# old', other.line], ['StrictHostKeyChecking no']);
      const since = await logSince();
      const person = new ScriptedPerson(answers({ unknown_host_key: true, password: ['x'] }));
      const failure = await refusal(name, person);
      expect(failure).toMatchObject({ reason: 'host_key_changed', stage: 'host_key', passing: false });
      expect(failure.message).toContain(`${file}:2`);
      expect(person.asked).toEqual([]);
      expect(person.alarms).toEqual([
        {
          kind: 'changed',
          alias: name,
          target: `tester@127.0.0.1:${host.port}`,
          keyType: 'ssh-ed25519',
          expected: { type: 'ssh-ed25519', sha256: other.sha256 },
          presentedSha256: await sha256Of(`${host.hostKey().file}.pub`),
          file,
          line: 2,
        },
      ]);
      expect(await since()).not.toContain('userauth-request');
      expect(await text()).toContain(other.line);
    });

    it('that changed is compared with the record of its own type, in every notation', async () => {
      const { refusal, host } = stand.get();
      const [ed25519, ecdsa, rsa] = await Promise.all([otherLine(), otherLine('ecdsa'), otherLine('rsa')]);
      const lines = [
        ed25519.line,
        `@revoked * ${ecdsa.line.split(' ').slice(1).join(' ')}`,
        ecdsa.line,
        rsa.line,
      ];
      const plain = await alias(lines);
      const hashed = await alias(lines);
      await run('ssh-keygen', ['-q', '-H', '-f', hashed.file]);
      const authority = await alias([
        ...lines,
        `@cert-authority other ${ecdsa.line.split(' ').slice(1).join(' ')}`,
      ]);
      const presented = await sha256Of(`${host.hostKey().file}.pub`);
      for (const { name, file } of [plain, hashed, authority]) {
        const person = new ScriptedPerson();
        const failure = await refusal(name, person);
        expect(person.alarms).toMatchObject([
          {
            kind: 'changed',
            keyType: 'ssh-ed25519',
            presentedSha256: presented,
            file,
            line: 1,
            expected: { type: 'ssh-ed25519', sha256: ed25519.sha256 },
          },
        ]);
        expect(failure).toMatchObject({ reason: 'host_key_changed', stage: 'host_key' });
        for (const part of [`ssh-ed25519 ${presented}`, ed25519.sha256, `${file}:1`])
          expect(failure.message).toContain(part);
        expect(failure.message).not.toContain('rsa');
      }
    });

    it('of a type that is not on record is shown beside the one that is, with its own type', async () => {
      const { refusal, host } = stand.get();
      const rsa = await otherLine('rsa');
      const { name, file } = await alias(['# old', rsa.line], ['HostKeyAlgorithms ssh-ed25519']);
      const person = new ScriptedPerson();
      const failure = await refusal(name, person);
      const presented = await sha256Of(`${host.hostKey().file}.pub`);
      expect(person.alarms).toMatchObject([
        {
          kind: 'changed',
          keyType: 'ssh-ed25519',
          presentedSha256: presented,
          file,
          line: 2,
          expected: { type: 'ssh-rsa', sha256: rsa.sha256 },
        },
      ]);
      expect(failure.message).toContain(
        `ssh-ed25519 ${presented}, and ssh-rsa ${rsa.sha256} is known (${file}:2)`,
      );
    });

    it('that is revoked stops everything, whatever else is on record', async () => {
      const { refusal, logSince } = stand.get();
      const { name, file } = await alias([
        hostLine(),
        `@revoked * ${hostLine().split(' ').slice(1).join(' ')}`,
      ]);
      const since = await logSince();
      const person = new ScriptedPerson();
      expect(await refusal(name, person)).toMatchObject({ reason: 'host_key_revoked', stage: 'host_key' });
      expect(person.alarms).toMatchObject([{ kind: 'revoked', expected: null, file, line: 2 }]);
      expect(await since()).not.toContain('userauth-request');
    });

    it('is found hashed, among names, by pattern, by alias, and without its port', async () => {
      const { host } = stand.get();
      const { file, name: hashed } = await alias([hostLine()]);
      await run('ssh-keygen', ['-q', '-H', '-f', file]);
      expect(await run('cat', [file])).toMatch(/^\|1\|/);
      const bare = hostLine().split(' ').slice(1).join(' ');
      const among = await alias([`other,${nameInKnownHosts(host)},third ${bare}`]);
      const pattern = await alias([`[127.0.0.?]:* ${bare}`]);
      const byAlias = await alias([`cluster ${bare}`], ['HostKeyAlias cluster']);
      const noPort = await alias([`127.0.0.1 ${bare}`]);
      for (const name of [hashed, among.name, pattern.name, byAlias.name, noPort.name])
        expect((await connects(name)).asked).toEqual([]);
    });

    it("of another port or a negated name is not this host's", async () => {
      const bare = hostLine().split(' ').slice(1).join(' ');
      const port = await alias([`[127.0.0.1]:1 ${bare}`]);
      const negated = await alias([`[127.0.0.*]:*,!${nameInKnownHosts(stand.get().host)} ${bare}`]);
      for (const { name } of [port, negated])
        expect(await stand.get().refusal(name)).toMatchObject({ reason: 'host_key_unknown' });
    });

    it('of a type on record is asked for first, so that a host does not seem to have changed', async () => {
      const { name } = await alias([hostLine('ecdsa')]);
      expect((await connects(name)).asked).toEqual([]);
      const both = await alias([(await otherLine()).line, hostLine('ecdsa'), hostLine('ed25519')]);
      expect((await connects(both.name)).asked).toEqual([]);
    });

    it("proven by a certificate: the system's client only", async () => {
      const { host, files, refusal } = stand.get();
      const authority = await makeKey(files.folder, 'host-authority');
      await certifyHost(authority, host.hostKey(), '127.0.0.1');
      await host.reconfigure({
        lines: [`HostCertificate ${host.hostKey().file.replace(host.folder.path, '/mnt')}-cert.pub`],
      });
      const { name } = await alias([`@cert-authority * ${authority.publicLine}`], ['HostKeyAlias 127.0.0.1']);
      if (kind === 'openssh') {
        expect((await connects(name)).asked).toEqual([]);
      } else {
        const failure = await refusal(name);
        expect(failure).toMatchObject({ reason: 'unsupported', stage: 'host_key' });
        expect(failure.message).toContain('host certificate');
      }
      await host.reconfigure({ lines: [] });
    });
  });
}
