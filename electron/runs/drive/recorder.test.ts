import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock';
import { Recorder } from './recorder';

const event = (id: string): NewEvent => ({ kind: 'hint.undelivered', body: { ids: [id] } });
const idOf = (each: NewEvent | undefined) =>
  each?.kind === 'hint.undelivered' ? each.body.ids[0] : undefined;

function recorder(
  append: (events: NewEvent[]) => Promise<{ seq: number }>,
  signal = new AbortController().signal,
) {
  const pauses: number[] = [];
  const sleep = (ms: number, abort: AbortSignal) => {
    pauses.push(ms);
    return systemClock.sleep(1, abort);
  };
  const clock = { ...systemClock, sleep };
  const waits: (string | null)[] = [];
  const told: (string | undefined)[] = [];
  const made = new Recorder({
    writer: {
      append: (_run, _epoch, events) => append(events),
      appendIfOutboxAt: async (_run, _epoch, head, events) => ({
        raced: head === 0,
        ...(await append(events)),
      }),
    },
    run: 'r',
    epoch: 1,
    clock,
    signal,
    waiting: (failure) => void waits.push(failure?.code ?? null),
  });
  made.onRecorded((events) => told.push(...events.map(idOf)));
  return { made, told, pauses, waits };
}

describe('the recorder', () => {
  it('appends one after another and tells after the commit, before record resolves', async () => {
    const committed: (string | undefined)[] = [];
    const { made, told } = recorder(async ([first]) => {
      const id = idOf(first);
      await systemClock.sleep(id === 'slow' ? 20 : 1, new AbortController().signal);
      expect(told).not.toContain(id);
      committed.push(id);
      return { seq: committed.length };
    });
    await Promise.all([
      made.record([event('slow')]),
      made.record([event('quick')]).then(() => expect(told).toContain('quick')),
    ]);
    expect(committed).toEqual(['slow', 'quick']);
    expect(told).toEqual(['slow', 'quick']);
  });

  it('tells nobody of a transaction that lost its race', async () => {
    const { made, told } = recorder(async () => ({ seq: 1 }));
    expect(await made.recordIfOutboxAt(0, [event('raced')])).toEqual({ raced: true });
    expect(await made.recordIfOutboxAt(1, [event('won')])).toEqual({ raced: false });
    expect(told).toEqual(['won']);
  });

  it('waits while the disk is full, gives up when the drive ends, and passes other failures on without getting stuck', async () => {
    let full = 3;
    const { made, told } = recorder(async ([first]) => {
      if (idOf(first) === 'bad') throw new WaymarkError('run_driven_elsewhere', 'no');
      if (full > 0) {
        full -= 1;
        throw new WaymarkError('disk_full', 'full');
      }
      return { seq: 1 };
    });
    await made.record([event('patient')]);
    await expect(made.record([event('bad')])).rejects.toMatchObject({ code: 'run_driven_elsewhere' });
    await made.record([event('after')]);
    expect(told).toEqual(['patient', 'after']);
    const ending = new AbortController();
    const stuck = recorder(() => Promise.reject(new WaymarkError('disk_full', 'full')), ending.signal);
    const waiting = stuck.made.record([event('never')]);
    ending.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
  });

  it.each([
    'disk_full',
    'workspace_locked',
    'system_busy',
  ] as const)('waits with growing pauses while the store says %s, and says so once', async (code) => {
    let left = 8;
    const { made, told, pauses, waits } = recorder(async () => {
      left -= 1;
      if (left > 0) throw new WaymarkError(code, 'Not now.');
      return { seq: 1 };
    });
    await made.record([event('patient')]);
    expect(told).toEqual(['patient']);
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(waits).toEqual([code, null]);
  });
});
