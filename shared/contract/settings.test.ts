import { expect, test } from 'vitest';
import { defaultSettings, settingsChangeSchema } from './settings';

test('a change names only what it changes', () => {
  expect(settingsChangeSchema.parse({ theme: 'dark' })).toEqual({ theme: 'dark' });
  expect(settingsChangeSchema.parse({})).toEqual({});
});

test('fresh settings are complete', () => {
  const settings = defaultSettings();
  expect(settings.annotator).toEqual({ uuid: '', name: '' });
  expect(settings.endpoints).toEqual([]);
  expect(settings.keepAwake).toBe(true);
});
