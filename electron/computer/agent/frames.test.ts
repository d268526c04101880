import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHead, escapeField, type Frame, FrameDecoder, FrameError, unescapeField } from './frames';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** Cuts at those places. */
function pieces(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => whole.subarray(from, places[i] ?? whole.length));
}

describe('frames', () => {
  const field = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '%', '\t\n\r\0%0A', '%25', '中'));
  const frame = fc.record({
    fields: fc.array(field, { minLength: 1, maxLength: 6 }).filter((fields) => fields.join('') !== ''),
    body: fc.uint8Array({ maxLength: 300 }),
  });

  it('come out as they went in, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.array(fc.nat(2000), { maxLength: 12 }),
        (frames, cuts) => {
          const whole = Buffer.concat(
            frames.flatMap(({ fields, body }) => [encodeHead(fields, body.length), body]),
          );
          const seen: Frame[] = [];
          const decoder = new FrameDecoder();
          for (const piece of pieces(whole, cuts)) decoder.push(piece, (each) => seen.push(each));
          expect(seen.map(({ fields, body }) => [fields, text(body)])).toEqual(
            frames.map(({ fields, body }) => [fields, text(body)]),
          );
        },
      ),
    );
  });

  it('keep every field on one line, and give it back', () => {
    fc.assert(
      fc.property(field, (value) => {
        expect(escapeField(value)).not.toMatch(/[\t\n\r\0]/);
        expect(unescapeField(escapeField(value))).toBe(value);
      }),
    );
  });

  it('within one piece are not copied', () => {
    const whole = Buffer.concat([encodeHead(['d'], 5), Buffer.from('hello')]);
    new FrameDecoder().push(whole, ({ body }) => expect(body.buffer).toBe(whole.buffer));
  });

  it.each([
    ['what is no number', 'hello there\n'],
    ['an empty length', ' 3\nabc'],
    ['a length without end', '000000001 0\n'],
    ['a header of nothing', '0 0\n'],
    ['a header too long', '65537 0\n'],
    ['a body too long', '1 1048577\n'],
    ['a negative length', '1 -1\n'],
    ['a missing newline', '1 1 '],
  ])('refuse %s', (_what, sent) => {
    const decoder = new FrameDecoder();
    expect(() => decoder.push(Buffer.from(sent), () => undefined)).toThrow(FrameError);
  });

  it('of the largest size pass, larger ones are not sent', () => {
    const body = Buffer.alloc(1024 * 1024, 7);
    const fields = ['x'.repeat(64 * 1024)];
    const seen: Frame[] = [];
    new FrameDecoder().push(Buffer.concat([encodeHead(fields, body.length), body]), (each) =>
      seen.push(each),
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]?.fields).toEqual(fields);
    expect(Buffer.compare(seen[0]?.body ?? new Uint8Array(), body)).toBe(0);
    for (const tooLong of [
      () => encodeHead(['x'.repeat(64 * 1024 + 1)], 0),
      () => encodeHead(['x'], 2 ** 20 + 1),
    ]) {
      expect(tooLong).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});
