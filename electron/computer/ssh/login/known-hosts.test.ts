import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KnownHostName, KnownHosts, matchesPatternList, recordHostKey } from './known-hosts';

const blob = (text: string) => {
  const type = Buffer.from('ssh-ed25519');
  const body = Buffer.from(text);
  const length = (of: Buffer) => Buffer.from(Uint32Array.of(of.length).buffer).swap32();
  return Buffer.concat([length(type), type, length(body), body]);
};
const line = (names: string, key: Buffer, marker = '') =>
  `${marker === '' ? '' : `${marker} `}${names} ssh-ed25519 ${key.toString('base64')} comment`;

describe('known hosts', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-known-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const box: KnownHostName = { hostName: 'Box.Example', port: 22, hostKeyAlias: null };
  const [one, two] = [blob('one'), blob('two')];
  const judge = async (lines: string[], key = one, host = box) => {
    const file = join(folder, 'known');
    await writeFile(file, lines.join('\n'));
    return (await KnownHosts.read([join(folder, 'absent'), file], host)).judge(key);
  };

  it('judges as ssh does', async () => {
    expect(await judge([])).toEqual({ kind: 'unknown', authority: null });
    expect(await judge(['# box', '', line('box.example', one)])).toMatchObject({
      kind: 'trusted',
      at: { line: 3 },
    });
    expect(await judge([line('box.example', two)])).toMatchObject({ kind: 'changed', at: { line: 1 } });
    expect(await judge([line('box.example', two), line('*.example', one)])).toMatchObject({
      kind: 'trusted',
    });
    expect(await judge([line('box.example', one), line('*', one, '@revoked')])).toMatchObject({
      kind: 'revoked',
      at: { line: 2 },
    });
    expect(await judge([line('*', two, '@revoked')])).toMatchObject({ kind: 'unknown' });
    expect(await judge([line('*', one, '@cert-authority')])).toMatchObject({
      kind: 'unknown',
      authority: { line: 1 },
    });
    expect(await judge([line('!box.example,*', one)])).toMatchObject({ kind: 'unknown' });
    expect(await judge([line('box.example', one, '@made-up')])).toMatchObject({ kind: 'unknown' });
  });

  it('names the record of the type that was shown, and else the last one', async () => {
    const file = join(folder, 'types');
    const rsa = 'box.example ssh-rsa AAAAB3NzaC1yc2E=';
    await writeFile(file, [rsa, line('box.example', one), line('*', two, '@revoked'), rsa].join('\n'));
    const known = await KnownHosts.read([file], box);
    expect(known.replaced('ssh-ed25519')).toMatchObject({ type: 'ssh-ed25519', line: 2 });
    expect(known.replaced('ssh-ed25519-cert-v01@openssh.com')).toMatchObject({ line: 2 });
    expect(known.replaced('ecdsa-sha2-nistp256')).toMatchObject({ type: 'ssh-rsa', line: 4 });
    expect(known.judge(blob('three'))).toMatchObject({ kind: 'changed', at: { line: 2 } });
    expect((await KnownHosts.read([], box)).replaced('ssh-rsa')).toBeUndefined();
  });

  it('reads past what makes no sense', async () => {
    const nonsense = [
      'box.example',
      'box.example ssh-ed25519',
      '|1|x',
      '|2|a|b ssh-ed25519 AAAA',
      '@revoked',
      '\0\0',
      '  ',
    ];
    expect(await judge([...nonsense, line('box.example', one)])).toMatchObject({
      kind: 'trusted',
      at: { line: nonsense.length + 1 },
    });
  });

  it('keeps ports apart, but for a key on record without one', async () => {
    const far = { ...box, port: 2222 };
    expect(await judge([line('[box.example]:2222', one)], one, far)).toMatchObject({ kind: 'trusted' });
    expect(await judge([line('[box.example]:2222', one)])).toMatchObject({ kind: 'unknown' });
    expect(await judge([line('box.example', one)], one, far)).toMatchObject({ kind: 'trusted' });
    expect(await judge([line('box.example', two)], one, far)).toMatchObject({ kind: 'unknown' });
    expect(await judge([line('box.example', one, '@revoked')], one, far)).toMatchObject({ kind: 'revoked' });
    const alias = { ...far, hostKeyAlias: 'farm' };
    expect(await judge([line('farm', one), line('box.example', two)], one, alias)).toMatchObject({
      kind: 'trusted',
    });
  });

  it('records a key in a new private file, hashed or not, and never joins lines', async () => {
    const file = join(folder, 'new', 'known_hosts');
    await recordHostKey(file, box, { type: 'ssh-ed25519', blob: one }, false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).toBe(`box.example ssh-ed25519 ${one.toString('base64')}\n`);
    const other = { ...box, port: 23 };
    await writeFile(file, 'unended', { flag: 'a' });
    await recordHostKey(file, other, { type: 'ssh-ed25519', blob: two }, true);
    const [, unended, hashed] = (await readFile(file, 'utf8')).split('\n');
    expect(unended).toBe('unended');
    expect(hashed).toMatch(/^\|1\|[^|]+\|[^ ]+ ssh-ed25519 /);
    expect((await KnownHosts.read([file], other)).judge(two)).toMatchObject({
      kind: 'trusted',
      at: { line: 3 },
    });
  });

  it('loses no line when several record at once', async () => {
    const file = join(folder, 'busy');
    const hosts = Array.from({ length: 50 }, (_, index) => ({ ...box, hostName: `h${index}` }));
    await Promise.all(
      hosts.map((host) => recordHostKey(file, host, { type: 'ssh-ed25519', blob: one }, false)),
    );
    const names = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((text) => text.split(' ')[0]);
    expect(new Set(names)).toEqual(new Set(hosts.map(({ hostName }) => hostName)));
  });

  it('asks nobody to trust a key over a file that is there and cannot be read', async () => {
    // A folder, because root may read every file.
    await expect(KnownHosts.read([join(folder, 'absent'), folder], box)).rejects.toMatchObject({
      reason: 'config',
      stage: 'host_key',
      message: expect.stringContaining(folder),
    });
  });

  it('matches patterns, in time also against one made to take for ever', () => {
    expect(matchesPatternList('gpu-12', ['gpu-??'])).toBe(true);
    expect(matchesPatternList('GPU-12', ['gpu-*', '!gpu-1?'])).toBe(false);
    expect(matchesPatternList('', ['*'])).toBe(true);
    expect(matchesPatternList('a', [''])).toBe(false);
    expect(matchesPatternList('a'.repeat(2000), [`${'*a'.repeat(500)}b`])).toBe(false);
  });
});
