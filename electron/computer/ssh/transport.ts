import type { Duplex, Readable } from 'node:stream';
import { WaymarkError } from '@shared/contract/errors';

/**
 * One channel to a host's helper program: all sessions and files of the host share it. Implementations: ssh2 and the
 * system's OpenSSH client; tests use a child process on this machine.
 */
export interface HostTransport {
  /** Connects, proves the host, logs in and runs `command` without a terminal. @throws ConnectFailure */
  open(command: string, options: OpenOptions): Promise<HostChannel>;
}

export interface OpenOptions {
  signal: AbortSignal;
  prompts: PromptPort;
  /** Told as each stage begins and ends; for the add-a-computer flow and for messages. */
  onStage?: (stage: StageReport) => void;
}

export interface HostChannel {
  /** Standard input and output of the command, as bytes. */
  readonly stream: Duplex;
  /** Resolves when the channel is gone, with what is known of the reason (last lines of stderr included). */
  readonly closed: Promise<{ reason: string }>;
  close(): void;
}

export const connectStages = [
  'resolve',
  'tcp',
  'host_key',
  'auth',
  'shell',
  'helper',
  'disk',
  'gpu',
] as const;
export type ConnectStage = (typeof connectStages)[number];

export interface StageReport {
  stage: ConnectStage;
  state: 'running' | 'ok' | 'failed' | 'skipped' | 'warning';
  /** What was found or went wrong, one sentence. */
  message: string;
  /** Jump host this stage belongs to; absent for the host itself. */
  via?: string;
  ms?: number;
}

/** Why no connection came about. `fatal`: asking again changes nothing until a person or the configuration does. */
export type ConnectFailureReason =
  | 'config'
  | 'resolve'
  | 'tcp'
  | 'timeout'
  | 'host_key_changed'
  | 'host_key_revoked'
  | 'host_key_unknown'
  | 'algorithms'
  | 'auth'
  | 'cancelled'
  | 'unsupported'
  | 'channel_refused'
  | 'helper'
  | 'lost';

/** A person's word while connecting. `null` = declined. The port queues the questions of several hosts. */
export interface PromptPort {
  ask(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer | null>;
  /** Tells a person about a changed or revoked host key; there is nothing to choose. */
  alarm(alarm: HostKeyAlarm): void;
}

interface About {
  /** The alias the person knows the host by; with `via` when it is a jump host on the way to it. */
  alias: string;
  via?: string | undefined;
  /** `user@host:port` really being talked to. */
  target: string;
}

export type SshQuestion =
  | (About & { kind: 'password'; attempt: number })
  | (About & { kind: 'passphrase'; keyFile: string; attempt: number })
  | (About & {
      kind: 'keyboard';
      name: string;
      instructions: string;
      fields: { prompt: string; echo: boolean }[];
      round: number;
    })
  | (About & { kind: 'unknown_host_key'; keyType: string; sha256: string; file: string });

/** Texts for secrets (in the order of the fields), or the decision about a key. */
export type SshAnswer = { texts: string[] } | { trust: true };

export interface HostKeyAlarm extends About {
  kind: 'changed' | 'revoked';
  keyType: string;
  /** Of the record in `file`, with its own type; null when that is not known, and for a revoked key. */
  expected: { type: string; sha256: string } | null;
  /** `SHA256:…` as OpenSSH prints it. */
  presentedSha256: string;
  file: string;
  line: number;
}

const passing: ReadonlySet<ConnectFailureReason> = new Set(['resolve', 'tcp', 'timeout', 'lost']);

/** No connection came about. The message names the host, the stage and what to do next. */
export class ConnectFailure extends WaymarkError {
  constructor(
    readonly reason: ConnectFailureReason,
    readonly stage: ConnectStage,
    message: string,
    detail?: string,
    options?: { cause?: unknown },
  ) {
    super('computer_unavailable', message, detail, options);
    this.name = 'ConnectFailure';
  }

  /** Trying again by itself makes sense; otherwise a person has to do something first. */
  get passing(): boolean {
    return passing.has(this.reason);
  }
}

const most = 8 * 1024;

/** The last 8 KB of a stream, read whether or not anybody asks for them. */
export class Tail {
  private bytes = Buffer.alloc(0);

  constructor(source: Readable) {
    source.on('data', (piece: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, piece]);
      if (this.bytes.length > most) this.bytes = this.bytes.subarray(-most);
    });
    source.on('error', () => undefined); // there is nothing more to read
  }

  text(): string {
    return this.bytes.toString('utf8').trim();
  }
}
