import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectFailure, HostTransport, PromptPort, StageReport } from '../../computer/ssh/transport';
import { openWith, output, readAll } from './channel-reading';
import { ClientFiles } from './client-files';
import { ScriptedPerson } from './prompts';
import { type SshHost, startSshd } from './ssh-host';

/** Makes the transport in question for an alias of these files. */
export type MakeTransport = (
  alias: string,
  files: ClientFiles,
  environment?: NodeJS.ProcessEnv,
) => HostTransport;

export interface Stand {
  kind: 'ssh2' | 'openssh';
  host: SshHost;
  files: ClientFiles;
  to(alias: string, environment?: NodeJS.ProcessEnv): HostTransport;
  /** Opens, expects to fail, and gives the failure; nothing may hang. */
  refusal(alias: string, prompts?: PromptPort, environment?: NodeJS.ProcessEnv): Promise<ConnectFailure>;
  /** What sshd logged since the call. */
  logSince(): Promise<() => Promise<string>>;
}

/** Real hosts on a busy machine take their time, ms. */
export const patienceMs = 60_000;

export function makeStand(kind: Stand['kind'], make: MakeTransport): { get(): Stand } {
  let stand: Stand | undefined;
  beforeAll(async () => {
    const files = await ClientFiles.make();
    const host = await startSshd({ authorizedKeys: [files.key.publicLine] });
    await files.add('box', host);
    await files.trust(host);
    const to: Stand['to'] = (alias, environment) => make(alias, files, environment);
    stand = {
      kind,
      host,
      files,
      to,
      refusal: (alias, prompts = new ScriptedPerson(), environment) =>
        refusalOf(to(alias, environment), prompts),
      logSince: async () => {
        const before = (await host.log()).length;
        return async () => (await host.log()).slice(before);
      },
    };
  }, patienceMs);
  afterAll(async () => {
    await stand?.host.stop();
    await stand?.files.remove();
  }, patienceMs);
  return {
    get: () => {
      if (!stand) throw new Error('The stand is not up yet.');
      return stand;
    },
  };
}

export async function refusalOf(transport: HostTransport, prompts: PromptPort): Promise<ConnectFailure> {
  const stages: StageReport[] = [];
  let channel: Awaited<ReturnType<typeof openWith>>;
  try {
    channel = await openWith(transport, 'true', prompts, stages);
  } catch (error) {
    const failure = error as ConnectFailure;
    // What failed is told at its stage as well, with the same words.
    expect(
      stages.filter(({ state }) => state === 'failed').map(({ stage, message }) => ({ stage, message })),
    ).toEqual([{ stage: failure.stage, message: failure.message }]);
    return failure;
  }
  channel.close();
  throw new Error('It connected.');
}

/** The command both ways, its end, and what does not go along. */
export function channelCases(kind: Stand['kind'], make: MakeTransport): void {
  describe('the channel', { timeout: patienceMs }, () => {
    const stand = makeStand(kind, make);
    const nobody = new ScriptedPerson();

    it('carries bytes both ways, ends its input, tells how the command ended', async () => {
      const { to, host } = stand.get();
      const stages: StageReport[] = [];
      const channel = await openWith(to('box'), 'cat; echo done >&2; exit 3', nobody, stages);
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 255));
      channel.stream.end(bytes);
      expect((await readAll(channel)).equals(bytes)).toBe(true);
      expect((await channel.closed).reason).toBe(
        `The command on tester@127.0.0.1:${host.port} ended with exit code 3. done`,
      );
      expect(stages.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
        ...['resolve running', 'resolve ok', 'tcp running', 'tcp ok', 'host_key running', 'host_key ok'],
        ...['auth running', 'auth ok', 'shell running', 'shell ok'],
      ]);
      expect(nobody.asked).toEqual([]);
    });

    it('keeps every byte when keys are exchanged anew in the middle', async () => {
      const { to, host, logSince } = stand.get();
      await host.reconfigure({ lines: ['RekeyLimit 256K', 'KexAlgorithms curve25519-sha256'] });
      const since = await logSince();
      const channel = await openWith(to('box'), 'cat', nobody);
      const block = Buffer.from(Array.from({ length: 65_537 }, (_, index) => (index * 31) & 255));
      const whole = Buffer.concat(Array.from({ length: 48 }, () => block));
      channel.stream.end(whole);
      expect((await readAll(channel)).equals(whole)).toBe(true);
      channel.close();
      await channel.closed;
      expect(
        (await since()).split('rekeying in progress').length +
          (await since()).split('set_newkeys: rekeying').length,
      ).toBeGreaterThan(4);
      await host.reconfigure({ lines: [] });
    });

    it('asks for no terminal, no agent and no display', async () => {
      const { to } = stand.get();
      const environment = { ...process.env, SSH_AUTH_SOCK: '/nowhere', DISPLAY: ':7', LANG: 'C' };
      expect(
        await output(
          to('box', environment),
          'tty; echo "$SSH_AUTH_SOCK$DISPLAY$WAYMARK_ASKPASS_DIR"',
          nobody,
        ),
      ).toBe('not a tty\n\n');
    });

    it('is gone at once when it is closed here, and says so', async () => {
      const { to, host } = stand.get();
      const channel = await openWith(to('box'), 'echo $$; exec sleep 1000', nobody);
      const pid = await new Promise<string>((resolve) =>
        channel.stream.once('data', (bytes) => resolve(String(bytes).trim())),
      );
      channel.close();
      expect(await channel.closed).toEqual({ reason: 'It was closed here.' });
      await host.shell(`while kill -0 ${pid} 2>/dev/null; do kill ${pid} 2>/dev/null || :; done`);
    });

    it('works where a host allows one session, and says when it allows none', async () => {
      const { to, host, refusal } = stand.get();
      await host.reconfigure({ lines: ['MaxSessions 1'] });
      expect(await output(to('box'), 'echo one', nobody)).toBe('one\n');
      await host.reconfigure({ lines: ['MaxSessions 0'] });
      const failure = await refusal('box');
      expect(failure).toMatchObject({ reason: 'channel_refused', stage: 'shell', passing: false });
      expect(failure.message).toContain('MaxSessions 0');
      await host.reconfigure({ lines: [] });
    });

    it('ends with the connection, and says what was the matter', async () => {
      const { to, host } = stand.get();
      const channel = await openWith(to('box'), 'echo up; exec sleep 1000', nobody);
      await new Promise((resolve) => channel.stream.once('data', resolve));
      await host.shell('pkill -KILL -f "^sshd: tester"', 'root');
      channel.stream.resume();
      expect((await channel.closed).reason).toContain(
        `The connection to tester@127.0.0.1:${host.port} ended`,
      );
      // What is written now goes nowhere, and nothing waits for it.
      await new Promise<void>((resolve) => channel.stream.end('late', () => resolve()));
    });
  });
}
