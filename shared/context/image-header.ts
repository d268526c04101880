import {
  type ImageRef,
  type ImageType,
  imageTypeName,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_SIDE,
} from '../log/image-part';

export interface ImageHeader {
  mediaType: ImageType;
  /** Pixels, as the header says. */
  width: number;
  height: number;
}

type ReadImage = { ok: true; header: ImageHeader } | { ok: false; why: string };

/** Segments of a JPEG and chunks of a PNG or WebP that are looked at before a file counts as damaged. */
const MOST_PARTS = 10_000;

/** The type that a file's first bytes name; null: none of ours. Extensions and declared types are never asked. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  if (begins(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (begins(bytes, 0, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (ascii(bytes, 0, 6) === 'GIF87a' || ascii(bytes, 0, 6) === 'GIF89a') return 'image/gif';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return 'image/webp';
  return null;
}

/**
 * Type and size of an image from its header, without decoding a pixel. Refuses, with a sentence that says why, what is none of
 * our types, too large in bytes or pixels, or cut off: an image counts only with its end. Goes over the bytes once.
 */
export function readImage(bytes: Uint8Array): ReadImage {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === null) return { ok: false, why: 'it is neither PNG, JPEG, GIF nor WebP' };
  if (bytes.length > MAX_IMAGE_BYTES) {
    return {
      ok: false,
      why: `it has ${count(bytes.length)} bytes, and images may have ${count(MAX_IMAGE_BYTES)}`,
    };
  }
  const size = sizeOf(mediaType, bytes);
  if (size === null) {
    return { ok: false, why: `it is damaged or cut off: no whole ${imageTypeName(mediaType)} file` };
  }
  const { width, height } = size;
  if (width === 0 || height === 0) return { ok: false, why: 'its header says that it has no pixels' };
  if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS) {
    return {
      ok: false,
      why: `it has ${count(width)} × ${count(height)} pixels, and images may have ${count(MAX_IMAGE_PIXELS)} in all and ${count(MAX_IMAGE_SIDE)} on a side`,
    };
  }
  return { ok: true, header: { mediaType, width, height } };
}

type Size = { width: number; height: number };

function sizeOf(type: ImageType, bytes: Uint8Array): Size | null {
  switch (type) {
    case 'image/png':
      return pngSize(bytes);
    case 'image/jpeg':
      return jpegSize(bytes);
    case 'image/gif':
      return gifSize(bytes);
    case 'image/webp':
      return webpSize(bytes);
  }
}

/** PNG, third edition, 5: chunks of length, type, data and CRC; IHDR is the first, IEND the last. */
function pngSize(bytes: Uint8Array): Size | null {
  if (big32(bytes, 8) !== 13 || ascii(bytes, 12, 4) !== 'IHDR') return null;
  const size = { width: big32(bytes, 16), height: big32(bytes, 20) };
  let at = 8;
  let pixels = false;
  for (let part = 0; part < MOST_PARTS && at + 12 <= bytes.length; part += 1) {
    const type = ascii(bytes, at + 4, 4);
    const end = at + 12 + big32(bytes, at);
    if (end > bytes.length) return null;
    if (type === 'IEND') return pixels ? size : null;
    pixels ||= type === 'IDAT';
    at = end;
  }
  return null;
}

/** ITU-T T.81, annex B: segments up to the scan; a frame header (SOF) holds the size, and EOI is the end. */
function jpegSize(bytes: Uint8Array): Size | null {
  let size: Size | null = null;
  let at = 2;
  for (let part = 0; part < MOST_PARTS && at + 4 <= bytes.length; part += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = big16(bytes, at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return null;
    if (isFrame(marker)) {
      if (length < 8) return null;
      size ??= { width: big16(bytes, at + 7), height: big16(bytes, at + 5) };
    }
    at += 2 + length;
    if (marker === 0xda) return size !== null && endsWithEoi(bytes, at) ? size : null;
  }
  return null;
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which lie between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Whether EOI follows the scan; cameras write other things after it. */
function endsWithEoi(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at >= from; at -= 1) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  }
  return false;
}

/** GIF89a, 17 to 27: the size of the logical screen, and blocks up to the trailer. */
function gifSize(bytes: Uint8Array): Size | null {
  const size = { width: little16(bytes, 6), height: little16(bytes, 8) };
  const tableOf = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + tableOf(bytes[10] ?? 0);
  let pixels = false;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return pixels ? size : null;
    if (kind === 0x2c) {
      // What is drawn may be larger than the screen: its size counts as well.
      size.width = Math.max(size.width, little16(bytes, at + 1) + little16(bytes, at + 5));
      size.height = Math.max(size.height, little16(bytes, at + 3) + little16(bytes, at + 7));
      pixels = true;
      at += 10 + tableOf(bytes[at + 9] ?? 0) + 1;
    } else if (kind === 0x21) at += 2;
    else return null;
    // Blocks of a length and as many bytes, up to an empty one.
    let length = bytes[at];
    while (length !== undefined && length !== 0) {
      at += length + 1;
      length = bytes[at];
    }
    if (length === undefined) return null;
    at += 1;
  }
  return null;
}

/** WebP container (RFC 9649): a RIFF of the length it names, whose first chunk is VP8X, VP8L or VP8. */
function webpSize(bytes: Uint8Array): Size | null {
  if (little32(bytes, 4) + 8 > bytes.length || bytes.length < 30) return null;
  const kind = ascii(bytes, 12, 4);
  if (20 + little32(bytes, 16) > bytes.length) return null;
  if (kind === 'VP8X') {
    const canvas = { width: little24(bytes, 24) + 1, height: little24(bytes, 27) + 1 };
    return hasPixels(bytes) ? canvas : null;
  }
  if (kind === 'VP8L') {
    if (bytes[20] !== 0x2f) return null;
    const packed = little32(bytes, 21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ' || !begins(bytes, 23, [0x9d, 0x01, 0x2a])) return null;
  return { width: little16(bytes, 26) & 0x3fff, height: little16(bytes, 28) & 0x3fff };
}

/** Whether the chunks of an extended WebP are whole and one of them holds a picture. */
function hasPixels(bytes: Uint8Array): boolean {
  const end = little32(bytes, 4) + 8;
  let at = 12;
  let pixels = false;
  for (let part = 0; part < MOST_PARTS && at + 8 <= end; part += 1) {
    const kind = ascii(bytes, at, 4);
    const length = little32(bytes, at + 4);
    if (at + 8 + length > end) return false;
    pixels ||= kind === 'VP8 ' || kind === 'VP8L' || kind === 'ANMF';
    at += 8 + length + (length % 2);
  }
  return pixels;
}

function begins(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte);
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Bytes beyond the end count as 0. */
const byte = (bytes: Uint8Array, at: number) => bytes[at] ?? 0;
const big16 = (bytes: Uint8Array, at: number) => byte(bytes, at) * 256 + byte(bytes, at + 1);
const big32 = (bytes: Uint8Array, at: number) => big16(bytes, at) * 65_536 + big16(bytes, at + 2);
const little16 = (bytes: Uint8Array, at: number) => byte(bytes, at) + byte(bytes, at + 1) * 256;
const little24 = (bytes: Uint8Array, at: number) => little16(bytes, at) + byte(bytes, at + 2) * 65_536;
const little32 = (bytes: Uint8Array, at: number) => little16(bytes, at) + little16(bytes, at + 2) * 65_536;

const count = (value: number) => value.toLocaleString('en-US');

const BASE = 85;
const PER_TILE = 170;
const TILE = 512;
const LONG_SIDE = 2_048;
const SHORT_SIDE = 768;

/**
 * Tokens of an image by the rule that OpenAI states for high detail (guide "Images and vision", section "Calculating costs"):
 * it is scaled down into 2,048 × 2,048, then down until its shorter side is 768 pixels, and costs 85 tokens and 170 for each
 * tile of 512 × 512 that it touches. 1,024 × 1,024 are 765 tokens, 2,048 × 4,096 are 1,105. Other models count otherwise,
 * in the same order of magnitude; what an endpoint reports for a request replaces the estimate.
 */
export function imageTokens({ width, height }: Pick<ImageRef, 'width' | 'height'>): number {
  const fitted = Math.min(1, LONG_SIDE / Math.max(width, height));
  const scale = Math.min(fitted, SHORT_SIDE / Math.min(width, height));
  const tiles = (side: number) => Math.ceil(Math.max(1, Math.round(side * scale)) / TILE);
  return BASE + PER_TILE * tiles(width) * tiles(height);
}

/** Of several images; no images, no tokens. */
export function imagesTokens(images: readonly Pick<ImageRef, 'width' | 'height'>[] | undefined): number {
  return images === undefined ? 0 : images.reduce((sum, image) => sum + imageTokens(image), 0);
}
