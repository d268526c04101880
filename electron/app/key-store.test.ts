import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepingHandlers } from '../commands/keeping';
import { KeyElsewhere } from '../model/bound-key';
import { KeyStore, type SystemKeys } from './key-store';

const secret = 'sk-planted-0123456789abcdef';
const other = 'sk-another-9876543210fedcba';
const here = 'http://localhost:8000';
const passphrase = 'correct horse battery';

/** A login's key store: what another login sealed cannot be opened. */
function login(name: string): SystemKeys {
  return {
    available: () => true,
    seal: (text) => Buffer.from(`${name}:${Buffer.from(text).toString('hex')}`),
    open: (sealed) => {
      const [by = '', hex = ''] = sealed.toString().split(':');
      if (by !== name) throw new Error('sealed by somebody else');
      return Buffer.from(hex, 'hex').toString();
    },
  };
}
const none: SystemKeys = {
  available: () => false,
  seal: () => {
    throw new Error('there is no key store');
  },
  open: () => {
    throw new Error('there is no key store');
  },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-keys-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function start(system: SystemKeys = none, env: NodeJS.ProcessEnv = {}): Promise<KeyStore> {
  const keys = new KeyStore({ folder, env, system, originOf: () => here });
  await keys.load();
  return keys;
}

/** The key as a request to its origin would carry it. */
function text(keys: KeyStore, endpoint: string, variable: string): string | null {
  const key = keys.find(endpoint, variable, here);
  return key === null ? null : key.headerFor(new URL(key.origin)).replace('Bearer ', '');
}

async function everythingOnDisk(): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('\n');
}

describe('without a key store of the system', () => {
  it('keeps keys in memory and writes nothing', async () => {
    const keys = await start();
    expect(await keys.set('A', secret, here)).toBe('memory');
    expect(text(keys, 'A', '')).toBe(secret);
    expect(keys.keeping()).toBe('memory');
    expect(await readdir(folder)).toEqual([]);
    expect(text(await start(), 'A', '')).toBeNull();
  });

  it('begins a file under a passphrase with what is in memory; it opens after a restart and holds nothing plain', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await keys.unlock(passphrase);
    expect(keys.keeping()).toBe('file');
    expect(await keys.set('B', other, here)).toBe('file');
    const written = await everythingOnDisk();
    for (const plain of [secret, other, passphrase, Buffer.from(secret).toString('base64').slice(0, 20)]) {
      expect(written).not.toContain(plain);
    }
    expect((await stat(join(folder, 'keys.enc'))).mode & 0o777).toBe(0o600);
    const again = await start();
    expect(again.keeping()).toBe('locked');
    expect(text(again, 'A', '')).toBeNull();
    expect([again.isLocked('A'), again.isLocked('C')]).toEqual([true, false]);
    await again.unlock(passphrase);
    expect([text(again, 'A', ''), text(again, 'B', '')]).toEqual([secret, other]);
    expect(again.isLocked('A')).toBe(false);
  });

  it('says so when the passphrase is wrong, and loses nothing', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await keys.unlock(passphrase);
    const before = await readFile(join(folder, 'keys.enc'));
    const again = await start();
    await expect(again.unlock('correct horse batter')).rejects.toMatchObject({ code: 'refused' });
    expect(again.keeping()).toBe('locked');
    expect(await readFile(join(folder, 'keys.enc'))).toEqual(before);
    await again.unlock(passphrase);
    expect(text(again, 'A', '')).toBe(secret);
    await expect(again.unlock('another one entirely')).rejects.toMatchObject({ code: 'refused' });
    expect(text(again, 'A', '')).toBe(secret);
  });

  it('joins keys that were set or forgotten while the file was locked', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await keys.set('B', secret, here);
    await keys.unlock(passphrase);
    const again = await start();
    expect(await again.set('A', other, here)).toBe('memory');
    await again.set('B', '', here);
    expect(text(again, 'A', '')).toBe(other);
    expect([again.isLocked('A'), again.isLocked('B')]).toEqual([false, false]);
    await again.unlock(passphrase);
    expect([text(again, 'A', ''), text(again, 'B', '')]).toEqual([other, null]);
    const third = await start();
    await third.unlock(passphrase);
    expect([text(third, 'A', ''), text(third, 'B', '')]).toEqual([other, null]);
  });

  it('locks again: the keys are gone from memory until the passphrase comes', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await keys.lock();
    expect(text(keys, 'A', '')).toBe(secret);
    await keys.unlock(passphrase);
    await keys.lock();
    expect(keys.keeping()).toBe('locked');
    expect([text(keys, 'A', ''), ...keys.values(), ...keys.names()]).toEqual([null]);
    expect(keys.isLocked('A')).toBe(true);
    await keys.unlock(passphrase);
    expect(text(keys, 'A', '')).toBe(secret);
  });

  it('never replaces a file that cannot be read, nor accepts one somebody changed', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await keys.unlock(passphrase);
    const path = join(folder, 'keys.enc');
    const whole = await readFile(path, 'utf8');
    const stored: { endpoints: string[] } = JSON.parse(whole);
    await writeFile(path, JSON.stringify({ ...stored, endpoints: ['B'] }));
    await expect((await start()).unlock(passphrase)).rejects.toMatchObject({ code: 'refused' });
    await writeFile(path, whole.slice(0, 40));
    const damaged = new KeyStore({ folder, env: {}, system: none, originOf: () => here });
    await expect(damaged.load()).rejects.toMatchObject({ code: 'bad_input' });
    await expect(damaged.unlock(passphrase)).rejects.toMatchObject({ code: 'bad_input' });
    expect(await damaged.set('A', other, here)).toBe('memory');
    expect(await readFile(path, 'utf8')).toBe(whole.slice(0, 40));
  });

  it('refuses a new passphrase that is too short, and keeps the key when the disk refuses the file', async () => {
    const keys = await start();
    await keys.set('A', secret, here);
    await expect(keys.unlock('short')).rejects.toMatchObject({ code: 'bad_input' });
    const inTheWay = join(folder, 'keys.enc');
    await mkdir(inTheWay);
    await expect(keys.unlock(passphrase)).rejects.toThrow();
    expect([text(keys, 'A', ''), keys.keeping()]).toEqual([secret, 'memory']);
    await rmdir(inTheWay);
    await keys.unlock(passphrase);
    await rename(inTheWay, `${inTheWay}.aside`);
    await mkdir(inTheWay);
    await expect(keys.set('A', other, here)).rejects.toThrow();
    expect(text(keys, 'A', '')).toBe(secret);
  });

  it('takes the environment variable first', async () => {
    const keys = await start(none, { THE_KEY: other });
    await keys.set('A', secret, here);
    expect(text(keys, 'A', 'THE_KEY')).toBe(other);
    expect(text(keys, 'A', 'NOT_SET')).toBe(secret);
    expect(keys.values().sort()).toEqual([secret, other].sort());
  });
});

describe('with a key store of the system', () => {
  it('seals keys there and needs no passphrase', async () => {
    const keys = await start(login('ada'));
    expect(await keys.set('A', secret, here)).toBe('store');
    expect(await everythingOnDisk()).not.toContain(secret);
    expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
    expect(text(await start(login('ada')), 'A', '')).toBe(secret);
    await expect(keys.unlock(passphrase)).rejects.toMatchObject({ code: 'refused' });
    expect(keys.keeping()).toBe('store');
  });

  it('writes back what another login sealed instead of losing it', async () => {
    await (await start(login('ada'))).set('A', secret, here);
    const bob = new KeyStore({ folder, env: {}, system: login('bob'), originOf: () => here });
    await expect(bob.load()).rejects.toMatchObject({ code: 'refused' });
    await bob.set('B', other, here);
    const ada = new KeyStore({ folder, env: {}, system: login('ada'), originOf: () => here });
    await expect(ada.load()).rejects.toMatchObject({ code: 'refused' });
    expect(text(ada, 'A', '')).toBe(secret);
  });

  it('puts a damaged file aside', async () => {
    await writeFile(join(folder, 'keys.json'), '{"A": ');
    const keys = new KeyStore({ folder, env: {}, system: login('ada'), originOf: () => here });
    await expect(keys.load()).rejects.toMatchObject({ code: 'bad_input' });
    await keys.set('B', other, here);
    expect(await readFile(join(folder, 'keys.json.broken'), 'utf8')).toBe('{"A": ');
  });
});

it('answers the window with names, never with a key', async () => {
  const keys = await start(none, { THE_KEY: other });
  await keys.set('A', secret, here);
  const endpoints = ['A', 'B', 'C'].map((name) => ({
    name,
    baseUrl: 'http://localhost/v1',
    model: 'm',
    keyEnv: name === 'B' ? 'THE_KEY' : '',
    contextTokens: 1_000,
    maxTokens: 1,
    temperature: 1,
    sendReasoning: false,
    parallelCalls: false,
    images: false,
    price: null,
  }));
  const power = () => ({ holdingFor: 0, onBattery: false, lastSleep: null });
  const handlers = keepingHandlers({ keys, endpoints: () => endpoints, power });
  expect(await handlers['settings.keys'](undefined)).toEqual({ kept: 'memory', endpoints: ['A', 'B'] });
  const unlocked = await handlers['settings.unlockKeys']({ passphrase });
  expect(unlocked).toEqual({ kept: 'file', endpoints: ['A', 'B'] });
  const locked = await handlers['settings.lockKeys'](undefined);
  expect(locked).toEqual({ kept: 'locked', endpoints: ['B'] });
  expect(JSON.stringify([unlocked, locked])).not.toContain('sk-');
});

describe('a key belongs to an origin', () => {
  const evil = 'http://127.0.0.1:1';
  const settings = { A: 'https://first.example' };
  const originOf = (name: string) => (name === 'A' ? settings.A : '');
  const goes = (keys: KeyStore, origin: string) => {
    const key = keys.find('A', '', origin);
    return () => key?.headerFor(new URL(`${origin}/v1/chat/completions`));
  };

  it.each([
    ['sealed'],
    ['under a passphrase'],
  ])('%s: it is kept with the key, and another gets nothing', async (how) => {
    const system = how === 'sealed' ? login('ada') : none;
    const open = async () => {
      const keys = new KeyStore({ folder, env: {}, system, originOf });
      await keys.load();
      if (how !== 'sealed') await keys.unlock(passphrase);
      return keys;
    };
    const keys = await open();
    await keys.set('A', secret, 'https://first.example');
    settings.A = evil;
    const again = await open();
    expect(goes(again, 'https://first.example')()).toBe(`Bearer ${secret}`);
    for (const other of [
      evil,
      'http://first.example',
      'https://first.example:8443',
      'https://x.first.example',
    ])
      expect(goes(again, other), other).toThrow(KeyElsewhere);
    await again.bind('A', evil);
    expect(goes(await open(), evil)()).toBe(`Bearer ${secret}`);
    settings.A = 'https://first.example';
  });

  it('keys from before get the origin of the settings at the next start, and keep it', async () => {
    const sealed = login('ada').seal(secret).toString('base64');
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ A: sealed, B: sealed }));
    const open = async () => {
      const keys = new KeyStore({ folder, env: {}, system: login('ada'), originOf });
      await keys.load();
      return keys;
    };
    expect((await open()).originFor('A')).toBe('https://first.example');
    settings.A = evil;
    const again = await open();
    expect([again.originFor('A'), again.originFor('B')]).toEqual(['https://first.example', '']);
    settings.A = 'https://first.example';
    expect(() => again.find('B', '', evil)?.headerFor(new URL(evil))).toThrow(KeyElsewhere);
  });

  it('a file under a passphrase from before opens, and has origins from then on', async () => {
    await writeFile(join(folder, 'keys.enc'), await oldKeyFile(passphrase, { A: secret }));
    const open = async () => {
      const keys = new KeyStore({ folder, env: {}, system: none, originOf });
      await keys.load();
      expect(keys.isLocked('A')).toBe(true);
      await keys.unlock(passphrase);
      return keys;
    };
    expect((await open()).originFor('A')).toBe('https://first.example');
    settings.A = evil;
    expect((await open()).originFor('A')).toBe('https://first.example');
    settings.A = 'https://first.example';
  });
});

/** The first version of the file: keys without origins. */
async function oldKeyFile(phrase: string, keys: Record<string, string>): Promise<string> {
  const kdf = { name: 'scrypt', N: 2 ** 14, r: 8, p: 1, salt: randomBytes(16).toString('base64') };
  const key = scryptSync(phrase, Buffer.from(kdf.salt, 'base64'), 32, { ...kdf, maxmem: 2 ** 28 });
  const endpoints = Object.keys(keys).sort();
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(JSON.stringify([1, endpoints, kdf.N, kdf.r, kdf.p, kdf.salt])));
  const data = Buffer.concat([cipher.update(JSON.stringify(keys)), cipher.final()]).toString('base64');
  const tag = cipher.getAuthTag().toString('base64');
  return JSON.stringify({ version: 1, endpoints, kdf, iv: iv.toString('base64'), tag, data });
}
