import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { ConnectFailure } from '../transport';
import { resolveHost } from './resolve-host';
import { listAliases } from './ssh-config';

const noSsh = namespacesMissing?.startsWith('not installed') ? namespacesMissing : undefined;

describe.skipIf(noSsh)(`resolving a host${noSsh ? `: ${noSsh}` : ''}`, () => {
  let folder: string;
  let configFile: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-config-'));
    configFile = join(folder, 'config');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const configure = (text: string) => writeFile(configFile, text);
  const resolve = (alias: string) => resolveHost(alias, { configFile });
  const setting = (host: Awaited<ReturnType<typeof resolveHost>>, name: string) =>
    host.settings.filter((one) => one.name === name);

  it('takes name, user, port and files from the configuration, and says from which line', async () => {
    await configure(`# hosts
Host gpu-*
  HostName %h.example.com
  IdentityFile ~/.ssh/k-%r-%p
  User "me"
Host *
  Port = 2222
  UserKnownHostsFile ${folder}/known
  IdentityFile /keys/common
`);
    const host = await resolve('gpu-3');
    expect(host).toMatchObject({
      alias: 'gpu-3',
      hostName: 'gpu-3.example.com',
      user: 'me',
      port: 2222,
      jumps: [],
      proxyCommand: null,
      identityFiles: [join(userInfo().homedir, '.ssh/k-me-2222'), '/keys/common'],
      userKnownHostsFiles: [join(folder, 'known')],
      knownHostsFiles: [join(folder, 'known'), '/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2'],
      strictHostKeyChecking: 'ask',
      identitiesConfigured: true,
      needsOpenSsh: [],
      addressFamily: 0,
      passwordPrompts: 3,
      authentications: ['publickey', 'keyboard-interactive', 'password'],
    });
    expect(setting(host, 'HostName')).toEqual([
      { name: 'HostName', value: 'gpu-3.example.com', from: `${configFile}:3` },
    ]);
    expect(setting(host, 'Port')[0]?.from).toBe(`${configFile}:7`);
    expect(setting(host, 'IdentityFile').map(({ from }) => from)).toEqual([
      `${configFile}:4`,
      `${configFile}:9`,
    ]);
    expect(setting(host, 'PreferredAuthentications')).toEqual([]);
    expect(setting(host, 'GlobalKnownHostsFile')[0]?.from).toBeNull();
  });

  it('follows Include and Match, also one that runs a command', async () => {
    await mkdir(join(folder, 'more.d'));
    await writeFile(join(folder, 'more.d', '10-a.conf'), 'Host box second\n  HostName 192.0.2.7\n');
    await writeFile(
      join(folder, 'more.d', '20-b.conf'),
      `Match originalhost box user ${userInfo().username}\n  Port 29\n`,
    );
    await configure(`Include ${folder}/more.d/*.conf
Match exec "test %n = box"
  User fromexec
Match host 192.0.2.* !user nobody
  ConnectTimeout 7
Host !box *
  User other
`);
    const host = await resolve('box');
    expect(host).toMatchObject({ hostName: '192.0.2.7', user: 'fromexec', port: 29, connectTimeoutMs: 7000 });
    expect(setting(host, 'HostName')[0]?.from).toBe(`${folder}/more.d/10-a.conf:2`);
    expect(setting(host, 'User')[0]?.from).toBe(`${configFile}:3`);
    expect(setting(host, 'Port')[0]?.from).toBe(`${folder}/more.d/20-b.conf:2`);
    expect((await resolve('second')).user).toBe('other');
    expect(await listAliases({ configFile })).toEqual(['box', 'second']);
  });

  it('is not sure where a value comes from when two lines could have given it', async () => {
    await configure('Match exec "false"\n  User twice\nHost *\n  User twice\n');
    const host = await resolve('any');
    expect(host.user).toBe('twice');
    expect(setting(host, 'User')[0]?.from).toBeNull();
  });

  it('resolves every jump host by itself, outermost first, as ssh goes', async () => {
    await configure(`Host inner
  HostName 192.0.2.1
  ProxyJump middle,bob@last:2200
Host middle
  HostName 192.0.2.2
  ProxyJump outer
Host outer
  HostName 192.0.2.3
  ProxyCommand nc %h %p
Host last
  HostName 192.0.2.4
  ProxyCommand never
`);
    const host = await resolve('inner');
    expect(host.jumps).toEqual(['outer', 'middle', 'bob@last:2200']);
    expect(host.via.map(({ user, hostName, port }) => [hostName, port, user === 'bob'])).toEqual([
      ['192.0.2.3', 22, false],
      ['192.0.2.2', 22, false],
      ['192.0.2.4', 2200, true],
    ]);
    expect(host.via.map(({ proxyCommand }) => proxyCommand)).toEqual(['nc 192.0.2.3 22', null, null]);
  });

  it('refuses a way that goes in a circle', async () => {
    await configure('Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n');
    await expect(resolve('a')).rejects.toThrow('loops: a through b through a.');
  });

  it('never weakens the check of host keys, and says what it made of the configuration', async () => {
    await configure(
      'Host no\n  StrictHostKeyChecking no\nHost new\n  StrictHostKeyChecking accept-new\nHost yes\n  StrictHostKeyChecking yes\n',
    );
    const [no, accept, yes] = [await resolve('no'), await resolve('new'), await resolve('yes')];
    expect([no, accept, yes].map((host) => host.strictHostKeyChecking)).toEqual(['ask', 'ask', 'yes']);
    expect(setting(no, 'StrictHostKeyChecking')[0]).toEqual({
      name: 'StrictHostKeyChecking',
      value: 'ask (configured: no; here a person always decides about an unknown key)',
      from: `${configFile}:2`,
    });
    expect(setting(accept, 'StrictHostKeyChecking')[0]?.value).toContain('configured: accept-new');
    expect(setting(yes, 'StrictHostKeyChecking')[0]?.value).toBe('yes');
  });

  it("names what only the system's client can do", async () => {
    await writeFile(
      join(folder, 'fido.pub'),
      'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t\n',
    );
    await configure(`Host cert
  CertificateFile ${folder}/c
Host fido
  IdentityFile ${folder}/fido
Host token
  PKCS11Provider /lib/token.so
Host kerberos
  GSSAPIAuthentication yes
Host based
  PreferredAuthentications hostbased
  HostbasedAuthentication yes
Host old
  KexAlgorithms diffie-hellman-group14-sha1
  Ciphers aes128-cbc
Host revoked
  RevokedHostKeys ${folder}/revoked
Host through
  ProxyJump cert
`);
    const needs = async (alias: string) => (await resolve(alias)).needsOpenSsh;
    expect(await needs('cert')).toEqual([`certificates (CertificateFile ${folder}/c)`]);
    expect(await needs('fido')).toEqual([`security keys (FIDO) (${folder}/fido)`]);
    expect(await needs('token')).toEqual(['PKCS#11 (PKCS11Provider /lib/token.so)']);
    expect(await needs('kerberos')).toEqual(['GSSAPI (GSSAPIAuthentication yes)']);
    expect(await needs('based')).toEqual([
      'host-based login (HostbasedAuthentication yes)',
      'login by hostbased',
    ]);
    expect(await needs('old')).toEqual(['KexAlgorithms diffie-hellman-group14-sha1', 'Ciphers aes128-cbc']);
    expect(await needs('revoked')).toEqual([`RevokedHostKeys ${folder}/revoked`]);
    expect(await needs('through')).toEqual([
      `certificates (CertificateFile ${folder}/c) (for cert, on the way)`,
    ]);
    expect(await needs('plain')).toEqual([]);
  });

  it('never takes an alias for an option', async () => {
    await configure('');
    const shell = ['a$(touch$IFS/tmp/x)', 'a;x', 'a`x`', "a'", 'a"', 'a|x', 'a&x', 'a\\x', 'a\u202e', 'a*'];
    const options = ['-oProxyCommand=touch /tmp/x', '-V', 'me@-oProxyCommand=x'];
    for (const alias of [...options, '', 'a b', 'local', ...shell])
      await expect(resolve(alias)).rejects.toMatchObject({ reason: 'config', stage: 'resolve' });
    const seen: string[][] = [];
    const run = async (args: readonly string[]) => {
      seen.push([...args]);
      return { code: 0, stdout: 'user u\nhostname h\nport 22\n', stderr: '' };
    };
    await resolveHost('me@box', { configFile, run });
    expect(seen).toEqual([['-F', configFile, '-G', '-T', '--', 'me@box']]);
  });

  it('says what is wrong with a configuration, and what to install without ssh', async () => {
    await configure('Host x\n  Nonsense 3\n');
    const wrong = await resolve('x').catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(ConnectFailure);
    expect(String(wrong)).toContain(`${configFile}: line 2: Bad configuration option: nonsense`);
    await expect(resolveHost('x', { program: '/nowhere/ssh' })).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('Install the OpenSSH client'),
    });
  });

  it('asks the agent the configuration names', async () => {
    await configure(
      'Host none\n  IdentityAgent none\nHost path\n  IdentityAgent ~/agent-%n\nHost variable\n  IdentityAgent $OTHER\n',
    );
    const socket = async (alias: string) =>
      (
        await resolveHost(alias, {
          configFile,
          environment: { ...process.env, SSH_AUTH_SOCK: '/s', OTHER: '/o' },
        })
      ).agentSocket;
    expect(await socket('plain')).toBe('/s');
    expect(await socket('none')).toBeNull();
    expect(await socket('path')).toBe(join(userInfo().homedir, 'agent-path'));
    expect(await socket('variable')).toBe('/o');
  });
});
