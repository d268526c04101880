import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent, type TestAgent } from './agent';
import { output } from './channel-reading';
import { nameInKnownHosts } from './client-files';
import { type MakeTransport, makeStand, patienceMs, type Stand } from './connect-cases';
import { startKeyboardServer } from './keyboard-server';
import { certify, makeKey } from './keys';
import { answers, ScriptedPerson } from './prompts';
import { testerPassword } from './ssh-host';

/** Every way to log in, and what is said when none works. */
export function loginCases(kind: Stand['kind'], make: MakeTransport): void {
  describe('logging in', { timeout: patienceMs }, () => {
    const stand = makeStand(kind, make);
    let agent: TestAgent;
    beforeAll(async () => {
      agent = await startAgent(stand.get().files.folder);
    }, patienceMs);
    afterAll(() => agent.stop());
    const noKeys = ['PubkeyAuthentication no'];
    const enters = async (alias: string, person = new ScriptedPerson(), environment?: NodeJS.ProcessEnv) => {
      expect(await output(stand.get().to(alias, environment), 'echo in', person)).toBe('in\n');
      return person;
    };

    it('by password: one question for the host and its one channel', async () => {
      const { files, host } = stand.get();
      await files.add('pw', host, [...noKeys, 'PreferredAuthentications password']);
      const person = await enters('pw', new ScriptedPerson(answers({ password: [testerPassword] })));
      expect(person.asked).toEqual([
        { kind: 'password', attempt: 1, alias: 'pw', target: `tester@127.0.0.1:${host.port}` },
      ]);
    });

    it('by password: three wrong ones are the end, and it says what was tried and what the host takes', async () => {
      const { refusal } = stand.get();
      const person = new ScriptedPerson(answers({ password: ['a', 'b', 'c', testerPassword] }));
      const failure = await refusal('pw', person);
      expect(failure).toMatchObject({ reason: 'auth', stage: 'auth', passing: false });
      expect(failure.message).toMatch(/Tried: .*password/);
      expect(failure.message).toContain('The host takes: publickey');
      expect(failure.message).not.toContain('correct');
      expect(person.asked.map((question) => 'attempt' in question && question.attempt)).toEqual([1, 2, 3]);
    });

    it('is called off when a question is declined', async () => {
      const person = new ScriptedPerson();
      const failure = await stand.get().refusal('pw', person);
      expect(failure).toMatchObject({ reason: 'cancelled', stage: 'auth', passing: false });
      expect(person.kinds).toEqual(['password']);
    });

    it('by a key with a passphrase, asked for only when the host wants the key', async () => {
      const { files, host } = stand.get();
      const locked = await files.makeKey('locked', { passphrase: 'open sesame' });
      const foreign = await files.makeKey('foreign', { passphrase: 'never asked' });
      const pem = await files.makeKey('pem', { kind: 'rsa', passphrase: 'old form', format: 'PEM' });
      await host.reconfigure({ authorizedKeys: [files.key.publicLine, locked.publicLine, pem.publicLine] });
      await files.add('lk', host, [`IdentityFile ${foreign.file}`, `IdentityFile ${locked.file}`]);
      const person = await enters(
        'lk',
        new ScriptedPerson(answers({ passphrase: ['wrong', 'open sesame'] })),
      );
      expect(person.asked).toMatchObject([
        { kind: 'passphrase', keyFile: locked.file, attempt: 1 },
        { kind: 'passphrase', keyFile: locked.file, attempt: 2 },
      ]);
      await files.add('lp', host, [`IdentityFile ${pem.file}`]);
      expect(
        (await enters('lp', new ScriptedPerson(answers({ passphrase: ['old form'] })))).asked,
      ).toMatchObject([{ kind: 'passphrase', keyFile: pem.file }]);
    });

    it('passes a key over whose passphrase is not known', async () => {
      const { files, host } = stand.get();
      await files.add('lk3', host, [
        `IdentityFile ${files.folder}/locked`,
        'PreferredAuthentications publickey,password',
      ]);
      const person = await enters(
        'lk3',
        new ScriptedPerson(
          answers({ passphrase: ['1', '2', '3', 'open sesame'], password: [testerPassword] }),
        ),
      );
      expect(person.kinds).toEqual(['passphrase', 'passphrase', 'passphrase', 'password']);
    });

    it.each(['ecdsa', 'rsa'] as const)('by a key of type %s', async (type) => {
      const { files, host } = stand.get();
      const key = await files.makeKey(`key-${type}`, {
        kind: type,
        ...(type === 'rsa' ? { format: 'PKCS8' } : {}),
      });
      await host.reconfigure({ authorizedKeys: [key.publicLine] });
      await files.add(`by-${type}`, host, [`IdentityFile ${key.file}`]);
      await enters(`by-${type}`);
    });

    it('by a key that only the agent has', async () => {
      const { files, host } = stand.get();
      const key = await makeKey(files.folder, 'in-agent');
      const other = await makeKey(files.folder, 'not-wanted');
      await agent.add(other.file);
      await agent.add(key.file);
      await host.reconfigure({ authorizedKeys: [key.publicLine] });
      const environment = { ...process.env, SSH_AUTH_SOCK: agent.socket };
      const nothing = `IdentityFile ${files.folder}/none`;
      await files.add('ag', host, [nothing, 'IdentityAgent SSH_AUTH_SOCK', 'IdentitiesOnly no']);
      await enters('ag', new ScriptedPerson(), environment);
      await files.add('ag-path', host, [`IdentityFile ${key.file}.pub`, `IdentityAgent ${agent.socket}`]);
      await enters('ag-path');
      const only = ['PreferredAuthentications publickey', nothing, `IdentityAgent ${agent.socket}`];
      await files.add('ag-only', host, [...only, 'IdentitiesOnly yes']);
      expect(await stand.get().refusal('ag-only')).toMatchObject({ reason: 'auth' });
    });

    it('by two proofs, one after the other', async () => {
      const { files, host } = stand.get();
      const key = await makeKey(files.folder, 'second-of-agent');
      await agent.add(key.file);
      await host.reconfigure({
        authorizedKeys: [files.key.publicLine, key.publicLine],
        lines: ['AuthenticationMethods publickey,password'],
      });
      await files.add('two', host);
      const person = await enters('two', new ScriptedPerson(answers({ password: [testerPassword] })));
      expect(person.kinds).toEqual(['password']);
      await files.add('two-agent', host, [`IdentityFile ${key.file}`, `IdentityAgent ${agent.socket}`]);
      expect(
        (await enters('two-agent', new ScriptedPerson(answers({ password: [testerPassword] })))).kinds,
      ).toEqual(['password']);
      await host.reconfigure({ lines: ['AuthenticationMethods publickey,publickey'] });
      await files.add('two-keys', host, [
        ...[
          'PreferredAuthentications publickey',
          `IdentityFile ${files.key.file}`,
          `IdentityFile ${key.file}`,
        ],
        `IdentityAgent ${agent.socket}`,
      ]);
      await enters('two-keys');
      await host.reconfigure({ lines: [] });
    });

    it('in several rounds of questions', async () => {
      const { files, host } = stand.get();
      const server = await startKeyboardServer(host.hostKey(), [
        {
          name: 'Cluster',
          instructions: 'Two factors, please.',
          prompts: [{ prompt: 'Password: ', echo: false }],
          expected: ['p'],
        },
        { name: '', instructions: '', prompts: [{ prompt: 'Code: ', echo: false }], expected: ['123 456'] },
      ]);
      try {
        await files.add('2fa', server);
        await files.know(`${nameInKnownHosts(server)} ${host.hostKey().publicLine}`);
        const person = await enters('2fa', new ScriptedPerson(answers({ keyboard: [['p'], ['123 456']] })));
        expect(server.answers).toEqual([['p'], ['123 456']]);
        expect(
          person.asked.map((question) => question.kind === 'keyboard' && question.fields[0]?.prompt.trim()),
        ).toEqual(['Password:', 'Code:']);
        if (kind === 'ssh2')
          expect(person.asked[0]).toMatchObject({
            name: 'Cluster',
            instructions: 'Two factors, please.',
            round: 1,
          });
        const wrong = new ScriptedPerson(answers({ keyboard: [['p'], ['0'], ['p'], ['1'], ['x']] }));
        expect(await stand.get().refusal('2fa', wrong)).toMatchObject({ reason: 'auth', stage: 'auth' });
        expect(await stand.get().refusal('2fa')).toMatchObject({ reason: 'cancelled' });
      } finally {
        await server.stop();
      }
    });

    it("by a certificate: the system's client only, which the other one says", async () => {
      const { files, host, refusal } = stand.get();
      const authority = await makeKey(files.folder, 'authority');
      const key = await makeKey(files.folder, 'certified');
      await certify(authority, key, 'tester');
      await host.shell(`echo '${authority.publicLine}' > /mnt/authority.pub`, 'root');
      await host.reconfigure({ authorizedKeys: [], lines: ['TrustedUserCAKeys /mnt/authority.pub'] });
      await files.add('cert', host, [`IdentityFile ${key.file}`]);
      await files.add('cert-named', host, [
        `IdentityFile ${key.file}`,
        `CertificateFile ${key.file}-cert.pub`,
      ]);
      for (const alias of ['cert', 'cert-named']) {
        if (kind === 'openssh') {
          await enters(alias);
          continue;
        }
        const failure = await refusal(alias);
        expect(failure).toMatchObject({ reason: 'unsupported', stage: 'resolve' });
        expect(failure.message).toContain(`certificates (`);
        expect(failure.message).toContain("Choose the system's OpenSSH client");
      }
      await host.reconfigure({ lines: [] });
    });

    it('says which key files could not be used', async () => {
      const { files, host } = stand.get();
      await host.reconfigure({ authorizedKeys: [files.key.publicLine], lines: [] });
      await files.add('missing', host, [
        `IdentityFile ${files.folder}/nowhere`,
        'PreferredAuthentications publickey',
      ]);
      const failure = await stand.get().refusal('missing');
      expect(failure).toMatchObject({ reason: 'auth', stage: 'auth' });
      if (kind === 'ssh2') expect(failure.detail).toContain(`${files.folder}/nowhere does not exist.`);
    });

    // The system's ssh hears nothing of the host while it waits for an answer.
    const toSsh2 = kind === 'ssh2' ? it : undefined;
    toSsh2?.('withdraws its question when the host hangs up', async () => {
      const { files, host } = stand.get();
      await host.reconfigure({ lines: ['LoginGraceTime 2'] });
      await files.add('slow', host, [...noKeys, 'PreferredAuthentications password']);
      const person = new ScriptedPerson(() => new Promise(() => undefined));
      const failure = await stand.get().refusal('slow', person);
      expect(failure).toMatchObject({ reason: 'lost', stage: 'auth', passing: true });
      expect(person.withdrawn.map((question) => question.kind)).toEqual(['password']);
      await host.reconfigure({ lines: [] });
    });
  });
}
