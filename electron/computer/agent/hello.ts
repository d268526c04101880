import { WaymarkError } from '@shared/contract/errors';

/** What the helper program says about its host in answer to `hello`. Sizes in bytes. */
export interface HelloFacts {
  platform: 'linux' | 'darwin';
  hostname: string;
  user: string;
  home: string;
  cpus: number;
  memoryBytes: number;
  /** Path of the bash that sessions get; empty when there is none. */
  bash: string;
  bashVersion: string;
  helper: 'perl' | 'python3';
  helperVersion: string;
  /** What the other helper would need and does not find here. */
  helperLacks: string[];
  /** Directory below which every namespace keeps its sessions. */
  base: string;
  baseFileSystem: string;
  /** Why that directory was taken, for a person. */
  baseWhy: string;
  freeBytes: number;
  totalBytes: number;
  boot: string;
  /** Space of stored output can be given back without moving offsets. */
  punch: boolean;
  /** The kernel tells about changes; otherwise the helper polls. */
  notify: boolean;
  /** Whether logging out ends what a user started; undefined when it cannot be told. */
  killUserProcesses: boolean | undefined;
  linger: boolean | undefined;
  /** Host clock, ms since 1970, when it answered. */
  now: number;
}

/** @throws WaymarkError unsupported, when the host is none that can hold sessions */
export function parseHello(fields: readonly string[]): HelloFacts {
  const values = new Map(
    fields.map((field): [string, string] => {
      const at = field.indexOf('=');
      return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
    }),
  );
  const text = (name: string) => values.get(name) ?? '';
  const amount = (name: string) => {
    const number = Number(text(name));
    return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : 0;
  };
  const verdict = (name: string) => (text(name) === '' ? undefined : text(name) === 'yes');
  return {
    platform: oneOf('platform', text('platform'), ['linux', 'darwin'] as const),
    hostname: text('hostname'),
    user: text('user'),
    home: text('home'),
    cpus: amount('cpus'),
    memoryBytes: amount('memory'),
    bash: text('bash'),
    bashVersion: text('bash_version'),
    helper: oneOf('helper', text('helper'), ['perl', 'python3'] as const),
    helperVersion: text('helper_version'),
    helperLacks: text('helper_lacks').split(' ').filter(Boolean),
    base: text('base'),
    baseFileSystem: text('base_fs'),
    baseWhy: text('base_why'),
    freeBytes: amount('free'),
    totalBytes: amount('total'),
    boot: text('boot'),
    punch: text('punch') === '1',
    notify: text('notify') === '1',
    killUserProcesses: verdict('kill_user_processes'),
    linger: verdict('linger'),
    now: amount('now'),
  };
}

function oneOf<T extends string>(what: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new WaymarkError(
    'unsupported',
    `The host's ${what} is "${value}"; sessions need ${known.join(' or ')}. Use another computer.`,
  );
}
