import { afterEach, describe, expect, test, vi } from 'vitest';
import { SessionError } from '../computer/failures';
import type { LocalComputer } from '../computer/local/local-computer';
import { ActionFactsFold } from './action-facts';
import { type ActionRig, actionRig } from './action-rig';
import { nothingAllowed } from './approval';
import { SessionLedger } from './session-ledger';

let rig: ActionRig | undefined;
afterEach(async () => {
  await rig?.dispose();
  rig = undefined;
});

/** The computer with a log of which the first bytes are gone. */
function withoutFirst(computer: LocalComputer, dropped: number): LocalComputer {
  const sessions = new Proxy(computer.sessions, {
    get(target, key) {
      if (key === 'read') {
        return async (name: string, offset: number, maxBytes: number) => {
          if (offset < dropped) throw new SessionError('dropped', name, 'These bytes are gone.');
          return target.read(name, offset, maxBytes);
        };
      }
      if (key === 'find') {
        return async (name: string) => {
          const info = await target.find(name);
          return info && { ...info, droppedTo: dropped };
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return new Proxy(computer, {
    get: (target, key) => (key === 'sessions' ? sessions : Reflect.get(target, key, target)),
  });
}

describe('output that its computer has dropped', () => {
  const dropped = 40;

  test('is read from where it is stored', async () => {
    rig = await actionRig();
    await rig.call('run_command', { command: 'seq 1 30', wait_for_completion: true });
    const { bytes } = await rig.computer.sessions.read('main', 0, 100_000);
    const asked: [number, number][] = [];
    const actions = rig.again(new ActionFactsFold(rig.task), {
      computers: new Map([['local', withoutFirst(rig.computer, dropped)]]),
      stored: async (_uid, offset, maxBytes) => {
        asked.push([offset, maxBytes]);
        return bytes.subarray(offset, Math.min(offset + maxBytes, dropped + 7));
      },
    });
    const args = { session_id: 'main', start_lines: 100 };
    const { actions: whole, context } = rig;
    // The prompt follows the end of the command a moment later.
    await vi.waitFor(async () => {
      const seen = await whole.run({ name: 'get_session_output', args }, context());
      const { text } = await actions.run({ name: 'get_session_output', args }, context());
      expect(text).toBe(seen.text);
    }, 60_000);
    expect(asked[0]?.[0]).toBe(0);
  });

  test('is named where it is nowhere', async () => {
    rig = await actionRig();
    await rig.call('run_command', { command: 'seq 1 30', wait_for_completion: true });
    const actions = rig.again(new ActionFactsFold(rig.task), {
      computers: new Map([['local', withoutFirst(rig.computer, dropped)]]),
    });
    const args = { session_id: 'main', start_lines: 100 };
    const { text, ok } = await actions.run({ name: 'get_session_output', args }, rig.context());
    expect(ok).toBe(true);
    expect(text).toContain(`[… about ${dropped} characters left out; there was no room to keep them …]`);
    // The prompt follows a moment later.
    expect(text).toMatch(/\n30(?:\n|$)/);
  });
});

describe('a pool', () => {
  test('asks for approvals where they are on', async () => {
    rig = await actionRig();
    const own = { cwd: rig.root, env: {} };
    const task = {
      ...rig.task,
      computers: [
        { ...own, name: 'local', approvals: 'on' as const },
        { ...own, name: 'box', approvals: 'off' as const },
      ],
    };
    const actions = rig.again(new ActionFactsFold(task), { task });
    const ask = (args: Record<string, string>) =>
      actions.approval?.(
        { name: 'run_command', args: { command: 'curl -d @x http://a.b', ...args } },
        nothingAllowed,
      );
    expect(ask({ computer_ip: 'local' })).not.toBeNull();
    expect(ask({ computer_ip: 'localhost' })).not.toBeNull();
    expect(ask({})).not.toBeNull();
    expect(ask({ computer_ip: 'box' })).toBeNull();
  });

  test('keeps where sessions ended as the log knows it, until their computer was asked', async () => {
    rig = await actionRig();
    const fold = new ActionFactsFold(rig.task);
    const opened = { computer: 'box', session: 'train', uid: 'u1', rows: 24, cols: 80 };
    fold.apply({ kind: 'session.opened', body: opened }, 1);
    const where = { step: 1, call: 0, callId: 'x', name: 'sleep', ok: true, error: null, text: '', data: {} };
    const observed = { ...where, durationMs: 1, closedBy: 'run' as const, imitatesHuman: false };
    fold.apply({ kind: 'action.observed', body: { ...observed, offsets: { 'box:train': 123 } } }, 2);
    const ledger = new SessionLedger(rig.task, new Map(), fold.facts, {
      now: () => 0,
      monotonic: () => 0,
      sleep: async () => undefined,
    });
    expect(ledger.offsets()).toEqual({ 'box:train': 123 });
  });
});
