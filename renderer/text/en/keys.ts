import type { KeyKeeping } from '@shared/contract/ipc/application';

const kept: Record<KeyKeeping['kept'], string> = {
  store: 'Keys are kept in this system’s key store.',
  file: 'Keys are kept in a file encrypted with your passphrase, unlocked until Waymark quits.',
  locked: 'Keys are kept in an encrypted file, which is locked.',
  memory: 'This system has no key store: keys are kept in memory until Waymark quits.',
};

export const keys = {
  kept: 'Model keys',
  keptIn: (where: KeyKeeping['kept']) => kept[where],
  known: (names: string) => (names === '' ? 'No keys are set.' : `Set: ${names}.`),
  passphrase: 'Passphrase',
  newPassphrase: 'New passphrase',
  repeat: 'Repeat passphrase',
  beginHelp:
    'With a passphrase, keys stay in an encrypted file after Waymark quits. At least 8 characters; it cannot be recovered.',
  differ: 'The two passphrases differ.',
  unlock: 'Unlock keys',
  begin: 'Protect keys with a passphrase',
  lock: 'Lock keys',
  unlocked: 'Keys unlocked',
  locked: 'Keys locked',
  missingTitle: (endpoint: string) => `The key for ${endpoint} is missing`,
  missingText: 'The run is paused before its next request. Nothing is lost.',
  keyOf: (endpoint: string) => `Key for ${endpoint}`,
  keyHelp: 'Saved with your other keys and never shown again.',
  fromVariable: (name: string) =>
    `This endpoint takes its key from the variable ${name}. Set it and restart Waymark, or clear that field in Settings.`,
  isKnown: 'The key is set.',
  giveAndResume: 'Save the key and resume',
  unlockAndResume: 'Unlock and resume',
  resume: 'Resume',
};
