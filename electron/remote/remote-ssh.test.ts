import { join, resolve } from 'node:path';
import type { TransportKind } from '@shared/contract/computers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTransport } from '../computer/ssh/create-hosts';
import { cacheFolder, currentRuntime } from '../store/file/native-binding';
import { eventually } from '../testing/deadline';
import { cliEntry, RemoteWindow, requireBuilt, root } from '../testing/remote-stand';
import { ClientFiles } from '../testing/ssh/client-files';
import { namespacesMissing } from '../testing/ssh/namespaces';
import { type SshHost, startSshHost } from '../testing/ssh/ssh-host';
import { temporaryFolder } from '../testing/store-fixtures';

const resourcesDir = resolve(import.meta.dirname, '../../resources');
/** A dead link is known after 15 s; a busy machine starts programs slowly. */
const slowMs = 60_000;

describe.skipIf(namespacesMissing)(
  `a workspace over a real sshd${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  { timeout: 180_000 },
  () => {
    let host: SshHost;
    let files: ClientFiles;

    beforeAll(async () => {
      requireBuilt();
      files = await ClientFiles.make();
      host = await startSshHost({
        homeBytes: 1 << 30,
        authorizedKeys: [files.key.publicLine],
        also: [root, cacheFolder(currentRuntime())],
      });
      await files.add('box', host);
      await files.trust(host);
    });
    afterAll(async () => {
      await host.stop();
      await files.remove();
    });

    test.each<TransportKind>([
      'ssh2',
      'openssh',
    ])('through %s: a run goes on while the link is dead, and what was written meanwhile arrives once', async (kind) => {
      const connect = createTransport({ resourcesDir, configFile: files.configFile });
      const data = join(temporaryFolder(), 'data');
      const open = (name: string) => {
        const window = new RemoteWindow({ data, name, transport: (alias) => connect(alias, kind) });
        onTestFinished(() => window.desk.dispose());
        return window;
      };
      const ada = open('Ada');
      const folder = `${host.home}/work ${kind}`;
      // Root's set-up keeps what it built where everybody may read it.
      const cache = cacheFolder(currentRuntime());
      const command = `env WAYMARK_CACHE=${cache} ${process.execPath} ${cliEntry}`;
      expect(await ada.desk.open({ alias: 'box', folder, command })).toMatchObject({ state: 'up', folder });

      const { run } = await ada.ask('demo.start', undefined);
      await eventually('the window hears the run live', () => ada.heard('run.changed').length > 0, slowMs);
      await eventually(
        'it has a step',
        async () => (await ada.ask('runs.summary', { run })).steps > 0,
        slowMs,
      );
      const [session] = await eventually(
        'it has a terminal',
        async () => {
          const list = await ada.ask('sessions.list', { run });
          return list.length > 0 ? list : null;
        },
        slowMs,
      );
      await ada.ask('sessions.watch', { run, uids: [session?.uid ?? ''] });
      const page = await ada.ask('sessions.read', {
        run,
        uid: session?.uid ?? '',
        offset: 0,
        maxBytes: 4_096,
        live: 1,
      });
      expect(page.bytes).toBeInstanceOf(Uint8Array);
      await ada.ask('labels.apply', { run, from: 1, to: 1, value: 'train', reason: null });

      // The cable is pulled; inside the host everything goes on.
      await host.network?.linkDown();
      await ada.until('the dead link is noticed', ({ state }) => state !== 'up', slowMs);
      const hint = await ada.ask('hints.queue', { run, text: 'Written offline.', category: 'other' });
      await ada.ask('labels.comment', { run, step: 1, text: 'Offline as well.' });
      await ada.ask('labels.flag', { run, step: 1, on: true });
      expect(ada.status().waiting).toBe(3);
      await eventually(
        'the run ends without anybody looking',
        // The bracket keeps the question from finding itself.
        async () => (await host.shell("pgrep -fc 'run [r]esume' || true")).trim() === '0',
        slowMs,
      );
      await host.network?.linkUp();
      ada.desk.retryNow('box');
      const { refused } = await ada.until(
        'everything was delivered or refused',
        ({ state, waiting }) => state === 'up' && waiting === 0,
        slowMs,
      );
      // The run has ended meanwhile: a hint comes too late for it, what is said about its steps does not.
      expect(refused).toMatchObject([{ command: 'hints.queue', text: 'Written offline.', run }]);
      const { hints } = await ada.ask('hints.list', { run });
      expect(hints.map(({ id }) => id)).not.toContain(hint.id);
      const { history } = await ada.ask('step.labels', { run, step: 1 });
      expect(history.map(({ body, author }) => [body.op, author.name])).toEqual([
        ['label', 'Ada'],
        ['comment', 'Ada'],
        ['flag', 'Ada'],
      ]);
      expect(await ada.ask('runs.verify', { run })).toMatchObject({ ok: true });
      expect(ada.errors).toEqual([]);
    });
  },
);
