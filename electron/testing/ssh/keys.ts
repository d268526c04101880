import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './namespaces';

export type KeyKind = 'ed25519' | 'ecdsa' | 'rsa';

export interface KeyOptions {
  kind?: KeyKind;
  passphrase?: string;
  /** `PEM`: the traditional form; `PKCS8`; else OpenSSH's own. */
  format?: 'PEM' | 'PKCS8';
}

/** A throw-away key pair. */
export interface TestKey {
  file: string;
  /** Line as in authorized_keys. */
  publicLine: string;
  passphrase: string;
}

/** Makes a key pair with ssh-keygen. */
export async function makeKey(folder: string, name: string, options: KeyOptions = {}): Promise<TestKey> {
  const { kind = 'ed25519', passphrase = '', format } = options;
  const file = join(folder, name);
  await run('ssh-keygen', [
    ...['-q', '-t', kind, '-N', passphrase, '-C', name, '-f', file],
    ...(kind === 'rsa' ? ['-b', '2048'] : []),
    ...(format === undefined ? [] : ['-m', format]),
    // Few rounds: the tests try the passphrase, not the patience.
    ...(passphrase === '' || format !== undefined ? [] : ['-a', '2']),
  ]);
  return { file, publicLine: (await readFile(`${file}.pub`, 'utf8')).trim(), passphrase };
}

/** Signs a key, so that `<file>-cert.pub` lies beside it. */
export async function certify(authority: TestKey, key: TestKey, principal: string): Promise<void> {
  await run('ssh-keygen', ['-q', '-s', authority.file, '-I', 'test', '-n', principal, `${key.file}.pub`]);
}

/** Signs a host's key. */
export async function certifyHost(authority: TestKey, key: TestKey, name: string): Promise<void> {
  await run('ssh-keygen', ['-q', '-s', authority.file, '-h', '-I', 'host', '-n', name, `${key.file}.pub`]);
}

/** `SHA256:…` of a public key file, as ssh-keygen prints it. */
export async function sha256Of(publicFile: string): Promise<string> {
  return (await run('ssh-keygen', ['-l', '-f', publicFile])).split(' ')[1] ?? '';
}
