import { z } from 'zod';

/** What window, command line and settings say about computers that are reached over SSH. */

/**
 * An alias of the user's ssh configuration, or `user@host[:port]`-like text ssh itself accepts; never an option, and
 * nothing that means something to a shell: `ProxyCommand` and `Match exec` put it into a line that one reads.
 */
export const hostAliasSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[^-\s][^\s\0]*$/,
    'must be an alias of your ssh configuration, without spaces, not starting with a dash',
  )
  .regex(
    /^[^\p{C}'"`\\$;&|<>(){}!#*?~]*$/u,
    'must not contain characters that mean something to a shell, such as quotes, $ ; & | or *',
  )
  .refine((alias) => !alias.includes('@-'), 'must not name a host that starts with a dash')
  .refine((alias) => alias !== 'local', 'must not be "local": that is this computer');

export const transportKind = z.enum(['ssh2', 'openssh']);
export type TransportKind = z.infer<typeof transportKind>;

/** A computer the user added; kept in the settings. */
export const knownComputerSchema = z.object({
  alias: hostAliasSchema,
  /** `ssh2` unless the host needs what only the system's client can do, or the user prefers it. */
  transport: transportKind.default('ssh2'),
  /** ms since 1970. */
  addedAt: z.number(),
});
export type KnownComputer = z.infer<typeof knownComputerSchema>;

/**
 * - `good`: answers promptly. - `degraded`: answers, but slowly (over 500 ms) or after a missed keepalive.
 * - `stalled`: no answer to a probe or keepalive; not given up yet. - `down`: the link is gone.
 * - `connecting`: the first connection, or one after `down`, is being made.
 * - `idle`: nobody needs it, no link is open. - `blocked`: a person has to act first (key changed, login refused).
 */
export type LinkState = 'idle' | 'connecting' | 'good' | 'degraded' | 'stalled' | 'down' | 'blocked';

export interface LinkHealth {
  alias: string;
  state: LinkState;
  /** Our clock, ms, of the last byte from the host; null before the first. */
  lastByteAt: number | null;
  /** Of the last keepalive, ms. */
  roundTripMs: number | null;
  /** Our clock, ms: when the present state began. */
  since: number;
  /** Of the next try, our clock, ms; null when none is planned. */
  retryAt: number | null;
  /** Tries since the link was last good. */
  tries: number;
  /** Why it is not good, one or two sentences; empty when it is. */
  message: string;
}

export type Stage = 'resolve' | 'tcp' | 'host_key' | 'auth' | 'shell' | 'helper' | 'disk' | 'gpu';

export interface StageView {
  stage: Stage;
  state: 'waiting' | 'running' | 'ok' | 'failed' | 'skipped' | 'warning';
  message: string;
  via: string | null;
  ms: number | null;
}

/** What a test of a host found out, stage by stage. */
export interface HostReport {
  alias: string;
  transport: TransportKind;
  at: number;
  ok: boolean;
  stages: StageView[];
  facts: HostFacts | null;
  /** What the host lacks or does that a person should know; full sentences. */
  limits: string[];
}

export interface HostFacts {
  hostname: string;
  user: string;
  platform: string;
  cpus: number;
  memoryBytes: number;
  bashVersion: string;
  helper: 'perl' | 'python3';
  supervisor: 'perl' | 'python3';
  /** Directory of the sessions on the host, and the file system it is on. */
  sessionsDir: string;
  fileSystem: string;
  freeBytes: number;
  totalBytes: number;
  clockOffsetMs: number;
  gpus: HostGpu[];
}

/** A figure is null where the driver does not tell (unified memory, parts of a GPU). `utilization` in percent. */
export interface HostGpu {
  index: number;
  name: string;
  memoryMb: number | null;
  usedMb: number | null;
  utilization: number | null;
}

/** One setting of the resolved configuration and where it comes from. */
export interface ResolvedSetting {
  name: string;
  value: string;
  /** `file:line` of the user's configuration where it can be told, else null (a default or a match we cannot see). */
  from: string | null;
}

export interface HostResolution {
  alias: string;
  user: string;
  hostName: string;
  port: number;
  /** Aliases of the jump hosts, outermost first. */
  jumps: string[];
  proxyCommand: string | null;
  identityFiles: string[];
  knownHostsFiles: string[];
  /** Settings worth showing, in reading order. */
  settings: ResolvedSetting[];
  /** What the ssh2 transport cannot do of it, by name; empty when it can. */
  needsOpenSsh: string[];
}

export interface ComputerRow {
  alias: string;
  transport: TransportKind;
  addedAt: number;
  health: LinkHealth;
  /** The last test in this installation, if any. */
  report: HostReport | null;
}

/** A question on its way to a person; answers carry its id. Secrets go in, never out. */
export interface HostPromptView {
  id: string;
  alias: string;
  via: string | null;
  target: string;
  kind: 'password' | 'passphrase' | 'keyboard' | 'unknown_host_key' | 'host_key_alarm';
  /** Title and text of keyboard-interactive; the key file of a passphrase. Untrusted text: shown plainly. */
  title: string;
  text: string;
  fields: { prompt: string; echo: boolean }[];
  attempt: number;
  key: {
    type: string;
    sha256: string;
    /** The key on record at `file` and `line`, which may be of another type. */
    expected: { type: string; sha256: string } | null;
    file: string;
    line: number | null;
    revoked: boolean;
  } | null;
  askedAt: number;
}

/** A terminal of the person's own on some computer: a durable session no agent can name. */
export interface OwnTerminal {
  id: string;
  computer: string;
  name: string;
  rows: number;
  cols: number;
  /** First byte of its log that is still there. */
  startOffset: number;
  endOffset: number;
  /** Our clock, ms since 1970, of the last output heard of; null before the first. */
  lastByteAt: number | null;
  state: 'idle' | 'busy' | 'waiting' | 'interactive' | 'ended' | 'lost' | 'unknown';
  link: LinkState;
}
