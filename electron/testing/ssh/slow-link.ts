import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLinkOptions {
  /** Each way, ms. */
  delayMs: number;
  /** Each way, bytes per second. */
  rate: number;
}

/** Pieces this long wait their turn one by one, bytes. */
const pieceBytes = 4096;
/** More than this on its way, and the sender has to wait, bytes: what a path holds. */
const pathBytes = 256 * 1024;

/**
 * A long thin line to a host: a proxy on this machine that hands bytes on late and slowly, and can stall. The kernel here
 * has no netem.
 */
export class SlowLink {
  stalled = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly options: SlowLinkOptions,
  ) {}

  static async open(to: { address: string; port: number }, options: SlowLinkOptions): Promise<SlowLink> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const link = new SlowLink(server, options);
    server.on('connection', (near) => {
      const far = connect({ host: to.address, port: to.port, allowHalfOpen: true, noDelay: true });
      link.carry(near, far);
      link.carry(far, near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private carry(from: Socket, to: Socket): void {
    const { delayMs, rate } = this.options;
    const waiting: { bytes: Buffer | null; due: number }[] = [];
    let held = 0;
    let freeAt = 0;
    let timer: NodeJS.Timeout | undefined;
    const deliver = () => {
      timer = undefined;
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const wait = this.stalled ? 20 : next.due - performance.now();
        if (wait > 0) {
          timer = setTimeout(deliver, wait);
          return;
        }
        waiting.shift();
        if (next.bytes === null) to.end();
        else if (!to.destroyed) to.write(next.bytes);
        held -= next.bytes?.length ?? 0;
        if (held < pathBytes) from.resume();
      }
    };
    const send = (bytes: Buffer | null) => {
      freeAt = Math.max(freeAt, performance.now()) + ((bytes?.length ?? 0) / rate) * 1000;
      waiting.push({ bytes, due: freeAt + delayMs });
      held += bytes?.length ?? 0;
      if (held >= pathBytes) from.pause();
      if (!timer) deliver();
    };
    this.sockets.add(from);
    from.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += pieceBytes) send(bytes.subarray(at, at + pieceBytes));
    });
    from.on('end', () => send(null));
    from.on('error', () => to.destroy()); // a broken end breaks the other
    from.on('close', () => {
      clearTimeout(timer);
      this.sockets.delete(from);
      if (from.errored) to.destroy();
    });
  }
}
