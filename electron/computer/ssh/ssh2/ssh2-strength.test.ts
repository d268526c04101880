import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { output } from '../../../testing/ssh/channel-reading';
import { ClientFiles } from '../../../testing/ssh/client-files';
import { refusalOf } from '../../../testing/ssh/connect-cases';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { ScriptedPerson } from '../../../testing/ssh/prompts';
import { type SshHost, startSshd } from '../../../testing/ssh/ssh-host';
import { offeredAlgorithms } from './ssh2-algorithms';
import { Ssh2Transport } from './ssh2-transport';

const everything = { kex: [], ciphers: [], macs: [], hostKeys: [] };

describe('algorithms', () => {
  it('keep to what the configuration allows, known types of keys first', () => {
    const offered = offeredAlgorithms(
      {
        ...everything,
        ciphers: ['aes256-ctr', 'aes128-cbc'],
        hostKeys: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
      },
      new Set(['ssh-rsa']),
    );
    expect(offered.cipher).toEqual(['aes256-ctr']);
    expect(offered.serverHostKey).toEqual([
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
    ]);
    expect(offered.compress).toEqual(['none']);
  });

  it('are modern only', () => {
    const { kex, cipher, hmac, serverHostKey } = offeredAlgorithms(everything, new Set());
    expect(
      [...kex, ...cipher, ...hmac, ...serverHostKey].filter((name) =>
        /sha1$|-sha1-|cbc|arcfour|md5|dss|^ssh-rsa$|group1[0-5]?-|group-exchange/.test(name),
      ),
    ).toEqual([]);
  });
});

describe.skipIf(namespacesMissing)(
  `strength towards a real host${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    let host: SshHost;
    let files: ClientFiles;
    const to = (alias: string) => new Ssh2Transport(alias, { configFile: files.configFile });
    beforeAll(async () => {
      files = await ClientFiles.make();
      host = await startSshd({ authorizedKeys: [files.key.publicLine] });
      await files.add('box', host);
      await files.trust(host);
    }, 60_000);
    afterAll(async () => {
      await host.stop();
      await files.remove();
    }, 60_000);

    it('is what the host sees offered: strict key exchange, nothing old', async () => {
      await host.reconfigure({ lines: ['LogLevel DEBUG3'] });
      const before = (await host.log()).length;
      expect(await output(to('box'), 'echo in', new ScriptedPerson())).toBe('in\n');
      const proposal =
        (await host.log())
          .slice(before)
          .split('peer client KEXINIT proposal')[1]
          ?.split('kex: algorithm')[0] ?? '';
      const list = (name: string) =>
        new RegExp(`${name}: (.*?) \\[preauth\\]`).exec(proposal)?.[1]?.split(',');
      expect(list('KEX algorithms')).toEqual([
        ...['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384'],
        ...[
          'ecdh-sha2-nistp521',
          'diffie-hellman-group16-sha512',
          'ext-info-c',
          'kex-strict-c-v00@openssh.com',
        ],
      ]);
      expect(list('host key algorithms')?.[0]).toBe('ssh-ed25519');
      expect(list('MACs ctos')).toEqual(list('MACs stoc'));
      expect(list('compression ctos')).toEqual(['none']);
      expect(proposal).not.toMatch(/sha1|cbc|md5|ssh-rsa|ssh-dss|zlib/);
      await host.reconfigure({ lines: [] });
    });

    it('is not given up for a host that has nothing better', async () => {
      await host.reconfigure({
        lines: ['KexAlgorithms diffie-hellman-group14-sha1,diffie-hellman-group14-sha256'],
      });
      const failure = await refusalOf(to('box'), new ScriptedPerson());
      expect(failure).toMatchObject({ reason: 'algorithms', stage: 'host_key', passing: false });
      expect(failure.message).toContain('no matching key exchange algorithm');
      await host.reconfigure({ lines: [] });
    });

    it('signs with no RSA key where the host takes SHA-1 only', async () => {
      const key = await files.makeKey('rsa', { kind: 'rsa' });
      await files.add('sha1', host, [`IdentityFile ${key.file}`, 'PreferredAuthentications publickey']);
      await host.reconfigure({
        authorizedKeys: [key.publicLine],
        lines: ['PubkeyAcceptedAlgorithms ssh-rsa'],
      });
      const before = (await host.log()).length;
      expect(await refusalOf(to('sha1'), new ScriptedPerson())).toMatchObject({
        reason: 'auth',
        stage: 'auth',
      });
      expect((await host.log()).slice(before)).not.toContain('Accepted publickey');
      await host.reconfigure({ lines: [] });
      expect(await output(to('sha1'), 'echo in', new ScriptedPerson())).toBe('in\n');
    });
  },
);
