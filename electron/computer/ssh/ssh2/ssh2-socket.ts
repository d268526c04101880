import { type ChildProcess, spawn } from 'node:child_process';
import { promises as dns, type LookupAddress } from 'node:dns';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ResolvedHost } from '../config/resolved-host';
import { ConnectFailure } from '../transport';
import type { HopContext } from './ssh2-hop';
import { JoinedStream } from './ssh2-joined-stream';

/** A way to the first host. */
export interface Line {
  stream: Duplex;
  close(): void;
  /** What the program that makes the connection said; empty for TCP. */
  words(): string;
}

/** All addresses of a name together get this long, unless ConnectTimeout says otherwise, ms. */
const connectLimitMs = 15_000;
const keepAliveDelayMs = 15_000;
const maxWords = 8 * 1024;

/** Opens the way to the first host of a connection. @throws ConnectFailure; the signal's reason */
export async function openLine(hop: HopContext, environment: NodeJS.ProcessEnv): Promise<Line> {
  return hop.host.proxyCommand === null ? openTcp(hop) : openProxy(hop, hop.host.proxyCommand, environment);
}

async function openTcp(hop: HopContext): Promise<Line> {
  const { host, signal } = hop;
  const addresses = await lookUp(hop);
  hop.report(
    'resolve',
    'ok',
    `${host.alias} is ${hop.target} at ${addresses.map(({ address }) => address).join(', ')}.`,
  );
  hop.report('tcp', 'running', `Connecting to ${host.hostName}, port ${host.port}.`);
  const limitMs = (host.connectTimeoutMs ?? connectLimitMs) / addresses.length;
  const failures: string[] = [];
  for (const { address, family } of addresses) {
    try {
      const socket = await connectTcp(host, address, family, limitMs, signal);
      hop.report('tcp', 'ok', `Connected to ${address}, port ${host.port}.`);
      return { stream: socket, close: () => socket.destroy(), words: () => '' };
    } catch (error) {
      signal.throwIfAborted();
      failures.push((error as NodeJS.ErrnoException).code ?? String(error));
    }
  }
  throw unreachable(host, addresses, failures);
}

/** Without Nagle's delay, and with the kernel's own probes besides those of ssh. */
export function connectTcp(
  host: Pick<ResolvedHost, 'port' | 'bindAddress'>,
  address: string,
  family: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port: host.port,
      family,
      ...(host.bindAddress === null ? {} : { localAddress: host.bindAddress }),
    });
    const fail = (error: unknown) => {
      settle();
      socket.destroy();
      reject(error);
    };
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail);
    };
    const onAbort = () => fail(signal.reason);
    const timer = setTimeout(() => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      settle();
      socket.setNoDelay(true);
      socket.setKeepAlive(true, keepAliveDelayMs);
      resolve(socket);
    });
  });
}

async function lookUp(hop: HopContext): Promise<LookupAddress[]> {
  const { host, signal } = hop;
  try {
    const addresses = await dns.lookup(host.hostName, { all: true, family: host.addressFamily });
    signal.throwIfAborted();
    return addresses;
  } catch (error) {
    signal.throwIfAborted();
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ConnectFailure(
      'resolve',
      'resolve',
      `The name ${host.hostName} of ${host.alias} has no address (${code}). Check HostName in your ssh configuration, ` +
        'and that your network or VPN is up.',
    );
  }
}

function unreachable(host: ResolvedHost, addresses: LookupAddress[], codes: string[]): ConnectFailure {
  const place = `${host.hostName}, port ${host.port}`;
  const where = addresses.map(({ address }, index) => `${address}: ${codes[index]}`).join('\n');
  if (codes.every((code) => code === 'ETIMEDOUT')) {
    return new ConnectFailure(
      'timeout',
      'tcp',
      `${place}, did not answer in time. Check that it is switched on and that your network or VPN reaches it.`,
      where,
    );
  }
  const refused = codes.includes('ECONNREFUSED');
  return new ConnectFailure(
    'tcp',
    'tcp',
    refused
      ? `Nothing listens at ${place}: the connection was refused. Check Port in your ssh configuration, and that the host's ssh server runs.`
      : `${place}, cannot be reached (${codes.join(', ')}). Check that your network or VPN is up.`,
    where,
  );
}

/** As ssh does it: a program of the user's whose input and output are the connection. It ends with it. */
async function openProxy(hop: HopContext, command: string, environment: NodeJS.ProcessEnv): Promise<Line> {
  const { host } = hop;
  hop.report('resolve', 'ok', `${host.alias} is ${hop.target}, reached through a command.`);
  hop.report('tcp', 'running', `Running: ${command}`);
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that what it starts ends with it
  });
  let words = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    words = (words + text).slice(-maxWords);
  });
  const close = () => killGroup(child);
  const stream = new JoinedStream(child.stdout, child.stdin, close);
  child.once('close', () => stream.lose());
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) =>
      reject(
        new ConnectFailure(
          'tcp',
          'tcp',
          `The ProxyCommand of ${host.alias} cannot be run: ${error.message}.`,
        ),
      ),
    );
  });
  child.on('error', () => stream.lose());
  hop.report('tcp', 'ok', 'The command runs.');
  return { stream, close, words: () => words.trim() };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}
