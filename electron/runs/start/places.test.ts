import { taskSpecSchema } from '@shared/contract/task';
import { describe, expect, it } from 'vitest';
import { choosePlaces, evaluatorIsolated, type Place, type PlacesOrder } from './places';

const spec = taskSpecSchema.parse({
  id: 'two',
  title: 'Two computers',
  computers: [
    { name: 'gpu', host: 'gpu-03', type: 'cpu', dedicated: true },
    { name: 'web', host: 'local', type: 'localhost_cpu' },
  ],
  evaluation: { command: 'true', inputs: ['a'] },
});
const order = (change: Partial<PlacesOrder> = {}): PlacesOrder => ({
  spec,
  chosen: {},
  approvals: 'on',
  known: [{ alias: 'gpu-03', transport: 'openssh', addedAt: 1 }],
  hosts: {
    resolve: async (alias) => {
      throw new Error(`${alias} was added: its transport is known`);
    },
  },
  ...change,
});
const approvals = async (change: Partial<PlacesOrder>) =>
  Object.fromEntries((await choosePlaces(order(change))).map((place) => [place.name, place.approvals]));

describe('approvals of a run', () => {
  it('are on here and off on a dedicated host, unless a person chose', async () => {
    expect(await approvals({})).toEqual({ gpu: 'off', web: 'on' });
    expect(await approvals({ chosenApprovals: { gpu: 'on', web: 'off' } })).toEqual({
      gpu: 'on',
      web: 'off',
    });
    expect(await approvals({ chosenApprovals: { web: 'off' } })).toEqual({ gpu: 'off', web: 'off' });
  });

  it('are as the task says where nobody chose, also when that is nowhere', async () => {
    expect(await approvals({ approvals: 'task' })).toEqual({ gpu: 'off', web: 'on' });
    const alone = { ...spec, computers: spec.computers.slice(0, 1) };
    expect(await approvals({ approvals: 'task', spec: alone })).toEqual({ gpu: 'off' });
    expect(await approvals({ approvals: 'on', spec: alone })).toEqual({ gpu: 'on' });
  });

  it('are off for all when that is asked, but for what a person chose by name', async () => {
    expect(await approvals({ approvals: 'off' })).toEqual({ gpu: 'off', web: 'off' });
    expect(await approvals({ approvals: 'off', chosenApprovals: { web: 'on' } })).toEqual({
      gpu: 'off',
      web: 'on',
    });
  });
});

describe('places of a run', () => {
  it('keep the transport of a host that was added', async () => {
    expect((await choosePlaces(order()))[0]).toMatchObject({ host: 'gpu-03', transport: 'openssh' });
  });

  it('need a person for a host that was not added: the task alone is not asked', async () => {
    const known: PlacesOrder['known'] = [];
    const asked: string[] = [];
    const hosts: PlacesOrder['hosts'] = {
      resolve: async (alias) => {
        asked.push(alias);
        return { needsOpenSsh: [] } as unknown as Awaited<ReturnType<PlacesOrder['hosts']['resolve']>>;
      },
    };
    await expect(choosePlaces(order({ known, hosts }))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('--computer gpu=gpu-03'),
    });
    expect(asked).toEqual([]);
    const [place] = await choosePlaces(order({ known, hosts, chosen: { gpu: 'gpu-03' } }));
    expect(place).toMatchObject({ kind: 'ssh', host: 'gpu-03', transport: 'ssh2' });
  });

  it.each([
    '-oProxyCommand=touch /tmp/x',
    '$(touch$IFS$9x)',
    'a;b',
    'a`b`',
    'me@-F/x',
    'gpu\n',
  ])('are no host of a task that would be an option or shell text: %j', async (host) => {
    const hostile = { ...spec, computers: spec.computers.map((each) => ({ ...each, host })) };
    const resolve = () => Promise.reject(new Error('looked up'));
    for (const chosen of [{}, { gpu: host, web: 'local' }]) {
      await expect(
        choosePlaces(order({ spec: hostile, chosen, known: [], hosts: { resolve } })),
      ).rejects.toMatchObject({ code: 'bad_input' });
    }
  });

  it('are refused when two computers would be one machine', async () => {
    await expect(choosePlaces(order({ chosen: { gpu: 'local' } }))).rejects.toMatchObject({
      code: 'task_unsupported',
    });
  });
});

describe('an evaluator', () => {
  const workspace = '/home/ada/waymark';
  const here = { kind: 'local', isolation: 'bubblewrap' } as const;
  const withJudge = (host: string) => ({
    ...spec,
    computers: spec.computers.map((each) =>
      each.name === 'web' ? { ...each, evaluator: true, host } : each,
    ),
  });
  const folders = (path: string) => [{ path, write: false }];
  const onHost = (host: string) => ({ kind: 'ssh', host }) as const;

  it.each<[string, boolean, Place[]]>([
    ['is reached by sessions without a sandbox', false, [{ name: 'gpu', kind: 'local' }]],
    ['is not reached by sessions in one', true, [{ name: 'gpu', ...here }]],
    [
      'is not reached through folders that lie elsewhere',
      true,
      [{ name: 'gpu', ...here, folders: folders('/data') }],
    ],
    [
      'is reached through a folder that holds the workspace',
      false,
      [{ name: 'gpu', ...here, folders: folders('/home/ada') }],
    ],
    [
      'is reached through a folder of the workspace',
      false,
      [{ name: 'gpu', ...here, folders: folders('/home/ada/waymark/tasks/x') }],
    ],
    ['is not reached from a host', true, [{ name: 'gpu', ...onHost('gpu-03') }]],
    [
      'is reached by the one computer that has no sandbox',
      false,
      [
        { name: 'gpu', ...here },
        { name: 'web', kind: 'local' },
      ],
    ],
  ])('on the driver’s machine %s', (_, isolated, places) => {
    const web: Place = { name: 'web', ...onHost('elsewhere') };
    expect(evaluatorIsolated(spec, [...places, ...(places.length === 1 ? [web] : [])], workspace)).toBe(
      isolated,
    );
  });

  it.each<[boolean, Omit<Place, 'name'>, Omit<Place, 'name'>]>([
    [true, onHost('gpu-03'), onHost('judge')],
    [false, onHost('gpu-03'), onHost('gpu-03')],
    [true, { kind: 'local' }, onHost('judge')],
    [true, onHost('gpu-03'), { kind: 'local' }],
    [false, { kind: 'local' }, { kind: 'local' }],
    [true, here, here],
  ])('on a computer set aside for it: %s with the agent on %j and it on %j', (isolated, agent, judge) => {
    const places = [
      { name: 'gpu', ...agent },
      { name: 'web', ...judge },
    ];
    expect(evaluatorIsolated(withJudge('judge'), places, workspace)).toBe(isolated);
  });
});
