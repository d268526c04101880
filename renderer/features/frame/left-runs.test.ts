import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { useRuns } from '../../state/run/runs';
import { keptLocally } from '../../state/storage-fixtures';
import { useToasts } from '../../state/toasts';
import { useRemote } from '../remote/remote';
import { dismissLeftRuns, resumeLeftRuns, startLeftRuns, useLeftRuns } from './left-runs';

const run = (id: string, state: string, seq = 10) => ({ id, state, seq, title: id }) as never;
const found = (...list: never[]) => useRuns.setState({ list, loaded: true });
const offered = () => useLeftRuns.getState().runs.map(({ id }) => id);

describe('runs that were being driven when Waymark ended', () => {
  let stand: BridgeStand;
  let stop: () => void;

  beforeEach(() => {
    keptLocally();
    stand = new BridgeStand({
      'runs.resume': ({ run: id }: { run: string }) => {
        if (id === 'b') throw { code: 'refused', message: 'Its task is gone.' };
      },
    });
    useToasts.setState({ toasts: [] });
    useRemote.setState({ status: null });
    useRuns.setState({ list: [], loaded: false });
    useLeftRuns.setState({ runs: [] });
    stop = startLeftRuns();
  });
  afterEach(() => stop());

  it('are those that nobody drives in the first list; what stops later says so itself', () => {
    found(run('a', 'undriven'), run('b', 'undriven'), run('c', 'paused'), run('d', 'thinking'));
    expect(offered()).toEqual(['a', 'b']);
    found(run('a', 'thinking'), run('b', 'undriven'), run('d', 'undriven'));
    expect(offered()).toEqual(['b']);
  });

  it('are resumed together; one that cannot be says why', async () => {
    found(run('a', 'undriven'), run('b', 'undriven'));
    await resumeLeftRuns();
    await settled();
    expect(stand.calls).toEqual([
      ['runs.resume', { run: 'a' }],
      ['runs.resume', { run: 'b' }],
    ]);
    expect(offered()).toEqual([]);
    expect(useToasts.getState().toasts).toHaveLength(1);
  });

  it('are not offered again after Not now, but after the next time they were left', () => {
    found(run('a', 'undriven'));
    dismissLeftRuns();
    expect(offered()).toEqual([]);
    stand.send('workspace.changed', {} as never);
    found(run('a', 'undriven'));
    expect(offered()).toEqual([]);
    stand.send('workspace.changed', {} as never);
    found(run('a', 'undriven', 25));
    expect(offered()).toEqual(['a']);
  });

  it('of another computer are not offered here', () => {
    useRemote.setState({ status: { alias: 'gpu-03', state: 'good' } as never });
    found(run('a', 'undriven'));
    expect(offered()).toEqual([]);
  });
});
