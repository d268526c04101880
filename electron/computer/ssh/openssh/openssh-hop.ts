import { open, truncate } from 'node:fs/promises';
import { SerialQueue } from '../../../base/serial-queue';
import type { KnownRecord } from '../login/changed-key';
import { fingerprint } from '../login/identity';
import { KnownHosts } from '../login/known-hosts';
import type { Hop } from '../ssh2/ssh2-hop';
import { type LogStep, OpenSshLog } from './openssh-log';

/** A log that tells of nothing but data any more is emptied above this, bytes. */
const logLimit = 1 << 20;

/** One ssh program on the way: its log, and the stages told from it. */
export class OpenSshHop {
  readonly log: OpenSshLog;
  private offset = 0;
  private readonly readings = new SerialQueue();
  private alarmed = false;
  /** What is on record instead of a key that changed; set with the alarm. */
  record: KnownRecord | null = null;

  constructor(
    readonly hop: Hop,
    private readonly file: string,
    private readonly onTaken: () => void,
  ) {
    this.log = new OpenSshLog((step) => this.reached(step));
  }

  begin(): void {
    const { host } = this.hop;
    this.hop.report('resolve', 'running', `ssh looks up ${host.hostName}.`);
  }

  /** Reads what the log holds by now; one reading after the other. */
  update(): Promise<void> {
    // A log that cannot be read tells nothing; how ssh ends does.
    return this.readings.run(() => this.readOn()).catch(() => undefined);
  }

  /** A person is told of a key that changed or was revoked, once. */
  async alarm(): Promise<void> {
    const { log, hop } = this;
    if (this.alarmed || !log.presented || !(log.changed || log.revoked)) return;
    this.alarmed = true;
    const { host } = hop;
    // ssh has judged already, and names the last line of any type; what cannot be read here only leaves the record out.
    const known = await KnownHosts.read(host.knownHostsFiles, host).catch(() => null);
    const at = log.revoked ? known?.revoked(log.presented.sha256) : known?.replaced(log.presented.type);
    if (at && !log.revoked) this.record = { ...at, sha256: fingerprint(at.blob) };
    hop.prompts.alarm({
      ...hop.about,
      kind: log.revoked ? 'revoked' : 'changed',
      keyType: log.presented.type,
      expected: this.record && { type: this.record.type, sha256: this.record.sha256 },
      presentedSha256: log.presented.sha256,
      file: at?.file ?? log.offending?.file ?? '',
      line: at?.line ?? log.offending?.line ?? 0,
    });
  }

  private async readOn(): Promise<void> {
    const handle = await open(this.file, 'r').catch(() => undefined); // not written yet, or removed at the end
    if (!handle) return;
    try {
      const buffer = Buffer.alloc(64 * 1024);
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, this.offset);
        if (bytesRead === 0) break;
        this.offset += bytesRead;
        this.log.read(buffer.toString('utf8', 0, bytesRead));
      }
    } finally {
      await handle.close();
    }
    if (this.log.taken && this.offset > logLimit) {
      await truncate(this.file, 0).catch(() => undefined); // it only grows a little more
      this.offset = 0;
    }
  }

  private reached(step: LogStep): void {
    const { hop, log } = this;
    const { host } = hop;
    switch (step) {
      case 'resolved':
        hop.report('resolve', 'ok', `${host.alias} is ${hop.target}.`);
        hop.report('tcp', 'running', `Connecting to ${host.hostName}, port ${host.port}.`);
        return;
      case 'connected':
        hop.report('tcp', 'ok', `Connected to ${host.hostName}, port ${host.port}.`);
        hop.report('host_key', 'running', `Exchanging keys with ${host.hostName}.`);
        return;
      case 'proven': {
        const key = log.presented ? ` (${log.presented.type} ${log.presented.sha256})` : '';
        const at = log.found ? ` It is on record in ${log.found.file}:${log.found.line}.` : '';
        hop.report('host_key', 'ok', `The host key is accepted${key}.${at}`);
        hop.report('auth', 'running', `Logging in as ${host.user}.`);
        return;
      }
      case 'authenticated':
        hop.report('auth', 'ok', `Logged in as ${host.user} by ${log.authenticatedBy}.`);
        if (hop.about.via === undefined)
          hop.report('shell', 'running', 'Asking for a channel to run the helper program.');
        return;
      case 'taken':
        hop.report('shell', 'ok', 'The host runs the command.');
        this.onTaken();
    }
  }
}
