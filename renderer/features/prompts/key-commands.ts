/** The command that prints the fingerprint on the host itself, for a key type such as `ssh-ed25519`. */
export function fingerprintCommand(keyType: string): string {
  const kind = /ed25519/.test(keyType) ? 'ed25519' : /ecdsa/.test(keyType) ? 'ecdsa' : 'rsa';
  return `ssh-keygen -lf /etc/ssh/ssh_host_${kind}_key.pub`;
}

/** A key type as people say it: `ssh-ed25519` is ed25519, `ecdsa-sha2-nistp256` ECDSA 256. */
export function keyTypeName(keyType: string): string {
  const ecdsa = /^ecdsa-sha2-nistp(\d+)$/.exec(keyType)?.[1];
  if (ecdsa !== undefined) return `ECDSA ${ecdsa}`;
  return keyType === 'ssh-rsa' ? 'RSA' : keyType === 'ssh-dss' ? 'DSA' : keyType.replace(/^ssh-/, '');
}

/**
 * The command that removes the host's lines from a known-hosts file, as OpenSSH itself suggests.
 * @param target `user@host:port` really talked to
 */
export function forgetCommand(target: string, file: string): string {
  const account = target.slice(target.lastIndexOf('@') + 1);
  const [, host = account, port = '22'] = /^(.*):(\d+)$/.exec(account) ?? [];
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return `ssh-keygen -f ${quoted(file)} -R ${quoted(port === '22' ? bare : `[${bare}]:${port}`)}`;
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./@%+=:~-]+$/.test(word) && !word.startsWith('-')
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
