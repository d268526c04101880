import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, MessageDecoder, MessageError } from './frames';

const limit = 1 << 20;

function decode(bytes: Uint8Array, pieceLength = bytes.length): unknown[] {
  const decoder = new MessageDecoder(limit);
  const messages: unknown[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, pieceLength)) {
    decoder.push(bytes.subarray(at, at + Math.max(1, pieceLength)), (message) => messages.push(message));
  }
  return messages;
}

test('messages with bytes anywhere arrive as they were, in pieces of any size', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      bytes,
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      // As JSON does, a message has no way to set a prototype.
      fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  }));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 80 }),
      (sent, piece) => {
        const wire = Buffer.concat(sent.map((message) => encodeFrame(message, limit)));
        expect(decode(wire, piece)).toEqual(sent);
      },
    ),
    { numRuns: 300 },
  );
});

test('what is no frame is refused, whatever it claims', () => {
  const frame = (header: string, body = '') => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(Buffer.byteLength(header), 0);
    head.writeUInt32BE(Buffer.byteLength(body), 4);
    return Buffer.concat([head, Buffer.from(header), Buffer.from(body)]);
  };
  const hostile = [
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    Buffer.alloc(8, 0xff),
    Buffer.alloc(64),
    frame('not json'),
    frame('[]'),
    frame('{"x":1}'),
    frame('{"m":{},"b":[{"path":["a"],"length":1}]}', 'x'),
    frame('{"m":{"a":1},"b":[{"path":["a"],"length":1}]}', 'x'),
    frame('{"m":{"a":null},"b":[{"path":["a"],"length":9}]}', 'x'),
    frame('{"m":{"a":null},"b":[{"path":["a"],"length":-1}]}', 'x'),
    frame('{"m":{"a":null},"b":[{"path":["a"]}]}', 'x'),
    frame('{"m":{"a":null}}', 'bytes nobody names'),
    frame('{"m":{},"b":[{"path":["__proto__","polluted"],"length":1}]}', 'x'),
    frame('{"m":{},"b":[{"path":["constructor","prototype","polluted"],"length":1}]}', 'x'),
    frame(`{"m":null,"b":[{"path":[${'1,'.repeat(70)}1],"length":1}]}`, 'x'),
  ];
  for (const bytes of hostile) expect(() => decode(bytes), bytes.toString()).toThrow(MessageError);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a frame that claims more than the limit is refused before its content comes', () => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(limit, 0);
  expect(() => decode(head)).toThrow(/out of bounds/);
  expect(() => encodeFrame({ text: 'x'.repeat(limit) }, limit)).toThrow(MessageError);
});
