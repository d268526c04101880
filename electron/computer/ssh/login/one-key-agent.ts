import {
  BaseAgent,
  type IdentityCallback,
  OpenSSHAgent,
  type ParsedKey,
  type SignCallback,
  type SigningRequestOptions,
  utils,
} from 'ssh2';
import type { HopContext } from '../ssh2/ssh2-hop';
import { ConnectFailure } from '../transport';
import { type Identity, unlockIdentity } from './identity';

/** A key to try: the agent signs with it, or its file is unlocked when the host wants it. */
export type Candidate =
  | { from: 'agent'; socket: string; blob: Buffer; type: string; label: string }
  | { from: 'file'; identity: Identity; label: string };

/** How often a person may mistype a passphrase before the key is passed over, as ssh. */
const passphraseTries = 3;

export interface SignerEvents {
  /** The connection has to end: a person gave up. */
  refuse(failure: ConnectFailure): void;
  note(text: string): void;
}

/**
 * One key as ssh2 likes it: as an agent that holds nothing else. One at a time, because only so it is told which key
 * succeeded in part; and as an agent also for files, because only agents may take their time to sign, in which a person
 * types the passphrase, and only for a key that the host said it wants.
 */
export class OneKeyAgent extends BaseAgent {
  private constructor(
    private readonly key: ParsedKey,
    private readonly signWith: (data: Buffer, options: SigningRequestOptions) => Promise<Buffer>,
  ) {
    super();
  }

  /** Undefined when the key gives nothing to offer: wrong passphrase, damaged file. */
  static async make(
    candidate: Candidate,
    hop: HopContext,
    events: SignerEvents,
  ): Promise<OneKeyAgent | undefined> {
    if (candidate.from === 'agent') {
      const key = utils.parseKey(candidate.blob);
      if (key instanceof Error) {
        events.note(`${candidate.label} could not be read: ${key.message}.`);
        return undefined;
      }
      return new OneKeyAgent(key, (data, options) => signByAgent(candidate.socket, key, data, options));
    }
    const { identity } = candidate;
    const unlock = () => unlockFile(identity, hop, events);
    if (identity.blob === null) {
      // An old encrypted PEM does not even tell its public part.
      const key = await unlock();
      return key && new OneKeyAgent(key, async (data, { hash }) => signed(key, data, hash));
    }
    const key = utils.parseKey(identity.blob);
    if (key instanceof Error) {
      events.note(`${candidate.label} could not be read: ${key.message}.`);
      return undefined;
    }
    return new OneKeyAgent(key, async (data, { hash }) => {
      const secret = await unlock();
      if (!secret) throw new Error('the key stayed locked');
      return signed(secret, data, hash);
    });
  }

  override getIdentities(done: IdentityCallback<ParsedKey>): void {
    done(null, [this.key]);
  }

  override sign(
    _key: ParsedKey | Buffer | string,
    data: Buffer,
    options: SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    const done = typeof options === 'function' ? options : callback;
    this.signChecked(data, typeof options === 'function' ? {} : options).then(
      (signature) => done?.(null, signature),
      (error: Error) => done?.(error),
    );
  }

  private async signChecked(data: Buffer, options: SigningRequestOptions): Promise<Buffer> {
    // ssh2 falls back to it when a host does not say what it takes.
    if (this.key.type === 'ssh-rsa' && options.hash !== 'sha256' && options.hash !== 'sha512')
      throw new Error('the host takes RSA keys with SHA-1 only, which is not done here');
    return this.signWith(data, options);
  }
}

function signByAgent(
  socket: string,
  key: ParsedKey,
  data: Buffer,
  options: SigningRequestOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    new OpenSSHAgent(socket).sign(key, data, options, (error, signature) => {
      if (error) reject(error);
      else resolve(signature as Buffer);
    });
  });
}

function signed(key: ParsedKey, data: Buffer, hash: string | undefined): Buffer {
  const signature: Buffer | Error = key.sign(data, hash);
  if (signature instanceof Error) throw signature;
  return signature;
}

/** Asks for the passphrase where one is needed; an empty answer passes the key over. */
async function unlockFile(
  identity: Identity,
  hop: HopContext,
  events: SignerEvents,
): Promise<ParsedKey | undefined> {
  const file = identity.file ?? '';
  if (!identity.encrypted) {
    const key = unlockIdentity(identity);
    if (key !== 'wrong' && !(key instanceof Error)) return key;
    events.note(`${file} could not be read${key === 'wrong' ? '' : `: ${key.message}`}.`);
    return undefined;
  }
  for (let attempt = 1; attempt <= passphraseTries; attempt += 1) {
    const answer = await hop.ask({ kind: 'passphrase', keyFile: file, attempt });
    if (answer === null || !('texts' in answer)) {
      events.refuse(new ConnectFailure('cancelled', 'auth', `Logging in to ${hop.target} was called off.`));
      return undefined;
    }
    const [passphrase = ''] = answer.texts;
    if (passphrase === '') break;
    const key = unlockIdentity(identity, passphrase);
    if (key instanceof Error) {
      events.note(`${file} could not be read: ${key.message}.`);
      return undefined;
    }
    if (key !== 'wrong') return key;
  }
  events.note(`${file} stayed locked: no right passphrase was given.`);
  return undefined;
}
