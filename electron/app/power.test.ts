import type { PowerState } from '@shared/contract/ipc/application';
import { expect, it } from 'vitest';
import { PowerKeeper, type PowerSource } from './power';

function stand() {
  const told: PowerState[] = [];
  const said: string[] = [];
  const machine = { battery: false, holds: 0, now: 1_000, driven: 0, wanted: true };
  let listeners: Parameters<PowerSource['subscribe']>[0] | null = null;
  const source: PowerSource = {
    onBattery: () => machine.battery,
    hold: () => {
      machine.holds += 1;
      return () => {
        machine.holds -= 1;
      };
    },
    subscribe: (given) => {
      listeners = given;
      return () => {
        listeners = null;
      };
    },
  };
  const keeper = new PowerKeeper({
    source,
    driven: () => machine.driven,
    wanted: () => machine.wanted,
    now: () => machine.now,
    onBattery: () => void said.push('battery'),
    onWake: () => void said.push('wake'),
    onResume: (ms) => void said.push(`stood still ${ms}`),
    changed: (state) => void told.push(state),
  });
  const hear = (event: 'suspend' | 'resume' | 'battery' | 'mains') => listeners?.[event]();
  return { machine, keeper, told, said, hear, subscribed: () => listeners !== null };
}

it('keeps the machine awake while runs are driven, and tells each change once', () => {
  const { machine, keeper, told } = stand();
  keeper.update();
  machine.driven = 2;
  keeper.update();
  keeper.update();
  expect(machine.holds).toBe(1);
  machine.driven = 1;
  keeper.update();
  machine.wanted = false;
  keeper.update();
  expect(machine.holds).toBe(0);
  expect(told.map(({ holdingFor }) => holdingFor)).toEqual([0, 2, 1, 0]);
});

it('warns on battery when it begins to hold, and when the mains go while it holds', () => {
  const { machine, keeper, said, told, hear } = stand();
  machine.battery = true;
  hear('battery');
  expect(said).toEqual([]);
  machine.driven = 1;
  keeper.update();
  keeper.update();
  expect(said).toEqual(['battery']);
  machine.battery = false;
  hear('mains');
  machine.battery = true;
  hear('battery');
  expect(said).toEqual(['battery', 'battery']);
  expect(told.map(({ onBattery }) => onBattery)).toEqual([true, true, false, true]);
});

it('remembers the last sleep that cost a run time', () => {
  const { machine, keeper, said, hear } = stand();
  hear('suspend');
  machine.now = 5_000;
  hear('resume');
  expect(keeper.state.lastSleep).toBeNull();
  machine.driven = 3;
  keeper.update();
  hear('suspend');
  machine.now = 65_000;
  hear('resume');
  expect(keeper.state).toEqual({
    holdingFor: 3,
    onBattery: false,
    lastSleep: { from: 5_000, to: 65_000, runs: 3 },
  });
  hear('suspend');
  machine.now = 1_000;
  hear('resume');
  expect(keeper.state.lastSleep).toEqual({ from: 65_000, to: 65_000, runs: 3 });
  expect(said).toEqual(['wake', 'stood still 4000', 'wake', 'stood still 60000', 'wake', 'stood still 0']);
});

it('lets go of everything', () => {
  const { machine, keeper, subscribed } = stand();
  machine.driven = 1;
  keeper.update();
  keeper.dispose();
  expect([machine.holds, subscribed()]).toEqual([0, false]);
});
