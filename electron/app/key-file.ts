import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';
import { z } from 'zod';
import { writePrivately } from '../files/output-file';

/** scrypt: 64 MB and about a third of a second for every passphrase that is tried. */
const COST = { N: 2 ** 16, r: 8, p: 1 };
const MEMORY = 256 * 1024 * 1024;
const SHORTEST = 8;

const base64 = z.string().regex(/^[A-Za-z0-9+/]+=*$/u);

/** A key and the origin it may be sent to; empty: to none, until the person says so. */
export interface KeptKey {
  key: string;
  origin: string;
}
export type KeptKeys = ReadonlyMap<string, KeptKey>;

const fileSchema = z.object({
  /** 1: keys without their origins. */
  version: z.union([z.literal(1), z.literal(2)]),
  /** Whose keys are inside; names of endpoints are no secret, and a locked file can tell what it holds. */
  endpoints: z.array(z.string()),
  kdf: z.object({
    name: z.literal('scrypt'),
    N: z
      .int()
      .min(2)
      .max(2 ** 20),
    r: z.int().min(1).max(32),
    p: z.int().min(1).max(16),
    salt: base64,
  }),
  iv: base64,
  tag: base64,
  data: base64,
});
type Stored = z.infer<typeof fileSchema>;
type Kdf = Stored['kdf'];

const keptSchema = z.object({ key: z.string(), origin: z.string() });
const keysSchema = z.record(z.string(), z.union([keptSchema, z.string().transform((key) => ({ key }))]));

/** What sealed text or an encrypted file holds of one key; without an origin it is from before keys had one. */
export interface FoundKey {
  key: string;
  origin?: string;
}

/** Reverses `sealedText`; a text that is none of those is a key from before. */
export function foundKey(text: string): FoundKey {
  const kept = keptSchema.safeParse(parsed(text));
  return kept.success ? kept.data : { key: text };
}

export function sealedText({ key, origin }: KeptKey): string {
  return JSON.stringify({ key, origin });
}

/** An opened file: writes keys with the passphrase it was opened with, which itself is not kept. */
export interface OpenedKeyFile {
  readonly keys: ReadonlyMap<string, FoundKey>;
  /** Replaces the file's content; on a failure the file is as it was. */
  write(keys: KeptKeys): Promise<void>;
}

/**
 * Model keys in a file under a passphrase (scrypt, AES-256-GCM), for machines without a key store of their own. Every
 * write is atomic and readable by the owner only; a passphrase that does not fit changes nothing.
 */
export class KeyFile {
  constructor(readonly path: string) {}

  /** Endpoints with a key inside; null when there is no file. @throws WaymarkError bad_input, when it is damaged */
  async endpoints(): Promise<string[] | null> {
    return (await this.read())?.endpoints ?? null;
  }

  /**
   * Opens the file, or begins one where there is none (written with the first keys).
   * @throws WaymarkError refused for a wrong passphrase; bad_input for a damaged file or a new passphrase that is too short
   */
  async open(passphrase: string): Promise<OpenedKeyFile> {
    const stored = await this.read();
    if (stored === null) {
      if (passphrase.length < SHORTEST) {
        throw new WaymarkError(
          'bad_input',
          `A new passphrase needs at least ${SHORTEST} characters. Nothing was written.`,
        );
      }
      const kdf: Kdf = { name: 'scrypt', ...COST, salt: randomBytes(16).toString('base64') };
      return this.opened(await derive(passphrase, kdf), kdf, new Map());
    }
    const secret = await derive(passphrase, stored.kdf);
    return this.opened(secret, stored.kdf, decrypt(secret, stored));
  }

  private opened(secret: Buffer, kdf: Kdf, keys: ReadonlyMap<string, FoundKey>): OpenedKeyFile {
    return { keys, write: (next) => writePrivately(this.path, JSON.stringify(encrypt(secret, kdf, next))) };
  }

  private async read(): Promise<Stored | null> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const stored = fileSchema.safeParse(parsed(text));
    if (stored.success) return stored.data;
    throw new WaymarkError(
      'bad_input',
      `The key file ${this.path} is damaged and was left untouched. Restore it from a backup, or move it away and enter the keys again.`,
    );
  }
}

function derive(passphrase: string, { N, r, p, salt }: Kdf): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: MEMORY };
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** Everything beside the keys is authenticated with them, so that nobody can swap a part of the file unnoticed. */
const associated = (version: Stored['version'], endpoints: string[], kdf: Kdf) =>
  Buffer.from(JSON.stringify([version, endpoints, kdf.N, kdf.r, kdf.p, kdf.salt]), 'utf8');

function encrypt(secret: Buffer, kdf: Kdf, keys: KeptKeys): Stored {
  const version = 2;
  const iv = randomBytes(12);
  const endpoints = [...keys.keys()].sort();
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  cipher.setAAD(associated(version, endpoints, kdf));
  const data = Buffer.concat([
    cipher.update(JSON.stringify(Object.fromEntries(keys)), 'utf8'),
    cipher.final(),
  ]);
  return {
    version,
    endpoints,
    kdf,
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

function decrypt(secret: Buffer, { version, endpoints, kdf, iv, tag, data }: Stored): Map<string, FoundKey> {
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(iv, 'base64'), {
      authTagLength: 16,
    });
    decipher.setAAD(associated(version, endpoints, kdf));
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString(
      'utf8',
    );
    return new Map(Object.entries(keysSchema.parse(JSON.parse(text))));
  } catch (error) {
    throw new WaymarkError(
      'refused',
      'This passphrase does not unlock the stored keys. Nothing was changed; try again.',
      undefined,
      { cause: error },
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
