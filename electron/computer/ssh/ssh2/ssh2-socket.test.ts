import { execFile } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { connectTcp } from './ssh2-socket';

/** What the kernel says about a socket of this process. */
async function kernelOptions(socket: Socket): Promise<string> {
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  // pidfd_open and pidfd_getfd: a copy of our descriptor in a program that may ask.
  const script = `
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY SOL_SOCKET SO_KEEPALIVE);
my $process = syscall(434, $ARGV[0] + 0, 0);
my $copy = syscall(438, $process, $ARGV[1] + 0, 0);
open(my $socket, '+<&=', $copy) or die "no socket: $!";
printf '%d %d', unpack('i', getsockopt($socket, IPPROTO_TCP, TCP_NODELAY)), unpack('i', getsockopt($socket, SOL_SOCKET, SO_KEEPALIVE));`;
  const { stdout } = await promisify(execFile)('perl', ['-e', script, String(process.pid), String(fd)]);
  return stdout;
}

describe.skipIf(namespacesMissing)(
  `the connection itself${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    const server = createServer((socket) => socket.resume());
    let port = 0;
    beforeEach(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
    });
    afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

    it('has no delay and is probed, as the kernel sees it', async () => {
      const place = { port, bindAddress: null };
      const socket = await connectTcp(place, '127.0.0.1', 4, 5000, new AbortController().signal);
      expect(await kernelOptions(socket)).toBe('1 1');
      socket.setNoDelay(false);
      expect(await kernelOptions(socket)).toBe('0 1');
      socket.destroy();
    });

    it('starts where BindAddress says, and is given up with its signal', async () => {
      const place = { port, bindAddress: '127.0.0.9' };
      const socket = await connectTcp(place, '127.0.0.1', 4, 5000, new AbortController().signal);
      expect(socket.localAddress).toBe('127.0.0.9');
      socket.destroy();
      const abort = new AbortController();
      const connecting = connectTcp({ port: 9, bindAddress: null }, '192.0.2.1', 4, 20_000, abort.signal);
      abort.abort(new Error('enough'));
      await expect(connecting).rejects.toThrow('enough');
    });
  },
);
