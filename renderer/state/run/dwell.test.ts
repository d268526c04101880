import { defaultSettings } from '@shared/contract/settings';
import { expect, test } from 'vitest';
import { useSettings } from '../settings';
import { DwellClock, rememberDwell, sharedDwell } from './dwell';

test('time in view is added up over visits until it is taken', () => {
  const clock = new DwellClock();
  clock.show('a', 0);
  clock.show('b', 100);
  clock.show('a', 150);
  expect(clock.take('a', 180)).toBe(130);
  expect(clock.take('a', 200)).toBe(20);
  expect(clock.take('b', 200)).toBe(50);
  expect(clock.take('never', 200)).toBe(0);
});

test('a hidden window or one without the focus does not count', () => {
  const clock = new DwellClock();
  clock.show('a', 0);
  clock.look(false, 40);
  clock.show('b', 1_000);
  clock.show('a', 2_000);
  clock.look(true, 5_000);
  expect(clock.take('a', 5_010)).toBe(50);
  expect(clock.take('b', 5_010)).toBe(0);
});

test('a decision carries its time only for people who share it, and only about one step', () => {
  rememberDwell('r', 3, 700);
  useSettings.setState({ settings: defaultSettings() });
  expect(sharedDwell('r', { from: 3, to: 3 })).toEqual({});
  useSettings.setState({ settings: { ...defaultSettings(), shareTimes: true } });
  expect(sharedDwell('r', { from: 3, to: 3 })).toEqual({ dwellMs: 700 });
  expect(sharedDwell('r', { from: 3, to: 4 })).toEqual({});
  expect(sharedDwell('r', { from: 4, to: 4 })).toEqual({});
});
