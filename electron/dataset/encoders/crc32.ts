/** Eight tables for eight bytes at a time; the first is the usual one (polynomial 0xedb88320, as gzip has it). */
function tables(): Int32Array[] {
  const first = new Int32Array(256).map((_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const all = [first];
  for (let index = 1; index < 8; index += 1) {
    const before = all[index - 1] ?? first;
    all.push(before.map((value) => (value >>> 8) ^ (first[value & 0xff] ?? 0)));
  }
  return all;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = tables() as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** CRC-32 of `bytes` after those that `before` is the sum of (RFC 1952, section 8). Node has none before version 20.15. */
export function crc32(bytes: Buffer, before = 0): number {
  let sum = ~before;
  let at = 0;
  for (const last = bytes.length - 7; at < last; at += 8) {
    const low = sum ^ bytes.readInt32LE(at);
    const high = bytes.readInt32LE(at + 4);
    sum =
      (T7[low & 0xff] as number) ^
      (T6[(low >>> 8) & 0xff] as number) ^
      (T5[(low >>> 16) & 0xff] as number) ^
      (T4[low >>> 24] as number) ^
      (T3[high & 0xff] as number) ^
      (T2[(high >>> 8) & 0xff] as number) ^
      (T1[(high >>> 16) & 0xff] as number) ^
      (T0[high >>> 24] as number);
  }
  for (; at < bytes.length; at += 1) sum = (sum >>> 8) ^ (T0[(sum ^ (bytes[at] as number)) & 0xff] as number);
  return ~sum >>> 0;
}
