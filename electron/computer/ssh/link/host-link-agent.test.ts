import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemLinkClock } from '../../../clock';
import {
  type LocalAgentTransport,
  localAgentTransport,
} from '../../../testing/agent-host/local-agent-transport';
import { eventually } from '../../../testing/deadline';
import { bootstrapHelper } from './connect-attempt';
import { HostLink } from './host-link';

/** A link to the real helper program, which runs as a child on this machine, in real time. */

const resourcesDir = resolve(import.meta.dirname, '../../../../resources');
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function stand(): Promise<{ link: HostLink; transport: LocalAgentTransport; states: string[] }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-link-')));
  endings.push(() => rm(root, { recursive: true, force: true }));
  const transport = localAgentTransport({ helper: 'perl', root });
  endings.push(() => transport.dispose());
  const states: string[] = [];
  const link: HostLink = new HostLink({
    alias: 'this-machine',
    transport,
    helper: bootstrapHelper(resourcesDir, 'test'),
    prompts: { ask: () => Promise.reject(new Error('Nothing to ask.')), alarm: () => undefined },
    clock: systemLinkClock,
    random: Math.random,
    onHealth: () => {
      const { state } = link.health();
      if (states.at(-1) !== state) states.push(state);
    },
  });
  endings.push(() => link.dispose());
  link.hold();
  await link.linked(new AbortController().signal);
  return { link, transport, states };
}

describe('a link to the real helper', () => {
  it('knows the host and measures the round trip', async () => {
    const { link } = await stand();
    expect(link.facts()).toMatchObject({ helper: 'perl', platform: process.platform });
    await eventually('a measured round trip', () => link.health().roundTripMs !== null);
    expect(link.health().state).toMatch(/good|degraded/);
  });

  it('comes back after the helper was killed', async () => {
    const { link, transport, states } = await stand();
    const before = link.client();
    transport.cut();
    await eventually('another helper', () => transport.opened === 2 && link.health().state === 'good');
    expect(link.client()).not.toBe(before);
    await expect(before.request('ping')).rejects.toThrow();
    await link.client().ping();
    expect(states.filter((state) => state !== 'degraded').slice(0, 5)).toEqual([
      'connecting',
      'good',
      'down',
      'connecting',
      'good',
    ]);
  });

  it('notices within 6 s of typing that the helper is frozen, and starts another', async () => {
    const { link, transport, states } = await stand();
    transport.freeze();
    const typedAt = performance.now();
    link.typed();
    await eventually('it is down', () => states.includes('down'), 60_000);
    const tookMs = performance.now() - typedAt;
    expect(states.indexOf('stalled')).toBeGreaterThan(0);
    expect(states.indexOf('stalled')).toBeLessThan(states.indexOf('down'));
    // The bound itself is held against a clock of our own in `liveness.test.ts`; waiting for a keepalive would take longer.
    expect(tookMs).toBeGreaterThan(3900);
    expect(tookMs).toBeLessThan(12_000);
    await eventually('it is back', () => link.health().state === 'good', 60_000);
    expect(transport.opened).toBeGreaterThan(1);
  });

  it('leaves no helper behind', async () => {
    const { link } = await stand();
    // The transport makes the helper the leader of its group; what it starts may have groups of their own.
    const script = Buffer.from(
      'for p in $PPID $(ps -o ppid= -p $PPID); do ps -o pgid= -p $p; done | tail -n 1',
    );
    const { body } = await link.client().request('exec', ['/', '10000'], { body: script });
    const helper = Number(Buffer.from(body).toString());
    await link.client().ping();
    expect(alive(helper)).toBe(true);
    await link.dispose();
    await eventually('the helper is gone', () => !alive(helper));
    expect(link.health().state).toBe('idle');
  });
});

function alive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
