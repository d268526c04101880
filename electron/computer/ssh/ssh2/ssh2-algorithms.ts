import { getCiphers } from 'node:crypto';

/**
 * The algorithms that ssh2 may use here: none with SHA-1, CBC or DSA, no finite-field group below 4096 bits.
 * In order of preference; AES-GCM first because it is fastest on what people have. ssh2 adds strict key exchange
 * (CVE-2023-48795) by itself; ChaCha20, which that attack was about, comes last.
 */
const keyExchanges = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group16-sha512',
] as const;

const ciphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
] as const;

const macs = [
  'hmac-sha2-256-etm@openssh.com',
  'hmac-sha2-512-etm@openssh.com',
  'hmac-sha2-256',
  'hmac-sha2-512',
] as const;

const hostKeys = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;

/** By the name `ssh -G` gives the list; what to call it in a message. */
export const knownAlgorithms: Record<string, { name: string; supported: readonly string[] }> = {
  kexalgorithms: { name: 'KexAlgorithms', supported: keyExchanges },
  ciphers: { name: 'Ciphers', supported: ciphers },
  macs: { name: 'MACs', supported: macs },
  hostkeyalgorithms: { name: 'HostKeyAlgorithms', supported: hostKeys },
};

export interface Ssh2Algorithms {
  kex: (typeof keyExchanges)[number][];
  cipher: (typeof ciphers)[number][];
  hmac: (typeof macs)[number][];
  serverHostKey: (typeof hostKeys)[number][];
  compress: ['none'];
}

/**
 * What to offer: ours as far as the configuration allows it.
 *
 * @param allowed lists as `ssh -G` prints them; an empty one allows all
 * @param knownKeyTypes types of the host's recorded keys: they come first, so that a host whose key is known does not
 *   seem to have changed because it showed another one
 */
export function offeredAlgorithms(
  allowed: { kex: string[]; ciphers: string[]; macs: string[]; hostKeys: string[] },
  knownKeyTypes: ReadonlySet<string>,
): Ssh2Algorithms {
  const here = new Set(getCiphers());
  const isKnown = (algorithm: string) => knownKeyTypes.has(keyTypeFor(algorithm));
  // As OpenSSH: the configuration's own order among the known and among the unknown.
  const keys = among(hostKeys, allowed.hostKeys).sort(
    (a, b) => allowed.hostKeys.indexOf(a) - allowed.hostKeys.indexOf(b),
  );
  return {
    kex: among(keyExchanges, allowed.kex),
    cipher: among(ciphers, allowed.ciphers).filter(
      (name) => !name.startsWith('chacha20') || here.has('chacha20'),
    ),
    hmac: among(macs, allowed.macs),
    serverHostKey: [...keys.filter(isKnown), ...keys.filter((algorithm) => !isKnown(algorithm))],
    compress: ['none'],
  };
}

function among<T extends string>(ours: readonly T[], allowed: readonly string[]): T[] {
  return ours.filter((algorithm) => allowed.length === 0 || allowed.includes(algorithm));
}

/** The type of key that proves itself with an algorithm. */
function keyTypeFor(algorithm: string): string {
  return algorithm.startsWith('rsa-sha2-') ? 'ssh-rsa' : algorithm;
}
