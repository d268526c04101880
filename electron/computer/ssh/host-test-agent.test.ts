import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemLinkClock } from '../../clock';
import { localAgentTransport } from '../../testing/agent-host/local-agent-transport';
import { testHost } from './host-test';
import { bootstrapHelper } from './link/connect-attempt';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');

describe('a test of a host with the real helper', () => {
  it.each(['perl', 'python3'] as const)('%s', async (helper) => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-test-')));
    const transport = localAgentTransport({ helper, root });
    try {
      const report = await testHost({
        alias: 'this-machine',
        kind: 'ssh2',
        transport,
        helper: bootstrapHelper(resourcesDir, 'test'),
        prompts: { ask: () => Promise.resolve(null), alarm: () => undefined },
        clock: systemLinkClock,
        onStages: () => undefined,
        signal: new AbortController().signal,
      });
      expect(report.stages.filter(({ state }) => state === 'failed')).toEqual([]);
      expect(report.ok).toBe(true);
      expect(report.facts).toMatchObject({
        helper,
        platform: process.platform,
        sessionsDir: expect.stringMatching(/^\//),
        hostname: expect.stringMatching(/./),
        bashVersion: expect.stringMatching(/^\d/),
      });
      expect(report.facts?.totalBytes).toBeGreaterThan(0);
      expect(Math.abs(report.facts?.clockOffsetMs ?? Number.NaN)).toBeLessThan(5000);
      expect(report.stages.find(({ stage }) => stage === 'gpu')?.message).not.toBe('');
      expect(report.limits.some((limit) => limit.includes('sessions run under python3'))).toBe(
        helper === 'python3',
      );
    } finally {
      await transport.dispose();
      await rm(root, { recursive: true, force: true });
    }
  });
});
