import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConnectFailure } from '../transport';
import { fingerprint, keyTypeOf } from './identity';

/**
 * Whether a name fits a list of patterns with `*`, `?` and `!` as OpenSSH reads them: a negated pattern that fits
 * decides against the whole list. Compared without regard to case.
 */
export function matchesPatternList(name: string, patterns: readonly string[]): boolean {
  const subject = name.toLowerCase();
  let found = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    if (!fits(subject, (negated ? pattern.slice(1) : pattern).toLowerCase())) continue;
    if (negated) return false;
    found = true;
  }
  return found;
}

/** Iterative, so that a pattern of many stars costs at most name × pattern steps. */
function fits(name: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let starPlace = -1;
  let starAt = 0;
  while (at < name.length) {
    const sign = pattern[place];
    if (sign === '*') {
      starPlace = place;
      starAt = at;
      place += 1;
    } else if (sign !== undefined && (sign === '?' || sign === name[at])) {
      at += 1;
      place += 1;
    } else if (starPlace >= 0) {
      starAt += 1;
      at = starAt;
      place = starPlace + 1;
    } else {
      return false;
    }
  }
  while (pattern[place] === '*') place += 1;
  return place === pattern.length;
}

/** A line of a known hosts file that is about the host in question. */
interface KnownKey {
  file: string;
  /** 1 for the first. */
  line: number;
  marker: 'none' | 'revoked' | 'cert-authority';
  /** `ssh-ed25519`, … */
  type: string;
  /** As it goes over the wire. */
  blob: Buffer;
}

export type HostKeyVerdict =
  | { kind: 'trusted'; at: KnownKey }
  /** `authority`: a line says that certificates of the host are to be trusted, which its plain key does not help. */
  | { kind: 'unknown'; authority: KnownKey | null }
  | { kind: 'changed'; at: KnownKey }
  | { kind: 'revoked'; at: KnownKey };

export interface KnownHostName {
  hostName: string;
  port: number;
  hostKeyAlias: string | null;
}

/** What files say about one host; read anew for every connection. */
export class KnownHosts {
  private constructor(
    private readonly named: readonly KnownKey[],
    /** Found under the name without its port, which ssh falls back to. */
    private readonly bare: readonly KnownKey[],
  ) {}

  /**
   * Files that are missing say nothing. One that is there and cannot be read might say that the key has changed or is revoked,
   * so nobody is asked to trust a key over it.
   * @throws ConnectFailure config
   */
  static async read(files: readonly string[], host: KnownHostName): Promise<KnownHosts> {
    const texts: { file: string; text: string }[] = [];
    for (const file of files) {
      const text = await textOf(file);
      if (text !== undefined) texts.push({ file, text });
    }
    const name = nameInFile(host);
    const bare = host.hostName.toLowerCase();
    const lines = (wanted: string) => texts.flatMap(({ file, text }) => matchingLines(file, text, wanted));
    return new KnownHosts(lines(name), host.hostKeyAlias === null && bare !== name ? lines(bare) : []);
  }

  /** Types of the keys on record, which are asked for first. */
  types(): Set<string> {
    const keys = this.named.some(isPlain) ? this.named : this.bare;
    return new Set(keys.filter(isPlain).map(({ type }) => type));
  }

  /** The line that trusts whoever has a certificate of this authority, if that is all there is. */
  authority(): KnownKey | null {
    const keys = [...this.named, ...this.bare];
    if (keys.some(isPlain)) return null;
    return keys.find(({ marker }) => marker === 'cert-authority') ?? null;
  }

  /**
   * The record that a changed key is compared with: one of its own type, else the last of whatever type, as ssh names it.
   * @param type of the key that was shown, as `ssh-ed25519`
   */
  replaced(type: string): KnownKey | undefined {
    const plain = this.named.filter(isPlain);
    const own = type.replace(/-cert-v0\d@openssh\.com$/, '');
    return plain.findLast((key) => key.type === own) ?? plain.at(-1);
  }

  /** The line that marks a key as revoked. */
  revoked(sha256: string): KnownKey | undefined {
    return [...this.named, ...this.bare].find(
      (key) => key.marker === 'revoked' && fingerprint(key.blob) === sha256,
    );
  }

  /** As ssh decides: revoked before all; a key on record that is another one, of whatever type, means changed. */
  judge(blob: Buffer): HostKeyVerdict {
    const same = (key: KnownKey) => key.blob.equals(blob);
    const revoked = [...this.named, ...this.bare].find((key) => key.marker === 'revoked' && same(key));
    if (revoked) return { kind: 'revoked', at: revoked };
    const plain = this.named.filter(isPlain);
    const trusted = plain.find(same);
    if (trusted) return { kind: 'trusted', at: trusted };
    const other = this.replaced(keyTypeOf(blob));
    if (other) return { kind: 'changed', at: other };
    const bare = this.bare.filter(isPlain).find(same);
    if (bare) return { kind: 'trusted', at: bare };
    return { kind: 'unknown', authority: this.authority() };
  }
}

/** `host`, `[host]:port`, or the name that HostKeyAlias gives, as it stands in a known hosts file. */
export function nameInFile({ hostName, port, hostKeyAlias }: KnownHostName): string {
  if (hostKeyAlias !== null) return hostKeyAlias;
  const host = hostName.toLowerCase();
  return port === 22 ? host : `[${host}]:${port}`;
}

/**
 * Records a key that a person decided to trust. One write at the end of the file, so that lines others add at the same
 * time stay whole; a new file is 0600 in a folder 0700.
 * @throws NodeJS.ErrnoException
 */
export async function recordHostKey(
  file: string,
  host: KnownHostName,
  key: { type: string; blob: Buffer },
  hashed: boolean,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const unended = size > 0 && last.toString() !== '\n';
    const name = nameInFile(host);
    const line = `${hashed ? hashedName(name) : name} ${key.type} ${key.blob.toString('base64')}\n`;
    await handle.appendFile(`${unended ? '\n' : ''}${line}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** All lines that are about a name; one that makes no sense is passed over, as by ssh. */
function matchingLines(file: string, text: string, name: string): KnownKey[] {
  const keys: KnownKey[] = [];
  for (const [index, source] of text.split('\n').entries()) {
    const words = source.trim().split(/\s+/);
    if (!words[0] || words[0].startsWith('#')) continue;
    const marker = words[0].startsWith('@') ? words.shift() : undefined;
    const [names, type, base64] = words;
    if (names === undefined || type === undefined || base64 === undefined) continue;
    if (marker !== undefined && marker !== '@revoked' && marker !== '@cert-authority') continue;
    if (!isAbout(names, name)) continue;
    const blob = Buffer.from(base64, 'base64');
    if (blob.length === 0) continue;
    keys.push({
      file,
      line: index + 1,
      marker: marker === '@revoked' ? 'revoked' : marker === '@cert-authority' ? 'cert-authority' : 'none',
      type,
      blob,
    });
  }
  return keys;
}

function isAbout(names: string, name: string): boolean {
  if (!names.startsWith('|')) return matchesPatternList(name, names.split(','));
  const [, method, salt, hash] = names.split('|');
  if (method !== '1' || salt === undefined || hash === undefined) return false;
  return createHmac('sha1', Buffer.from(salt, 'base64'))
    .update(name)
    .digest()
    .equals(Buffer.from(hash, 'base64'));
}

function hashedName(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

function isPlain({ marker }: KnownKey): boolean {
  return marker === 'none';
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConnectFailure(
      'config',
      'host_key',
      `The known hosts in ${file} cannot be read, so the host's key cannot be checked. Fix the file or its permissions, then try again.`,
      message,
      { cause: error },
    );
  }
}
