import type { KeyKeeping } from '@shared/contract/ipc/application';

const kept: Record<KeyKeeping['kept'], string> = {
  store: 'Keys are kept in this system’s key store.',
  file: 'Keys are kept in a file under your passphrase, which stays open until Waymark ends.',
  locked: 'Keys are kept in a file under a passphrase, and it is locked.',
  memory: 'This system has no key store: keys are kept in memory until Waymark ends.',
};

export const keys = {
  kept: 'Model keys',
  keptIn: (where: KeyKeeping['kept']) => kept[where],
  known: (names: string) => (names === '' ? 'No key is known now.' : `Known now: ${names}.`),
  passphrase: 'Passphrase',
  newPassphrase: 'New passphrase',
  repeat: 'Once more',
  beginHelp:
    'With a passphrase, keys outlive Waymark in an encrypted file. At least 8 characters; it cannot be recovered.',
  differ: 'The two passphrases differ.',
  unlock: 'Unlock keys',
  begin: 'Keep keys under a passphrase',
  lock: 'Lock keys',
  unlocked: 'Keys unlocked',
  locked: 'Keys locked',
  missingTitle: (endpoint: string) => `The key of ${endpoint} is missing`,
  missingText: 'The run is paused before its next request. Nothing is lost.',
  keyOf: (endpoint: string) => `Key of ${endpoint}`,
  keyHelp: 'Goes to where keys are kept and is never shown again.',
  fromVariable: (name: string) =>
    `This endpoint takes its key from the variable ${name}. Set it and start Waymark again, or clear that field in Settings.`,
  isKnown: 'The key is known now.',
  giveAndResume: 'Keep the key and resume',
  unlockAndResume: 'Unlock and resume',
  resume: 'Resume',
};
