import { taskSpecSchema } from '@shared/task';
import { describe, expect, it } from 'vitest';
import { choosePlaces, type PlacesOrder } from './places';

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

  it('are refused when two computers would be one machine', async () => {
    await expect(choosePlaces(order({ chosen: { gpu: 'local' } }))).rejects.toMatchObject({
      code: 'task_unsupported',
    });
  });
});
