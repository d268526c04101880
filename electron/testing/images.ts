import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { readImage } from '@shared/context/image-header';
import type { ImagePart } from '@shared/log/image-part';

/** Red, green and blue of a pixel, 0 to 255. */
type Paint = (x: number, y: number) => readonly [number, number, number];

/** A whole PNG, 8 bits a channel. */
export function pngFile(width: number, height: number, paint: Paint = () => [40, 90, 160]): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(paint(x, y), y * (width * 3 + 1) + 1 + x * 3);
  }
  return pngOf({ width, height, bits: 8, colours: RGB }, deflateSync(rows));
}

/** A black PNG of one bit a pixel: of any size small until it is shown. */
export function blackPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return pngOf({ width, height, bits: 1, colours: GREY }, deflateSync(rows, { level: 9 }));
}

/** A small PNG that differs from those of other seeds. */
export function seededPng(seed: number): Buffer {
  return pngFile(3 + (seed % 5), 2 + (seed % 7), (x, y) => [(seed * 31) % 256, (seed + x) % 256, y % 256]);
}

/** A curve over a grid, as a training run plots one, on paper whose grain no compression takes away. */
export function plotPng(width = 640, height = 400): Buffer {
  let state = 1;
  const grain = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 16) % 12;
  };
  return pngFile(width, height, (x, y) => {
    const curve = height * (0.12 + 0.7 * Math.exp(-x / (width * 0.25))) + 6 * Math.sin(x / 9);
    if (Math.abs(y - (height - curve)) < 2.5) return [200, 70, 40];
    const light = x % 64 === 0 || y % 50 === 0 ? 210 : 243;
    return [light + grain(), light + grain(), light + grain()];
  });
}

/** A JPEG's segments and end around a scan that no decoder was asked about. */
export function jpegFile(width: number, height: number): Buffer {
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  return Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
    ...[0xff, 0xc0, 0, 11, 8, ...size, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xff, 0xd9],
  ]);
}

/** One frame that fills the screen. */
export function gifFile(width: number, height: number): Buffer {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    Buffer.from([...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    Buffer.from([0x2c, 0, 0, 0, 0, ...size, 0, 2, 2, 0x44, 1, 0, 0x3b]),
  ]);
}

/** Lossless: the size stands in 14 bits each. */
export function webpFile(width: number, height: number): Buffer {
  const packed = Buffer.alloc(5);
  packed[0] = 0x2f;
  packed.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  const body = Buffer.concat([packed, Buffer.alloc(7)]);
  const chunk = Buffer.concat([Buffer.from('VP8L', 'latin1'), little32(body.length), body]);
  return Buffer.concat([
    Buffer.from('RIFF', 'latin1'),
    little32(chunk.length + 4),
    Buffer.from('WEBP', 'latin1'),
    chunk,
  ]);
}

/** An image as an event holds it. @throws Error for bytes that are no image of ours */
export function imagePart(name: string, bytes: Buffer): ImagePart {
  const read = readImage(bytes);
  if (!read.ok) throw new Error(`${name}: ${read.why}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, ...read.header, bytes: bytes.length, sha256, data: bytes.toString('base64') };
}

/** Kinds of colours as a PNG's header numbers them. */
const GREY = 0;
const RGB = 2;

function pngOf(
  { width, height, bits, colours }: { width: number; height: number; bits: number; colours: number },
  rows: Buffer,
): Buffer {
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', Buffer.concat([big32(width), big32(height), Buffer.from([bits, colours, 0, 0, 0])])),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([big32(data.length), body, big32(crc32(body))]);
}

function big32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function little32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** PNG, annex D. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
