import type { Duplex } from 'node:stream';
import { encodeHead, FrameDecoder } from '../../computer/agent/frames';

export interface FakeRequest {
  id: string;
  op: string;
  args: string[];
  body: Uint8Array;
}

/** The far end of a client's channel, in this process: says only what a test tells it to. */
export class FakeHelper {
  readonly requests: FakeRequest[] = [];
  private readonly stream: Duplex;

  constructor(
    stream: Duplex,
    onRequest: (request: FakeRequest, helper: FakeHelper) => void = () => undefined,
  ) {
    this.stream = stream;
    const decoder = new FrameDecoder();
    stream.on('data', (piece: Uint8Array) =>
      decoder.push(piece, ({ fields, body }) => {
        const [id = '', op = '', ...args] = fields;
        const request = { id, op, args, body };
        this.requests.push(request);
        onRequest(request, this);
      }),
    );
    // The client lets go of the channel as it likes.
    stream.on('error', () => undefined);
  }

  /** Sends one frame. */
  say(fields: readonly (string | number)[], body: Uint8Array = new Uint8Array(0)): void {
    this.stream.write(Buffer.concat([encodeHead(fields.map(String), body.length), body]));
  }

  /** Sends bytes that need not be a frame. */
  sayRaw(bytes: Uint8Array): void {
    this.stream.write(bytes);
  }

  asked(op: string): FakeRequest[] {
    return this.requests.filter((request) => request.op === op);
  }

  /** This side or the client has closed the channel. */
  get ended(): boolean {
    return this.stream.destroyed || this.stream.writableEnded;
  }

  end(): void {
    this.stream.end();
  }
}
