import { createHash } from 'node:crypto';

/** The first strings of an SSH message (length and bytes each), or undefined when it is cut short. */
export function readSshStrings(data: Buffer, count: number): { strings: Buffer[]; rest: Buffer } | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    if (at + 4 > data.length) return undefined;
    const length = data.readUInt32BE(at);
    if (at + 4 + length > data.length) return undefined;
    strings.push(data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { strings, rest: data.subarray(at) };
}

/** Type of a public key as it goes over the wire; empty when it is none. */
export function keyTypeOf(blob: Buffer): string {
  return readSshStrings(blob, 1)?.strings[0]?.toString('latin1') ?? '';
}

/** `SHA256:…` as OpenSSH prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
