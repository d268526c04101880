import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gifFile, jpegFile, pngFile, webpFile } from '../../electron/testing/images';
import { MAX_IMAGE_BYTES } from '../log/image-part';
import { imageTokens, readImage } from './image-header';

const makers = [
  ['image/png', pngFile],
  ['image/jpeg', jpegFile],
  ['image/gif', gifFile],
  ['image/webp', webpFile],
] as const;

describe.each(makers)('%s', (mediaType, make) => {
  test('type and size come from its bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (width, height) => {
        expect(readImage(make(width, height))).toEqual({ ok: true, header: { mediaType, width, height } });
      }),
      { numRuns: 60 },
    );
  });

  test('cut off anywhere it is refused, and never throws', () => {
    const whole = make(20, 30);
    for (let length = 0; length < whole.length; length += 1) {
      expect(readImage(whole.subarray(0, length)), `${length} bytes`).toMatchObject({ ok: false });
    }
  });

  test('any byte changed is read or refused, within what a header can say', () => {
    const whole = make(20, 30);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const read = readImage(changed);
        if (read.ok) expect(read.header.width * read.header.height).toBeLessThanOrEqual(4_096 * 4_096);
        else expect(read.why).not.toBe('');
      }),
    );
  });
});

/** A header that promises more pixels than there are bytes for. */
function pngSaying(width: number, height: number): Buffer {
  const png = Buffer.from(pngFile(1, 1));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

describe('what is refused', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>x</script></svg>'), /neither PNG/],
    ['a BMP', Buffer.from('BM\0\0\0\0'), /neither PNG/],
    ['nothing', Buffer.alloc(0), /neither PNG/],
    ['a wide bomb', pngSaying(30_000, 30_000), /30,000 × 30,000 pixels/],
    ['a line too long', pngSaying(20_000, 1), /20,000 × 1 pixels/],
    ['a size beyond 31 bits', pngSaying(0xffffffff, 0xffffffff), /4,294,967,295/],
    ['no pixels', pngSaying(0, 5), /no pixels/],
    ['a JPEG larger than its header can be', jpegFile(65_535, 65_535), /65,535 × 65,535/],
    ['a GIF whose frame is larger than its screen', gifWithFrame(9_000), /9,000 × 9,000/],
    ['too many bytes', Buffer.concat([pngFile(1, 1), Buffer.alloc(MAX_IMAGE_BYTES)]), /4,194,304/],
    ['a PNG without pixels', withoutPixels(), /damaged or cut off/],
  ])('%s', (_, bytes, why) => {
    const read = readImage(bytes);
    expect(read.ok ? 'taken' : read.why).toMatch(why);
  });

  test('a file with the largest sides that are taken is taken', () => {
    expect(readImage(pngSaying(4_096, 4_096))).toMatchObject({ ok: true });
    expect(readImage(pngSaying(16_384, 1_024))).toMatchObject({ ok: true });
    expect(readImage(pngSaying(4_097, 4_096))).toMatchObject({ ok: false });
  });
});

function gifWithFrame(side: number): Buffer {
  const gif = Buffer.from(gifFile(10, 10));
  const frame = gif.indexOf(0x2c);
  gif.writeUInt16LE(side, frame + 5);
  gif.writeUInt16LE(side, frame + 7);
  return gif;
}

function withoutPixels(): Buffer {
  const png = pngFile(1, 1);
  const at = png.indexOf('IDAT', 0, 'latin1') - 4;
  return Buffer.concat([png.subarray(0, at), png.subarray(png.length - 12)]);
}

test('tokens are those of the stated rule', () => {
  // The two examples of OpenAI's guide.
  expect(imageTokens({ width: 1_024, height: 1_024 })).toBe(765);
  expect(imageTokens({ width: 2_048, height: 4_096 })).toBe(1_105);
  // Small images are not scaled up.
  expect(imageTokens({ width: 1, height: 1 })).toBe(255);
  expect(imageTokens({ width: 512, height: 512 })).toBe(255);
  expect(imageTokens({ width: 513, height: 512 })).toBe(425);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 16_384 }), fc.integer({ min: 1, max: 16_384 }), (width, height) => {
      const tokens = imageTokens({ width, height });
      expect(tokens).toBe(imageTokens({ width: height, height: width }));
      // 2,048 × 768 is the largest an image becomes: 4 × 2 tiles.
      expect(tokens).toBeGreaterThanOrEqual(255);
      expect(tokens).toBeLessThanOrEqual(85 + 8 * 170);
    }),
  );
});
