/** What an ssh program's log told, line by line (LogLevel DEBUG2). */
export class OpenSshLog {
  /** Key the host showed, as in `ssh-ed25519 SHA256:…`. */
  presented: { type: string; sha256: string } | undefined;
  /** Line of known hosts that does not fit, or that trusts. */
  offending: { file: string; line: number } | undefined;
  found: { file: string; line: number } | undefined;
  changed = false;
  revoked = false;
  /** Ways to log in that the host takes, as it last said. */
  taking: string[] = [];
  readonly tried: string[] = [];
  authenticatedBy: string | undefined;
  connected = false;
  /** The host's key was accepted. */
  proven = false;
  /** The command runs. */
  taken = false;
  /** Lines that are not about details, at most 50: what ssh would have said without a log. */
  readonly words: string[] = [];
  private rest = '';

  /** @param on told of every step as it is reached */
  constructor(private readonly on: (step: LogStep) => void) {}

  read(text: string): void {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line.replace(/\r$/, ''));
  }

  private line(line: string): void {
    const detail = /^debug\d: (.*)$/.exec(line)?.[1];
    if (detail === undefined) this.word(line);
    else this.detail(detail);
  }

  private detail(text: string): void {
    for (const [pattern, act] of this.details) {
      const match = pattern.exec(text);
      if (!match) continue;
      act(match[1] ?? '', match[2] ?? '');
      return;
    }
  }

  private readonly details: readonly (readonly [RegExp, (first: string, second: string) => void])[] = [
    [/^(?:Connecting to .* port \d+\.$|Executing proxy command)/, () => this.on('resolved')],
    [/^(?:Connection established\.$|Remote protocol version)/, () => this.once('connected')],
    [/^Server host key: (\S+) (SHA256:\S+)/, (type, sha256) => this.showed({ type, sha256 })],
    [/^Found (?:matching )?key in (.+):(\d+)$/, (file, line) => this.trusts({ file, line: Number(line) })],
    [/^SSH2_MSG_SERVICE_ACCEPT received/, () => this.once('proven')],
    [/^Authentications that can continue: (.*)$/, (methods) => this.takes(methods.split(','))],
    [/^Offering public key: (.*?) [A-Z0-9-]+ SHA256:/, (key) => this.tried.push(`the key ${key}`)],
    [/^Next authentication method: (.*)$/, (method) => method !== 'publickey' && this.tried.push(method)],
    [/^Authentication succeeded \((.*)\)/, (method) => this.authenticated(method)],
    [/^exec request accepted on channel/, () => this.once('taken')],
  ];

  private once(step: 'connected' | 'proven' | 'taken'): void {
    if (this[step]) return;
    this[step] = true;
    this.on(step);
  }

  private showed(key: { type: string; sha256: string }): void {
    this.presented = key;
  }

  private trusts(place: { file: string; line: number }): void {
    this.found = place;
  }

  private takes(methods: string[]): void {
    this.taking = methods;
  }

  private word(line: string): void {
    const authenticated = /^Authenticated to .* using "(.*)"/.exec(line)?.[1];
    if (authenticated !== undefined) {
      this.authenticated(authenticated);
      return;
    }
    if (line.includes('REMOTE HOST IDENTIFICATION HAS CHANGED')) this.changed = true;
    if (line.includes('REVOKED HOST KEY DETECTED')) this.revoked = true;
    const [, file, at] = /^Offending .*key in (.+):(\d+)$/.exec(line) ?? [];
    if (file !== undefined) this.offending = { file, line: Number(at) };
    if (line.trim() !== '' && !line.startsWith('@@@') && this.words.length < 50) this.words.push(line);
  }

  private authenticated(by: string): void {
    if (this.authenticatedBy !== undefined) return;
    this.authenticatedBy = by;
    this.on('authenticated');
  }
}

export type LogStep = 'resolved' | 'connected' | 'proven' | 'authenticated' | 'taken';
