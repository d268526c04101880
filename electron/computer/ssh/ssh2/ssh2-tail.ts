import type { Readable } from 'node:stream';

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
