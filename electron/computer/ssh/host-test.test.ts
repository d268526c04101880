import type { StageView } from '@shared/contract/computers';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../testing/manual-clock';
import { ScriptedHost, scriptedHelper } from '../../testing/scripted-host';
import { noGpuTool } from './gpu';
import { testHost } from './host-test';
import { ConnectFailure, type ConnectFailureReason, type ConnectStage, type OpenOptions } from './transport';

const own = ['resolve', 'tcp', 'host_key', 'auth', 'shell', 'helper', 'disk', 'gpu'] as const;

/** A host whose transport reports its stages; tests change what it is like. */
function stand() {
  const clock = new ManualClock();
  const host = new ScriptedHost();
  host.onOpen = (options) => reportAll(options);
  host.answers.set('exec', () => ({ fields: ['0', '0'], body: '0, NVIDIA H100, 81559, 12, 97\n' }));
  const shown: StageView[][] = [];
  const abort = new AbortController();
  const test = async () => {
    const testing = testHost({
      alias: 'gpu-04',
      kind: 'ssh2',
      transport: host,
      helper: scriptedHelper,
      prompts: { ask: () => Promise.resolve(null), alarm: () => undefined },
      clock,
      onStages: (stages) => shown.push(stages),
      signal: abort.signal,
    });
    testing.catch(() => undefined);
    await clock.settle();
    return testing;
  };
  return { clock, host, shown, abort, test };
}

function reportAll({ onStage }: OpenOptions, until?: ConnectStage, via?: string): void {
  for (const stage of ['resolve', 'tcp', 'host_key', 'auth', 'shell'] as const) {
    const about = via === undefined ? {} : { via };
    onStage?.({ stage, state: 'running', message: '', ...about });
    if (stage === until) return;
    onStage?.({ stage, state: 'ok', message: `${stage} is fine.`, ms: 3, ...about });
  }
}

const states = (stages: StageView[]) => stages.map(({ stage, state }) => `${stage} ${state}`);

describe('a test of a host', () => {
  it('that has everything is well at every stage, and tells what the host is like', async () => {
    const { host, shown, test } = stand();
    const report = await test();
    expect(report).toMatchObject({ alias: 'gpu-04', transport: 'ssh2', ok: true, limits: [] });
    expect(states(report.stages)).toEqual(own.map((stage) => `${stage} ok`));
    expect(report.stages.every(({ via, message }) => via === null && message !== '')).toBe(true);
    expect(report.stages[1]).toMatchObject({ message: 'tcp is fine.', ms: 3 });
    expect(report.stages[6]?.message).toBe(
      'Sessions go to /home/ada/.local/state/waymark/sessions. 400 GB of 1000 GB are free (ext4).',
    );
    expect(report.stages[7]?.message).toBe('NVIDIA H100 (79.6 GB)');
    expect(report.facts).toMatchObject({
      hostname: 'gpu-04',
      user: 'ada',
      helper: 'perl',
      supervisor: 'perl',
      fileSystem: 'ext4',
      gpus: [{ index: 0, name: 'NVIDIA H100', memoryMb: 81_559, usedMb: 12, utilization: 97 }],
    });
    expect(states(shown[0] ?? [])).toEqual(own.map((stage) => `${stage} waiting`));
    expect(shown.some((stages) => stages.some(({ state }) => state === 'running'))).toBe(true);
    expect(shown.at(-1)).toEqual(report.stages);
    expect(host.channels).toBe(0);
  });

  it('leaves no timers and uses a connection of its own each time', async () => {
    const { clock, host, test } = stand();
    await test();
    await test();
    expect(host.opens).toBe(2);
    expect(clock.pending).toBe(0);
  });

  it('shows jump hosts before the host', async () => {
    const { host, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, undefined, 'bastion');
      reportAll(options);
    };
    const { stages } = await test();
    expect(stages.map(({ via, stage }) => (via === null ? stage : `${via}/${stage}`)).slice(0, 7)).toEqual([
      'resolve',
      'bastion/resolve',
      'bastion/tcp',
      'bastion/host_key',
      'bastion/auth',
      'bastion/shell',
      'tcp',
    ]);
  });

  it('says what a transport does not report by itself', async () => {
    const { host, test } = stand();
    host.onOpen = ({ onStage }) => onStage?.({ stage: 'auth', state: 'running', message: '' });
    const report = await test();
    expect(report.ok).toBe(true);
    expect(states(report.stages).slice(0, 5)).toEqual([
      'resolve skipped',
      'tcp skipped',
      'host_key skipped',
      'auth ok',
      'shell skipped',
    ]);
  });
});

describe('a failure', () => {
  it.each([
    ['config', 'resolve'],
    ['resolve', 'resolve'],
    ['tcp', 'tcp'],
    ['host_key_changed', 'host_key'],
    ['host_key_unknown', 'host_key'],
    ['algorithms', 'host_key'],
    ['auth', 'auth'],
    ['cancelled', 'auth'],
    ['channel_refused', 'shell'],
    ['helper', 'helper'],
  ] as [ConnectFailureReason, ConnectStage][])('%s is explained at its stage, %s', async (reason, stage) => {
    const { host, shown, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, stage);
      throw new ConnectFailure(reason, stage, `gpu-04: ${reason} went wrong. Do this next.`);
    };
    const report = await test();
    expect(report).toMatchObject({ ok: false, facts: null, limits: [] });
    const at = own.indexOf(stage);
    expect(report.stages[at]).toMatchObject({
      state: 'failed',
      message: `gpu-04: ${reason} went wrong. Do this next.`,
    });
    expect(report.stages.filter(({ state }) => state === 'failed')).toHaveLength(1);
    expect(report.stages.slice(0, at).every(({ state }) => state === 'ok')).toBe(true);
    expect(report.stages.slice(at + 1).every(({ state }) => state === 'skipped')).toBe(true);
    expect(shown.at(-1)).toEqual(report.stages);
  });

  it('on the way is shown at the jump host', async () => {
    const { host, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, 'auth', 'bastion');
      throw new ConnectFailure('auth', 'auth', 'bastion let nobody in. Check the key.');
    };
    const { stages } = await test();
    expect(stages.filter(({ state }) => state === 'failed')).toEqual([
      expect.objectContaining({
        via: 'bastion',
        stage: 'auth',
        message: 'bastion let nobody in. Check the key.',
      }),
    ]);
  });

  it('that the transport reported itself is not told twice', async () => {
    const { host, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, 'tcp', 'bastion');
      options.onStage?.({ stage: 'tcp', state: 'failed', message: 'Refused.', via: 'bastion' });
      throw new ConnectFailure('tcp', 'tcp', 'bastion refused the connection. Is it on?');
    };
    const { stages } = await test();
    expect(stages.filter(({ state }) => state === 'failed')).toHaveLength(1);
  });

  it('of a host that says nothing ends with its stage named', async () => {
    const { clock, host, shown, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, 'tcp');
      return new Promise(() => undefined);
    };
    const testing = test();
    await clock.advance(15_100);
    const report = await testing;
    expect(report.ok).toBe(false);
    expect(report.stages[1]).toMatchObject({ stage: 'tcp', state: 'failed' });
    expect(report.stages[1]?.message).toContain('did not answer for 15 s while connecting');
    expect(shown.length).toBeGreaterThan(2);
  });

  it('that is a bug is shown where the test was', async () => {
    const { host, test } = stand();
    host.onOpen = (options) => {
      reportAll(options, 'auth');
      throw new TypeError('x is not a function');
    };
    const { stages } = await test();
    expect(stages[3]).toMatchObject({ stage: 'auth', state: 'failed', message: 'x is not a function' });
  });

  it('of the link at the last stage is told there', async () => {
    const { host, test } = stand();
    host.answers.set('exec', () => {
      host.cut();
      return { fields: [] };
    });
    const report = await test();
    expect(report.ok).toBe(false);
    expect(report.stages[7]).toMatchObject({ stage: 'gpu', state: 'failed' });
    expect(report.stages[7]?.message).toContain('The link to gpu-04 ended during the test');
    expect(host.channels).toBe(0);
  });
});

describe('what is found there', () => {
  it.each([
    ['no bash', { bash: '' }, 'shell failed', 'has no bash'],
    ['no place', { base: '', base_why: 'All is read-only.' }, 'disk failed', 'All is read-only.'],
    ['a network file system', { base_fs: 'nfs4' }, 'disk warning', 'network file system'],
    [
      'a network home',
      { base: '/var/tmp/waymark-7', base_why: 'The home directory is on nfs.' },
      'disk warning',
      'Sessions go to /var/tmp/waymark-7: The home directory is on nfs.',
    ],
    ['a full disk', { free: '1000000' }, 'disk warning', 'Make room there.'],
  ])('%s', async (_name, changes: Record<string, string>, expected, part) => {
    const { host, test } = stand();
    host.hello = { ...host.hello, ...changes };
    const report = await test();
    const [stage = '', state] = expected.split(' ');
    const view = report.stages.find((each) => each.stage === stage);
    expect(view).toMatchObject({ state });
    expect(view?.message).toContain(part);
    expect(report.ok).toBe(state !== 'failed');
    expect(report.limits).toHaveLength(1);
    expect(report.facts).not.toBeNull();
  });

  it.each([
    [String(noGpuTool), '', 'skipped', 'There is no nvidia-smi.'],
    [
      '9',
      "NVIDIA-SMI has failed because it couldn't communicate with the driver.\n",
      'warning',
      'exit code 9',
    ],
    ['', '', 'warning', 'did not answer within 10 s'],
    ['0', 'No devices were found\n', 'warning', 'names no GPU'],
  ])('nvidia-smi ending with "%s"', async (exit, body, state, part) => {
    const { host, test } = stand();
    host.answers.set('exec', ({ fields }) => {
      expect(fields.slice(2)).toEqual(['/home/ada', '10000']);
      return { fields: [exit, '0'], body };
    });
    const report = await test();
    expect(report.ok).toBe(true);
    expect(report.facts?.gpus).toEqual([]);
    expect(report.stages[7]).toMatchObject({ state });
    expect(report.stages[7]?.message).toContain(part);
  });
});

describe('a test that is called off', () => {
  it('rejects with the reason and closes what it opened', async () => {
    const { clock, host, abort, test } = stand();
    let signal: AbortSignal | undefined;
    host.onOpen = (options) => {
      signal = options.signal;
      return new Promise(() => undefined);
    };
    const testing = test();
    await clock.settle();
    abort.abort(new Error('enough'));
    await expect(testing).rejects.toThrow('enough');
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
    await expect(test()).rejects.toThrow('enough');
  });

  it('also while the host is looked at', async () => {
    const { clock, host, abort, test } = stand();
    host.answers.set('exec', () => new Promise(() => undefined));
    const testing = test();
    await clock.settle();
    abort.abort(new Error('enough'));
    await expect(testing).rejects.toThrow('enough');
    expect(host.channels).toBe(0);
  });
});
