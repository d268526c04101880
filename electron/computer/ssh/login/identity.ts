import { createHash, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { type ParsedKey, utils } from 'ssh2';

/** The first strings of an SSH message (length and bytes each), or undefined when it is cut short. */
function readSshStrings(data: Buffer, count: number): { strings: Buffer[]; rest: Buffer } | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    if (at + 4 > data.length) return undefined;
    const length = data.readUInt32BE(at);
    if (at + 4 + length > data.length) return undefined;
    strings.push(data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { strings, rest: data.subarray(at) };
}

/** Type of a public key as it goes over the wire; empty when it is none. */
export function keyTypeOf(blob: Buffer): string {
  return readSshStrings(blob, 1)?.strings[0]?.toString('latin1') ?? '';
}

/** `SHA256:…` as OpenSSH prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** A key as a file or an agent offers it, as far as it can be told without its secret. */
export interface Identity {
  /** Private key file; absent for a key that only the agent holds. */
  file: string | null;
  /** `ssh-ed25519`, `sk-ssh-ed25519@openssh.com`, …; null when an encrypted PEM hides it. */
  type: string | null;
  /** Public part as it goes over the wire; null when an encrypted PEM hides it. */
  blob: Buffer | null;
  /** The file needs a passphrase. */
  encrypted: boolean;
  /** The text of the file; absent for a public key that only the agent can use. */
  privateText: string | null;
}

/** Why a configured file gives no key. */
interface NoIdentity {
  file: string;
  problem: 'missing' | 'unreadable';
  /** One sentence for a person. */
  message: string;
}

/** What the built-in client can sign with. */
const signable = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
]);

/** The name of what only the system's client can do with a key of this type, or null. */
export function beyondSsh2(type: string | null): string | null {
  if (type === null || signable.has(type)) return null;
  if (type.includes('-cert-v01@')) return 'certificates';
  if (type.startsWith('sk-')) return 'security keys (FIDO)';
  return `keys of type ${type}`;
}

/** Looks at a configured key file: the private key, or its public part where only the agent has the secret. */
export async function readIdentity(file: string): Promise<Identity | NoIdentity> {
  const text = await readKeyFile(file);
  const beside = await readKeyFile(`${file}.pub`);
  const known = typeof beside === 'string' ? publicPart(beside) : undefined;
  if (typeof text !== 'string') {
    if (known) return { file, ...known, encrypted: false, privateText: null };
    return text.code === 'ENOENT'
      ? { file, problem: 'missing', message: `${file} does not exist.` }
      : { file, problem: 'unreadable', message: `${file} cannot be read (${text.code ?? text.message}).` };
  }
  const open = publicPart(text);
  if (open) return { file, ...open, encrypted: false, privateText: null };
  const own = privateHead(text);
  if (!own) return { file, problem: 'unreadable', message: `${file} is not a private key that ssh knows.` };
  const { type, blob } = own.blob === null && known ? known : own;
  return { file, type, blob, encrypted: own.encrypted, privateText: text };
}

/**
 * The key ready to sign. `wrong` also when a passphrase is needed and none was given.
 * Decrypting takes a third of a second of this thread: that is what bcrypt is for.
 */
export function unlockIdentity(identity: Identity, passphrase?: string): ParsedKey | 'wrong' | Error {
  const { privateText } = identity;
  if (privateText === null) return new Error(`${identity.file} holds no private key.`);
  const pem = /^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/m.test(privateText)
    ? fromPkcs8(privateText, passphrase)
    : privateText;
  if (pem instanceof Error) return identity.encrypted ? 'wrong' : pem;
  const key = utils.parseKey(pem, passphrase);
  if (key instanceof Error) return identity.encrypted ? 'wrong' : key;
  return key.isPrivateKey() ? key : new Error(`${identity.file} holds no private key.`);
}

/** The traditional form, which is the only PEM that ssh2 reads. */
function fromPkcs8(text: string, passphrase: string | undefined): string | Error {
  try {
    const key = createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) });
    if (key.asymmetricKeyType === 'rsa') return String(key.export({ type: 'pkcs1', format: 'pem' }));
    if (key.asymmetricKeyType === 'ec') return String(key.export({ type: 'sec1', format: 'pem' }));
    return new Error(`keys of type ${key.asymmetricKeyType} in PKCS#8 are not supported`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function readKeyFile(file: string): Promise<string | NodeJS.ErrnoException> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Of a line as in `.pub` files. */
function publicPart(text: string): { type: string; blob: Buffer } | undefined {
  const [, type, base64] = /^((?:ssh|ecdsa|sk)-[\w@.-]+)\s+([A-Za-z0-9+/=]+)/.exec(text.trimStart()) ?? [];
  if (type === undefined || base64 === undefined) return undefined;
  return { type, blob: Buffer.from(base64, 'base64') };
}

function privateHead(
  text: string,
): { type: string | null; blob: Buffer | null; encrypted: boolean } | undefined {
  const [, kind, body] = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----\r?\n([\s\S]*?)\r?\n-----END/.exec(text) ?? [];
  if (kind === undefined || body === undefined) return undefined;
  if (kind === 'OPENSSH PRIVATE KEY') return openSshHead(Buffer.from(body, 'base64'));
  const encrypted = kind.startsWith('ENCRYPTED') || /^Proc-Type: 4,ENCRYPTED/m.test(body);
  if (encrypted) return { type: null, blob: null, encrypted };
  const key = unlockIdentity({ file: null, type: null, blob: null, encrypted: false, privateText: text });
  if (key === 'wrong' || key instanceof Error) return undefined;
  return { type: key.type, blob: key.getPublicSSH(), encrypted };
}

const magic = 'openssh-key-v1\0';

/** In this format the public part stands before the encrypted one. */
function openSshHead(data: Buffer): { type: string; blob: Buffer; encrypted: boolean } | undefined {
  if (data.toString('latin1', 0, magic.length) !== magic) return undefined;
  const head = readSshStrings(data.subarray(magic.length), 3);
  if (!head) return undefined;
  const [cipher] = head.strings;
  const [blob] = readSshStrings(head.rest.subarray(4), 1)?.strings ?? [];
  const [type] = blob ? (readSshStrings(blob, 1)?.strings ?? []) : [];
  if (!cipher || !blob || !type) return undefined;
  return { type: type.toString('latin1'), blob, encrypted: cipher.toString('latin1') !== 'none' };
}

export interface AgentKey {
  type: string;
  blob: Buffer;
  comment: string;
}

const listKeys = Buffer.from([0, 0, 0, 1, 11]); // SSH_AGENTC_REQUEST_IDENTITIES
const keysAnswer = 12; // SSH_AGENT_IDENTITIES_ANSWER
const limitMs = 5000;
const maxAnswer = 1 << 20;

/**
 * The keys an agent holds, also those that ssh2 could not use: a person is told why such a key was not tried.
 * @throws Error when the agent does not answer as one
 */
export function listAgentKeys(socket: string): Promise<AgentKey[]> {
  return new Promise((resolve, reject) => {
    const link = connect(socket);
    let answer = Buffer.alloc(0);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      link.destroy();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('it did not answer'))), limitMs);
    link.once('error', (error) => end(() => reject(error)));
    link.once('close', () => end(() => reject(new Error('it hung up'))));
    link.on('data', (bytes: Buffer) => {
      answer = Buffer.concat([answer, bytes]);
      const message = readSshStrings(answer, 1)?.strings[0];
      if (message) end(() => resolve(parseKeys(message)));
      else if (answer.length > maxAnswer) end(() => reject(new Error('its answer has no end')));
    });
    link.write(listKeys);
  });
}

function parseKeys(message: Buffer): AgentKey[] {
  if (message[0] !== keysAnswer || message.length < 5) return [];
  const keys: AgentKey[] = [];
  let rest = message.subarray(5);
  for (let left = message.readUInt32BE(1); left > 0; left -= 1) {
    const pair = readSshStrings(rest, 2);
    const [blob, comment] = pair?.strings ?? [];
    if (!pair || !blob || !comment) break;
    rest = pair.rest;
    keys.push({ type: keyTypeOf(blob), blob: Buffer.from(blob), comment: comment.toString('utf8') });
  }
  return keys;
}
