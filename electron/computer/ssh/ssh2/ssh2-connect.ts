import type { Duplex } from 'node:stream';
import { Client, type HostVerifier } from 'ssh2';
import { Authentication } from '../login/authenticate';
import { ConnectFailure } from '../transport';
import { offeredAlgorithms } from './ssh2-algorithms';
import { explain, explainEnd } from './ssh2-explain';
import type { Hop } from './ssh2-hop';
import { HostKeyCheck } from './ssh2-host-key';

type OnFailure = (protocol: unknown, taken: unknown, partial: unknown) => void;

/**
 * Hears what a host says when it turns a way to log in down: what it takes instead, and whether it took this one as one
 * of several. ssh2 (pinned) keeps that to itself when the way was an agent's key: it asks for the next one with what the
 * host had said before. So its handler is wrapped; a version that has none is an error, not a silent loss.
 */
function watchRefusals(client: Client, refused: (taken: string[], partial: boolean) => void): void {
  const { _protocol: protocol } = client as unknown as {
    _protocol?: { _handlers?: { USERAUTH_FAILURE?: OnFailure } };
  };
  const handlers = protocol?._handlers;
  const own = handlers?.USERAUTH_FAILURE;
  if (!handlers || typeof own !== 'function')
    throw new Error('This version of ssh2 has no USERAUTH_FAILURE handler.');
  handlers.USERAUTH_FAILURE = (self, taken, partial) => {
    refused(Array.isArray(taken) ? taken.map(String) : [], partial === true);
    own(self, taken, partial);
  };
}

/** ssh2 sends none by itself; three unanswered ones end the connection. Besides the helper's own pings. */
const keepaliveMs = 5000;
const keepalivesMissed = 2;

/** A host that let us in. */
export interface LoggedIn {
  client: Client;
  /** Resolves when the connection is gone, with what is known of the reason. */
  ended: Promise<string>;
}

/**
 * Logs in over a stream: exchanges keys, has the host's key checked, proves who we are.
 * @throws ConnectFailure; the reason of the hop's signal
 */
export async function logIn(hop: Hop, stream: Duplex, words: () => string): Promise<LoggedIn> {
  hop.report('host_key', 'running', `Exchanging keys with ${hop.host.hostName}.`);
  const check = await HostKeyCheck.prepare(hop);
  hop.signal.throwIfAborted();
  return new Login(hop, stream, check, words).result;
}

class Login {
  readonly result: Promise<LoggedIn>;
  private readonly client = new Client();
  private readonly authentication: Authentication;
  private stage: 'host_key' | 'auth' | 'in' = 'host_key';
  private settle: { resolve(to: LoggedIn): void; reject(error: unknown): void } | undefined;
  private recorded: Promise<void> = Promise.resolve();
  private cause = '';
  private banner = '';

  constructor(
    private readonly hop: Hop,
    stream: Duplex,
    private readonly check: HostKeyCheck,
    private readonly words: () => string,
  ) {
    this.authentication = new Authentication(hop, { refuse: (failure) => this.fail(failure) });
    const { client } = this;
    this.result = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    const onAbort = () => this.fail(hop.signal.reason);
    hop.signal.addEventListener('abort', onAbort, { once: true });
    const ended = new Promise<string>((resolve) => {
      client.on('close', () => {
        hop.signal.removeEventListener('abort', onAbort);
        this.fail(explainEnd(hop, this.stage, this.words(), this.banner));
        resolve(this.cause);
      });
    });
    client.on('error', (error) => this.error(error));
    client.on('banner', (text) => {
      this.banner = text.slice(0, 2000);
    });
    client.on('handshake', () => this.handshakeDone());
    client.on('change password', () =>
      this.fail(
        new ConnectFailure(
          'auth',
          'auth',
          `${hop.target} requires a new password before you can log in. Log in once with ssh in a terminal and set it.`,
        ),
      ),
    );
    client.on('ready', () => this.ready({ client, ended }));
    this.connect(stream);
  }

  private connect(stream: Duplex): void {
    const { hop, client, check } = this;
    const { raw, user } = hop.host;
    const allowed = {
      kex: raw.list('kexalgorithms'),
      ciphers: raw.list('ciphers'),
      macs: raw.list('macs'),
      hostKeys: raw.list('hostkeyalgorithms'),
    };
    client.connect({
      sock: stream,
      username: user,
      hostVerifier: ((key, verify) => this.verifyHostKey(key, verify)) satisfies HostVerifier,
      // Typed as always giving an answer at once; undefined means that it comes through `next`.
      authHandler: (_taken, _partial, next) => {
        // A key that could not sign after all may ask for the next way when it is over already.
        if (this.settle) this.authentication.next().then(next, (error: unknown) => this.fail(error));
      },
      algorithms: offeredAlgorithms(allowed, check.types()),
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: keepalivesMissed,
      readyTimeout: 0, // a person may be asked; whoever opens the connection has the patience
      agentForward: false,
    });
    watchRefusals(client, (taken, partial) => this.authentication.refused(taken, partial));
  }

  /** Never says no to ssh2: the connection is ended instead, and it goes nowhere without a yes. */
  private verifyHostKey(key: Buffer, verify: (trusted: boolean) => void): void {
    try {
      // Later key exchanges come in the middle of data and are answered at once.
      if (this.check.isSame(key)) {
        verify(true);
        return;
      }
    } catch (error) {
      this.end(error);
      return;
    }
    this.check.verify(key).then(
      () => {
        if (this.settle) verify(true);
      },
      (error: unknown) => this.fail(error),
    );
  }

  private handshakeDone(): void {
    if (this.stage !== 'host_key' || !this.settle) return;
    this.stage = 'auth';
    this.recorded = this.check.proven();
    const tell = () => this.hop.report('auth', 'running', `Logging in as ${this.hop.host.user}.`);
    this.recorded.then(tell, tell);
  }

  private ready(to: LoggedIn): void {
    this.recorded.then(
      () => {
        if (!this.settle) return;
        this.stage = 'in';
        this.hop.report(
          'auth',
          'ok',
          `Logged in as ${this.hop.host.user} by ${this.authentication.succeededBy}.`,
        );
        this.settle.resolve(to);
        this.settle = undefined;
      },
      (error: unknown) => this.fail(error),
    );
  }

  private error(error: Error & { level?: string; code?: unknown }): void {
    if (error.level === 'agent') return; // a key that could not sign: ssh2 goes on to the next way
    this.cause ||= error.message;
    this.fail(explain(this.hop, this.stage, error, this.words(), this.banner));
  }

  /** Ends the connection; the first reason is the one that counts. */
  private fail(error: unknown): void {
    const { settle, client } = this;
    if (!settle) return;
    this.settle = undefined;
    settle.reject(error);
    client.end();
    client.destroy();
  }

  /** Of a connection that stands. */
  private end(error: unknown): void {
    this.cause ||= error instanceof Error ? error.message : String(error);
    this.client.end();
    this.client.destroy();
  }
}
