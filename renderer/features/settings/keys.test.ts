import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import { loadKeys, lockKeys, setKey, unlockKeys, useKeys } from './keys';

beforeEach(() => useKeys.setState({ keeping: null }));

describe('where keys are kept', () => {
  it('is what the main process says after each change; no key stays in the window', async () => {
    const open = { kept: 'file' as const, endpoints: ['GLM'] };
    new BridgeStand({
      'settings.keys': () => ({ kept: 'locked', endpoints: [] }),
      'settings.unlockKeys': () => open,
      'settings.lockKeys': () => ({ kept: 'locked', endpoints: [] }),
    });
    await loadKeys();
    expect(useKeys.getState().keeping?.kept).toBe('locked');
    await unlockKeys('a passphrase');
    expect(useKeys.getState().keeping).toEqual(open);
    expect(JSON.stringify(useKeys.getState())).not.toContain('passphrase');
    await lockKeys();
    expect(useKeys.getState().keeping?.endpoints).toEqual([]);
  });

  it('is left as it was by a wrong passphrase', async () => {
    new BridgeStand({
      'settings.keys': () => ({ kept: 'locked', endpoints: [] }),
      'settings.unlockKeys': () => {
        throw { code: 'refused', message: 'The passphrase is wrong.' };
      },
    });
    await loadKeys();
    await expect(unlockKeys('x')).rejects.toThrow('The passphrase is wrong.');
    expect(useKeys.getState().keeping?.kept).toBe('locked');
  });

  it('knows of a key that was handed over', async () => {
    new BridgeStand({
      'settings.setKey': () => ({ kept: 'memory' }),
      'settings.keys': () => ({ kept: 'memory', endpoints: ['GLM'] }),
    });
    expect(await setKey('GLM', 'sk-secret')).toBe('memory');
    expect(useKeys.getState().keeping).toEqual({ kept: 'memory', endpoints: ['GLM'] });
  });
});
