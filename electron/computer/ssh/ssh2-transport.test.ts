import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWith, output, readAll } from '../../testing/ssh/channel-reading';
import { ClientFiles } from '../../testing/ssh/client-files';
import { namespacesMissing } from '../../testing/ssh/namespaces';
import { ScriptedPerson } from '../../testing/ssh/prompts';
import { type SshHost, startSshd } from '../../testing/ssh/ssh-host';
import { Ssh2Transport } from './ssh2-transport';
import type { StageReport } from './transport';

describe.skipIf(namespacesMissing)(
  `ssh2 to a real host${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    let host: SshHost;
    let files: ClientFiles;
    beforeAll(async () => {
      files = await ClientFiles.make();
      host = await startSshd({ authorizedKeys: [files.key.publicLine] });
      await files.add('box', host);
      await files.trust(host);
    });
    afterAll(async () => {
      await host.stop();
      await files.remove();
    });
    const to = (alias: string) => new Ssh2Transport(alias, { configFile: files.configFile });

    it('runs a command, both ways and in bytes', async () => {
      const stages: StageReport[] = [];
      const channel = await openWith(to('box'), 'cat; echo done >&2', new ScriptedPerson(), stages);
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 255));
      channel.stream.end(bytes);
      expect((await readAll(channel)).equals(bytes)).toBe(true);
      expect((await channel.closed).reason).toBe(
        `The command on tester@127.0.0.1:${host.port} ended with exit code 0. done`,
      );
      expect(stages.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
        'resolve running',
        'resolve ok',
        'tcp running',
        'tcp ok',
        'host_key running',
        'host_key ok',
        'auth running',
        'auth ok',
        'shell running',
        'shell ok',
      ]);
    });

    it('sends no environment and asks for no terminal', async () => {
      expect(await output(to('box'), 'tty; echo "$LANG$SSH_AUTH_SOCK$DISPLAY"', new ScriptedPerson())).toBe(
        'not a tty\n\n',
      );
    });
  },
);
