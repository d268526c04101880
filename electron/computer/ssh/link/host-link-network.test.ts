import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemLinkClock } from '../../../clock';
import { eventually } from '../../../testing/deadline';
import { ClientFiles } from '../../../testing/ssh/client-files';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { ScriptedPerson } from '../../../testing/ssh/prompts';
import { type SshHost, startSshHost } from '../../../testing/ssh/ssh-host';
import { testHost } from '../host-test';
import { Ssh2Transport } from '../ssh2/ssh2-transport';
import { bootstrapHelper } from './connect-attempt';
import { HostLink } from './host-link';

/** Links over real ssh to a host with a network of its own, whose cable is cut in every way. Needs root and namespaces. */

const helper = bootstrapHelper(resolve(import.meta.dirname, '../../../../resources'), 'test');

describe.skipIf(namespacesMissing)(
  `links over a real network${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    let host: SshHost;
    let files: ClientFiles;
    const links: HostLink[] = [];

    beforeAll(async () => {
      files = await ClientFiles.make();
      host = await startSshHost({ authorizedKeys: [files.key.publicLine] });
      await files.add('box', host);
      await files.trust(host);
      await files.add('stranger', host, ['User nobody-here']);
    }, 60_000);
    afterEach(async () => {
      for (const link of links.splice(0)) await link.dispose();
    });
    afterAll(async () => {
      await host.stop();
      await files.remove();
    });

    const transport = (alias: string) => new Ssh2Transport(alias, { configFile: files.configFile });
    const linkTo = (alias: string) => {
      const states: string[] = [];
      const link: HostLink = new HostLink({
        alias,
        transport: transport(alias),
        helper,
        prompts: new ScriptedPerson(),
        clock: systemLinkClock,
        random: Math.random,
        onHealth: () => {
          const { state } = link.health();
          if (states.at(-1) !== state) states.push(state);
        },
      });
      links.push(link);
      link.hold();
      return { link, states };
    };
    const linked = async (alias: string) => {
      const { link, states } = linkTo(alias);
      await link.linked(new AbortController().signal);
      return { link, states };
    };

    it('are down at once when the connection is reset, and back soon after', async () => {
      const { link, states } = await linked('box');
      const before = link.client();
      await host.network?.reset();
      await eventually('the loss is noticed', () => states.includes('down'));
      expect(link.health().message).toMatch(/^box cannot be reached since/);
      await eventually('another channel', () => link.health().state === 'good' && link.client() !== before);
      await link.client().ping();
    });

    const cuts: [string, () => Promise<void> | undefined, () => Promise<void> | undefined][] = [
      ['the cable is pulled', () => host.network?.linkDown(), () => host.network?.linkUp()],
      ['every packet vanishes', () => host.network?.drop(), () => host.network?.undrop()],
      ['the host is frozen', async () => host.freeze(), async () => host.thaw()],
    ];

    it.each(cuts)(
      'notice after typing that %s, and come back',
      async (_what, cut, mend) => {
        const { link, states } = await linked('box');
        await cut();
        try {
          const typedAt = performance.now();
          link.typed();
          await eventually('it is stalled', () => states.includes('stalled'));
          await eventually('it is down', () => states.includes('down'));
          // The exact bound is held in `liveness.test.ts`; here it must have been the probe and not the next keepalive.
          expect(performance.now() - typedAt).toBeLessThan(12_000);
        } finally {
          await mend();
        }
        link.retryNow('change');
        await eventually('it is back', () => link.health().state === 'good', 60_000);
        await link.client().ping();
      },
      90_000,
    );

    it('that are idle notice silence too', async () => {
      const { link, states } = await linked('box');
      await eventually('a round trip', () => link.health().roundTripMs !== null);
      await host.network?.drop();
      const since = performance.now();
      try {
        await eventually('it is down', () => states.includes('down'), 60_000);
        expect(performance.now() - since).toBeLessThan(20_000);
      } finally {
        await host.network?.undrop();
      }
      link.retryNow('change');
      await eventually('it is back', () => link.health().state === 'good', 60_000);
    }, 120_000);

    it('wait for a person when the login is refused', async () => {
      const { link } = linkTo('stranger');
      expect(() => link.client()).toThrow();
      await eventually('it is blocked', () => link.health().state === 'blocked');
      expect(link.health()).toMatchObject({ retryAt: null });
      expect(link.health().message).toContain('It is not tried again until you say so.');
    });

    it('are tested stage by stage', async () => {
      const test = (alias: string) =>
        testHost({
          alias,
          kind: 'ssh2',
          transport: transport(alias),
          helper,
          prompts: new ScriptedPerson(),
          clock: systemLinkClock,
          onStages: () => undefined,
          signal: new AbortController().signal,
        });
      const good = await test('box');
      expect(good.stages.map(({ stage, state }) => `${stage} ${state}`).slice(0, 6)).toEqual([
        'resolve ok',
        'tcp ok',
        'host_key ok',
        'auth ok',
        'shell ok',
        'helper ok',
      ]);
      expect(good).toMatchObject({ ok: true, facts: { user: 'tester' } });
      const refused = await test('stranger');
      expect(refused.ok).toBe(false);
      expect(refused.stages.filter(({ state }) => state === 'failed').map(({ stage }) => stage)).toEqual([
        'auth',
      ]);
      expect(refused.stages.filter(({ state }) => state === 'skipped').map(({ stage }) => stage)).toEqual([
        'shell',
        'helper',
        'disk',
        'gpu',
      ]);
    });
  },
);
