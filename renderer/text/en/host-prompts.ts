export const hostPrompts = {
  queue: (total: number) => `Question 1 of ${total}`,
  via: (via: string, alias: string) => `${via}, a jump host on the way to ${alias}`,
  attempt: (n: number) => `The last answer was refused. Attempt ${n}.`,
  show: 'Show what I type',
  passwordTitle: (alias: string) => `Password for ${alias}`,
  password: (target: string) => `Password of ${target}`,
  passwordText: 'Goes to this host through the encrypted connection. Waymark does not keep it.',
  passphraseTitle: 'Passphrase of a key',
  passphrase: (file: string) => `Passphrase of ${file}`,
  passphraseText: (alias: string) =>
    `Unlocks the key on this computer to log in to ${alias}. It is neither sent nor kept.`,
  keyboardTitle: (alias: string) => `${alias} asks for input`,
  keyboardText: (target: string) => `${target} writes:`,
  keyboardRound: (n: number) => `Round ${n}`,
  keyboardNoText: 'The host gave no explanation.',
  keyboardFoot: 'Answers go to this host only. Waymark does not keep them.',
  field: (n: number) => `Answer ${n}`,
  login: 'Log in',
  unlock: 'Use the key',
  send: 'Send',
  goOn: 'Continue',
  unknownTitle: (alias: string) => `Is this really ${alias}?`,
  unknownText: (target: string) =>
    `Your known_hosts file has no key for ${target}. The host that answered presented this one:`,
  recordedIn: (file: string) =>
    `If you trust it, it is recorded in ${file}, and from then on only this key is accepted.`,
  compareTitle: 'How to compare',
  compareText:
    'Ask the administrator, or read it on the host’s own console, not through this connection. Every character must match.',
  trust: 'Trust and record',
  copyFingerprint: 'Copy fingerprint',
  changedTitle: (alias: string) => `The host key of ${alias} has changed`,
  changedText: (target: string) =>
    `Either ${target} was reinstalled, or something else is answering in its place. Nothing was sent: no name, no password, no key. What runs there keeps running.`,
  known: 'Known until now',
  offered: 'Offered now',
  where: (type: string, file: string, line: number | null) =>
    `${type}, ${file}${line === null ? '' : `:${line}`}`,
  place: (file: string, line: number | null) => `${file}${line === null ? '' : `:${line}`}`,
  otherType: (offered: string, known: string) => `No ${offered} key on record; the ${known} key is known:`,
  unknownOld: 'Unknown: the record could not be read',
  keyOf: (type: string, target: string) => `${type}, ${target}`,
  replaceTitle: 'If the administrator confirms the new key',
  replaceText: (file: string) =>
    `Remove everything recorded for this host in a terminal and connect again. The new key is then shown for you to confirm; ssh-keygen keeps a copy in ${file}.old.`,
  revokedTitle: (alias: string) => `The host key of ${alias} is revoked`,
  revokedText: (target: string) =>
    `${target} presented a key that your known_hosts file marks as @revoked: somebody decided that it must no longer be trusted. Nothing was sent: no name, no password, no key.`,
  revokedHelp: (file: string, line: number | null) =>
    `The mark is in ${file}${line === null ? '' : `, line ${line}`}. Ask who set it. A host with a new key connects as usual.`,
  revokedKey: 'Revoked key',
  disconnect: 'Disconnect',
  copyBoth: 'Copy both keys',
  copyKey: 'Copy the key',
  copyCommand: 'Copy command',
};
