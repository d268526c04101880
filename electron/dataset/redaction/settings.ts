import { hostname, userInfo } from 'node:os';
import type { ExportOptions, Redaction } from '@shared/contract/export-request';
import type { Settings } from '@shared/contract/settings';
import type { EventOf } from '@shared/log/events';

/** What is taken out of an export. Plain data: it can be sent to a thread. */
export interface RedactionSettings {
  level: Redaction;
  /** What the application holds: keys of endpoints, values that were taken out of the environment. */
  secrets: readonly string[];
  names: PrivateNames;
  /** Findings that a person lets stand, by their names. */
  allowed: readonly string[];
}

/** Who and where, as far as texts may tell it. */
export interface PrivateNames {
  users: readonly string[];
  hosts: readonly string[];
  /** Home folders, absolute. */
  homes: readonly string[];
}

/** What keys of servers at home are called, which need none: no secret, and words of many a text. */
const NO_KEYS =
  /^(?:empty|none|null|dummy|test|fake|ollama|lm-studio|vllm|local|not[-_ ]?needed|no[-_]?key(?:[-_]required)?|sk-no-key-required|unused|placeholder|changeme|x+|0+|token-abc123|anything|api[-_]?key|key|secret|password|your[-_]api[-_]key)$/i;
/** Shorter ones stand in too many words. */
const SHORTEST = 4;

/**
 * What a search for held secrets looks for, each once, in a fixed order: values of at least four characters that are no stand-in
 * for a key. The order they are held in must not show in what is written.
 */
export function heldSecrets(values: readonly string[]): string[] {
  const telling = values
    .map((value) => value.trim())
    .filter((value) => value.length >= SHORTEST && !NO_KEYS.test(value));
  return [...new Set(telling)].sort();
}

/** What this installation knows that must not leave it; plain data, as it goes to a thread. */
export interface PrivateSources {
  /** What the application holds: keys of endpoints, values that were taken out of the environment. */
  held: readonly string[];
  settings: Pick<Settings, 'annotator' | 'computers'>;
}

/** What redaction of an export of these runs takes out, as its request asks. `sources` absent: names of this machine alone. */
export function redactionSettings(
  runs: readonly { created: EventOf<'run.created'>['body'] }[],
  { redact, allowed }: Pick<ExportOptions, 'redact' | 'allowed'>,
  { held, settings }: PrivateSources = {
    held: [],
    settings: { annotator: { uuid: '', name: '' }, computers: [] },
  },
): RedactionSettings {
  return {
    level: redact,
    secrets: heldSecrets(held),
    names: privateNames({ settings, created: runs.map(({ created }) => created) }),
    allowed: [...allowed].sort(),
  };
}

export interface NameSources {
  settings: Pick<Settings, 'annotator' | 'computers'>;
  /** Of the runs that are exported. */
  created: readonly Pick<EventOf<'run.created'>['body'], 'computers'>[];
  /** This machine; absent: asked of the system. */
  machine?: PrivateNames;
}

/** Names of this machine, of the hosts of the runs, and of the person's settings. */
export function privateNames({ settings, created, machine = thisMachine() }: NameSources): PrivateNames {
  const addresses = [
    ...settings.computers.map(({ alias }) => alias),
    ...created.flatMap(({ computers }) =>
      computers.flatMap(({ name, kind, host }) => (kind === 'ssh' ? [name, host ?? ''] : [])),
    ),
  ];
  // `user@host` is both.
  const parts = addresses.map((address) => /^(?:(.*)@)?([^@]*?)(?::\d+)?$/u.exec(address));
  return {
    users: unique([...machine.users, settings.annotator.name, ...parts.map((part) => part?.[1] ?? '')]),
    hosts: unique([...machine.hosts, ...parts.map((part) => part?.[2] ?? '')]),
    homes: unique(machine.homes),
  };
}

function thisMachine(): PrivateNames {
  const { username, homedir } = userInfo();
  const host = hostname();
  return { users: [username], hosts: [host, host.split('.')[0] ?? host], homes: [homedir] };
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))].sort();
}
