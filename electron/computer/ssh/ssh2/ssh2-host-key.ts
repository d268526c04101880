import { changedKey } from '../login/changed-key';
import { fingerprint, keyTypeOf } from '../login/identity';
import { type HostKeyVerdict, KnownHosts, nameInFile, recordHostKey } from '../login/known-hosts';
import { ConnectFailure } from '../transport';
import type { HopContext } from './ssh2-hop';

/**
 * The check of one connection's host key against the user's known hosts. A person decides about an unknown key and about
 * nothing else: one that changed or was revoked ends the connection before anything of a login is sent.
 */
export class HostKeyCheck {
  /** The key this connection trusts; every later key exchange must show it again. */
  private accepted: { blob: Buffer; verdict: HostKeyVerdict } | undefined;

  private constructor(
    private readonly hop: HopContext,
    private readonly known: KnownHosts,
  ) {}

  static async prepare(hop: HopContext): Promise<HostKeyCheck> {
    return new HostKeyCheck(hop, await KnownHosts.read(hop.host.knownHostsFiles, hop.host));
  }

  /** Types of the keys on record. */
  types(): Set<string> {
    return this.known.types();
  }

  /** The key was trusted before on this connection. @throws ConnectFailure when it is another one now */
  isSame(blob: Buffer): boolean {
    if (this.accepted === undefined) return false;
    if (this.accepted.blob.equals(blob)) return true;
    throw new ConnectFailure(
      'host_key_changed',
      'host_key',
      `${nameInFile(this.hop.host)} showed another host key in the middle of the connection. It was ended.`,
    );
  }

  /** Resolves when the key is trusted. @throws ConnectFailure; what aborts the question */
  async verify(blob: Buffer): Promise<void> {
    const own = Buffer.from(blob); // ssh2 uses its buffers again
    const verdict = this.known.judge(own);
    await this.decide(verdict, own);
    this.accepted = { blob: own, verdict };
  }

  /** The host proved that the key is its own: only now a new one is recorded. */
  async proven(): Promise<void> {
    if (!this.accepted) return;
    const { blob, verdict } = this.accepted;
    if (verdict.kind !== 'trusted') {
      this.hop.report('host_key', 'ok', await this.record(blob));
      return;
    }
    const { file, line, type } = verdict.at;
    const what = `${type} ${fingerprint(blob)}, ${file}:${line}`;
    this.hop.report('host_key', 'ok', `The host key is the one on record (${what}).`);
  }

  private async decide(verdict: HostKeyVerdict, blob: Buffer): Promise<void> {
    const { host } = this.hop;
    const key = { type: keyTypeOf(blob), sha256: fingerprint(blob) };
    const name = nameInFile(host);
    switch (verdict.kind) {
      case 'trusted':
        return;
      case 'changed':
        this.alarm(verdict, key);
        throw changedKey(name, key, { ...verdict.at, sha256: fingerprint(verdict.at.blob) });
      case 'revoked':
        this.alarm(verdict, key);
        throw new ConnectFailure(
          'host_key_revoked',
          'host_key',
          `${name} shows a host key that is marked as revoked (${key.type} ${key.sha256}, ${verdict.at.file}:${verdict.at.line}). ` +
            'Nothing was sent. Ask the administrator of the host for its new key.',
        );
      case 'unknown':
        return this.askAbout(key, verdict);
    }
  }

  private async askAbout(
    key: { type: string; sha256: string },
    { authority }: { authority: { file: string; line: number } | null },
  ): Promise<void> {
    const { hop } = this;
    const name = nameInFile(hop.host);
    if (authority) {
      throw new ConnectFailure(
        'unsupported',
        'host_key',
        `${name} is to prove itself with a host certificate (${authority.file}:${authority.line}), which the built-in ` +
          "client cannot check. Choose the system's OpenSSH client for this computer.",
      );
    }
    if (hop.host.strictHostKeyChecking === 'yes') {
      throw new ConnectFailure(
        'host_key_unknown',
        'host_key',
        `The host key of ${name} (${key.type} ${key.sha256}) is not on record and StrictHostKeyChecking is yes. ` +
          'Add the key to your known hosts, then try again.',
      );
    }
    const [file = ''] = hop.host.userKnownHostsFiles;
    const answer = await hop.ask({
      kind: 'unknown_host_key',
      keyType: key.type,
      sha256: key.sha256,
      file,
    });
    if (answer === null || !('trust' in answer)) {
      throw new ConnectFailure(
        'host_key_unknown',
        'host_key',
        `The host key of ${name} (${key.type} ${key.sha256}) is unknown and was not accepted. Nothing was sent. ` +
          'Connect again once you know the fingerprint.',
      );
    }
  }

  private async record(blob: Buffer): Promise<string> {
    const { host } = this.hop;
    const [file] = host.userKnownHostsFiles;
    if (file === undefined)
      return 'The host key was accepted for this connection; UserKnownHostsFile names no file.';
    try {
      await recordHostKey(file, host, { type: keyTypeOf(blob), blob }, host.hashKnownHosts);
      return `The host key was accepted and recorded in ${file}.`;
    } catch (error) {
      return `The host key was accepted for this connection; it could not be recorded in ${file}: ${String(error)}.`;
    }
  }

  private alarm(
    verdict: HostKeyVerdict & { kind: 'changed' | 'revoked' },
    key: { type: string; sha256: string },
  ): void {
    const { hop } = this;
    hop.prompts.alarm({
      ...hop.about,
      kind: verdict.kind,
      keyType: key.type,
      expected:
        verdict.kind === 'changed' ? { type: verdict.at.type, sha256: fingerprint(verdict.at.blob) } : null,
      presentedSha256: key.sha256,
      file: verdict.at.file,
      line: verdict.at.line,
    });
  }
}
