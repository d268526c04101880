import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientFiles } from './client-files';
import { namespacesMissing, run } from './namespaces';
import { type SshHost, startSshHost } from './ssh-host';

describe.skipIf(namespacesMissing)(
  `hosts for tests${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    let host: SshHost;
    let files: ClientFiles;
    const ssh = (command: string) =>
      run('ssh', ['-F', files.configFile, '-o', 'BatchMode=yes', 'box', command]);
    beforeAll(async () => {
      files = await ClientFiles.make();
      host = await startSshHost({ authorizedKeys: [files.key.publicLine], homeBytes: 4 << 20 });
      await files.add('box', host);
      await files.trust(host);
    }, 60_000);
    afterAll(async () => {
      await host.stop();
      await files.remove();
    }, 60_000);

    it('lets a key in, as a user of its own with its own home and processes', async () => {
      expect((await ssh('whoami; pwd; ls -A /tmp; cat /proc/1/comm')).trim()).toBe(
        'tester\n/home/tester\ninit',
      );
      expect(await host.shell('echo $HOME; whoami')).toBe('/home/tester\ntester\n');
    });

    it('has a small disk that can be full', async () => {
      await expect(host.shell('head -c 8000000 /dev/zero > big')).rejects.toThrow('No space left');
      await host.shell('rm big');
    });

    it('restarts with nothing left but its homes', async () => {
      const boot = await ssh(
        'cat /proc/sys/kernel/random/boot_id; echo kept > kept; setsid sleep 999 >/dev/null 2>&1 &',
      );
      await host.reboot();
      expect(await ssh('cat kept; pgrep sleep || echo none')).toBe('kept\nnone\n');
      expect(await ssh('cat /proc/sys/kernel/random/boot_id')).not.toBe(boot);
    });

    it('loses packets and gets its link back', async () => {
      await host.network?.drop();
      await expect(
        run('ssh', ['-F', files.configFile, '-o', 'ConnectTimeout=1', 'box', 'true']),
      ).rejects.toThrow('timed out');
      await host.network?.undrop();
      await host.network?.linkDown();
      await host.network?.linkUp();
      expect(await ssh('echo back')).toBe('back\n');
    });
  },
);
