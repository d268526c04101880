import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type ResolvedHost, ResolvedSettings } from '../config/resolved-host';
import { sshArguments } from './openssh-command';

const host = (alias: string, via: ResolvedHost[] = []): ResolvedHost => ({
  target: { alias },
  via,
  raw: new ResolvedSettings('sessiontype default\nverifyhostkeydns true\nupdatehostkeys ask\n'),
  alias,
  user: 'u',
  hostName: `${alias}.example`,
  port: 22,
  jumps: via.map((hop) => hop.alias),
  proxyCommand: null,
  identityFiles: [],
  identitiesConfigured: false,
  knownHostsFiles: [],
  userKnownHostsFiles: [],
  hostKeyAlias: null,
  strictHostKeyChecking: 'ask',
  hashKnownHosts: false,
  identitiesOnly: false,
  agentSocket: null,
  certificateFiles: [],
  authentications: [],
  passwordPrompts: 3,
  connectTimeoutMs: null,
  addressFamily: 0,
  bindAddress: null,
  settings: [],
  needsOpenSsh: [],
});

/** The value of `-o ProxyCommand=…`, with ssh's `%%` undone. */
const wayOf = (args: string[]) =>
  args
    .find((arg) => arg.startsWith('ProxyCommand='))
    ?.slice('ProxyCommand='.length)
    .replaceAll('%%', '%');

/** The words that a shell makes of a command, its assignments aside. */
const wordsOf = (command: string) => {
  const { stdout } = spawnSync('sh', ['-c', `set -- ${command}; for word; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  });
  return stdout.split('\0').slice(0, -1);
};

describe("the call of the system's ssh", () => {
  const odd = "/tmp/it's a 100%h file";
  const args = sshArguments(
    host('box', [host('outer'), host('inner')]),
    'echo "%h" \'x\'',
    { configFile: odd, program: '/opt/ssh' },
    '/run/log',
  );

  it('says on the command line what must hold', () => {
    const settings = args.filter((_arg, index) => args[index - 1] === '-o');
    expect(settings).toEqual(
      expect.arrayContaining([
        ...['BatchMode=no', 'StrictHostKeyChecking=ask', 'NoHostAuthenticationForLocalhost=no'],
        ...[
          'ServerAliveInterval=5',
          'ServerAliveCountMax=2',
          'ConnectTimeout=15',
          'ForwardAgent=no',
          'ForwardX11=no',
        ],
        ...['PermitLocalCommand=no', 'RemoteCommand=none', 'ControlMaster=no', 'ControlPath=none'],
        ...['ClearAllForwardings=yes', 'VerifyHostKeyDNS=ask', 'UpdateHostKeys=no', 'SessionType=default'],
      ]),
    );
    // What this version of ssh does not know is not said.
    expect(settings.some((setting) => setting.startsWith('StdinNull'))).toBe(false);
    expect(args.slice(0, 4)).toEqual(['-F', odd, '-E', '/run/log/hop-2.log']);
    expect(args.slice(-4)).toEqual(['-T', '--', 'box', 'echo "%h" \'x\'']);
  });

  it('brings every word through the shells of the jump hosts unharmed', () => {
    const inner = wordsOf(wayOf(args) ?? '');
    expect(inner.slice(0, 5)).toEqual(['env', 'WAYMARK_ASKPASS_HOP=1', '/opt/ssh', '-F', odd]);
    expect(inner.slice(-4)).toEqual(['-W', '[box.example]:22', '--', 'inner']);
    expect(inner).toContain('StrictHostKeyChecking=ask');
    const outer = wordsOf(wayOf(inner) ?? '');
    expect(outer.slice(0, 5)).toEqual(['env', 'WAYMARK_ASKPASS_HOP=0', '/opt/ssh', '-F', odd]);
    expect(outer.slice(-4)).toEqual(['-W', '[inner.example]:22', '--', 'outer']);
    expect(wayOf(outer)).toBeUndefined();
  });
});
