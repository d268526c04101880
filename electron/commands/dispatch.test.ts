import { settingsChangeSchema } from '@shared/contract/settings';
import { describe, expect, it } from 'vitest';
import { answerCommand } from './dispatch';

const answer = (input: unknown) =>
  answerCommand(
    { 'settings.set': () => Promise.reject(new Error('reached')) },
    'settings.set',
    input,
    () => undefined,
  );
const endpoint = (index: number) => ({ name: `e${index}`, baseUrl: 'http://127.0.0.1:1/v1', model: 'm' });

describe('what is larger than any command takes', () => {
  it('is refused before a schema walks over it', async () => {
    const nested = () => {
      let value: unknown = 'x';
      for (let depth = 0; depth < 100_000; depth += 1) value = [value];
      return value;
    };
    const inputs = [
      { endpoints: Array.from({ length: 300_000 }, (_, index) => endpoint(index)) },
      { keys: Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 'x'])) },
      { workspace: 'x'.repeat(40_000_000) },
      { keys: { ['k'.repeat(40_000_000)]: 'x' } },
      { workspace: new Uint8Array(40_000_000) },
      { keys: nested() },
    ];
    for (const input of inputs) {
      expect(await answer(input)).toMatchObject({
        ok: false,
        error: {
          code: 'bad_input',
          message: expect.stringMatching(/^The input of settings.set is too large: more than/),
        },
      });
    }
  });
});

describe('settings', () => {
  it('have a size, each of them', async () => {
    const long = 'x'.repeat(5_000);
    const changes: Record<string, unknown> = {
      annotator: { uuid: long, name: 'A' },
      device: long,
      workspace: long,
      recentWorkspaces: [long],
      endpoints: Array.from({ length: 101 }, (_, index) => endpoint(index)),
      keys: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, 'x'])),
      computers: Array.from({ length: 201 }, () => ({})),
    };
    for (const [field, value] of Object.entries(changes)) {
      const { error } = (await answer({ [field]: value })) as { error: { code: string; message: string } };
      expect(error.code).toBe('bad_input');
      expect(error.message).toContain(`settings.set is not valid at "${field}`);
    }
    for (const field of ['name', 'baseUrl', 'model', 'keyEnv']) {
      const one = { ...endpoint(1), [field]: field === 'baseUrl' ? `http://x/${long}` : long };
      expect(settingsChangeSchema.safeParse({ endpoints: [one] }).success, field).toBe(false);
    }
    expect(await answer({ endpoints: [endpoint(1)], keys: { a: 'Mod+k' } })).toMatchObject({
      error: { message: 'reached' },
    });
  });
});
