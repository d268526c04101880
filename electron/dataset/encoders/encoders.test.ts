import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, crc32 as nodeCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { decompress } from 'fzstd';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { crc32 } from './crc32';
import { ArrayEncoder, JsonlEncoder, type RecordEncoder } from './encoder';
import { GzipPacker } from './gzip';
import type { Packer } from './packer';
import { ParquetEncoder } from './parquet';
import { ZstdStreams } from './zstd';

const folder = mkdtempSync(join(tmpdir(), 'waymark-encoders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Text that packs neither to nothing nor not at all. */
function text(seed: number, bytes: number): Buffer {
  const words: string[] = [];
  let value = seed;
  for (let length = 0; length < bytes; length += 8) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) >>> 0;
    words.push(value % 3 === 0 ? 'waymark ' : value.toString(36).padStart(7, '0').slice(0, 7));
  }
  return Buffer.from(words.join('')).subarray(0, bytes);
}

const through = <T>(value: T): T => deserialize(serialize(value)) as T;

const pieces = fc.array(
  fc.record({ seed: fc.nat(99), bytes: fc.constantFrom(0, 1, 5_000, 700_000, 1 << 20) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe('gzip', () => {
  it('is one member that Node and gzip read, the same after going on from a border', () => {
    fc.assert(
      fc.property(pieces, fc.nat(5), (list, stop) => {
        const texts = list.map(({ seed, bytes }) => text(seed, bytes));
        const whole = new GzipPacker();
        let resumed = new GzipPacker();
        const [a, b]: [Buffer[], Buffer[]] = [[], []];
        for (const [index, each] of texts.entries()) {
          a.push(...whole.push(each));
          b.push(...resumed.push(each));
          if (index !== stop) continue;
          const saved = through(resumed.save());
          resumed = new GzipPacker();
          resumed.restore(saved);
        }
        a.push(...whole.end());
        b.push(...resumed.end());
        expect(Buffer.concat(b).equals(Buffer.concat(a))).toBe(true);
        expect(gunzipSync(Buffer.concat(a)).equals(Buffer.concat(texts))).toBe(true);
      }),
      { numRuns: 12 },
    );
    const packer = new GzipPacker();
    const path = join(folder, 'a.gz');
    writeFileSync(path, Buffer.concat([...packer.push(text(7, 3_000_000)), ...packer.end()]));
    expect(spawnSync('gzip', ['-t', path]).status).toBe(0);
  });

  it('sums as Node does', () => {
    if (nodeCrc32 === undefined) return;
    for (const bytes of [0, 1, 7, 8, 9, 1_000, 100_003]) {
      const all = text(bytes, bytes);
      const at = bytes >> 1;
      expect(crc32(all.subarray(at), crc32(all.subarray(0, at)))).toBe(nodeCrc32(all));
    }
  });
});

describe('zstd', () => {
  it('is one frame for each stream, the same after going on from a border, alone or with another library beside it', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => text(index, 40_000 + 90_000 * index));
    const write = async (stop: number | null) => {
      let streams = await ZstdStreams.load();
      const other = await ZstdStreams.load();
      const noise = other.packer();
      let packers: Packer[] = [streams.packer(), streams.packer()];
      const out: [Buffer[], Buffer[]] = [[], []];
      for (const [index, each] of texts.entries()) {
        out[index % 2]?.push(...(packers[index % 2] as Packer).push(each));
        noise.push(each);
        if (index !== stop) continue;
        const saved = through(streams.save());
        streams = await ZstdStreams.load();
        packers = [streams.packer(), streams.packer()];
        streams.restore(saved);
      }
      return out.map((each, index) => Buffer.concat([...each, ...(packers[index] as Packer).end()]));
    };
    const whole = await write(null);
    const plain = [0, 1].map((side) => Buffer.concat(texts.filter((_, index) => index % 2 === side)));
    for (const [side, bytes] of whole.entries()) {
      expect(Buffer.from(decompress(bytes)).equals(plain[side] as Buffer)).toBe(true);
      // Four bytes that open a frame; a second one would be a second frame for readers that stop at the first.
      expect(bytes.subarray(0, 4).toString('hex')).toBe('28b52ffd');
    }
    for (const stop of [0, 5, 10])
      expect((await write(stop)).map((each, side) => each.equals(whole[side] as Buffer))).toEqual([
        true,
        true,
      ]);
    const path = join(folder, 'a.zst');
    writeFileSync(path, whole[0] as Buffer);
    const listed = spawnSync('zstd', ['-l', path]);
    if (listed.error === undefined) expect(String(listed.stdout)).toMatch(/^\s*1\s+0\s/m);
  });

  it('goes on where many streams have made the memory grow', async () => {
    const write = async (stop: number | null) => {
      let streams = await ZstdStreams.load();
      let packers = Array.from({ length: 8 }, () => streams.packer());
      const out: Buffer[] = [];
      for (let index = 0; index < 16; index += 1) {
        out.push(...(packers[index % 8] as Packer).push(text(index, 300_000)));
        if (index !== stop) continue;
        const saved = through(streams.save());
        streams = await ZstdStreams.load();
        packers = Array.from({ length: 8 }, () => streams.packer());
        streams.restore(saved);
      }
      return Buffer.concat([...out, ...packers.flatMap((packer) => packer.end())]);
    };
    expect((await write(13)).equals(await write(null))).toBe(true);
  });
});

const layout = {
  columns: ['name', 'mask'],
  schema: [
    { name: 'root', num_children: 2 },
    { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    { name: 'mask', type: 'INT32', repetition_type: 'REQUIRED' },
  ],
};

function written(
  make: () => RecordEncoder,
  records: readonly Record<string, unknown>[],
  stops: readonly number[],
): Buffer {
  let encoder = make();
  const out: Buffer[] = [];
  for (const [index, record] of records.entries()) {
    out.push(...encoder.add(record));
    if (!stops.includes(index)) continue;
    out.push(...encoder.border());
    const saved = through(encoder.save());
    encoder = make();
    encoder.restore(saved);
  }
  return Buffer.concat([...out, ...encoder.end()]);
}

/** The same borders without a kill. */
function bordered(
  make: () => RecordEncoder,
  records: readonly Record<string, unknown>[],
  stops: readonly number[],
): Buffer {
  const encoder = make();
  const out: Buffer[] = [];
  for (const [index, record] of records.entries()) {
    out.push(...encoder.add(record));
    if (stops.includes(index)) out.push(...encoder.border());
  }
  return Buffer.concat([...out, ...encoder.end()]);
}

describe('records', () => {
  const records = Array.from({ length: 300 }, (_, index) => ({
    name: `n${index} \ud800 é`,
    mask: index % 2,
  }));

  it.each([
    'none',
    'gzip',
    'zstd',
  ] as const)('are rows of Parquet (%s), the same after going on', async (compression) => {
    const streams = compression === 'zstd' ? await ZstdStreams.load() : null;
    const make = () => new ParquetEncoder(layout, compression, streams, 2_000);
    const stops = [0, 77, 78, 298];
    const whole = bordered(make, records, stops);
    expect(written(make, records, stops).equals(whole)).toBe(true);
    const file = new Uint8Array(whole).buffer;
    const rows = await parquetReadObjects({
      file,
      compressors: { GZIP: (bytes) => gunzipSync(bytes), ZSTD: (bytes) => decompress(bytes) },
    });
    expect(rows).toEqual(records.map(({ name, mask }) => ({ name: name.replace('\ud800', '\ufffd'), mask })));
  });

  it('without a REQUIRED value are refused instead of written', () => {
    const encoder = new ParquetEncoder(layout, 'none', null, 1);
    for (const mask of [null, undefined, 0.5, '1', true])
      expect(() => encoder.add({ name: 'a', mask })).toThrow();
  });

  it('are one JSON array, or lines, without half surrogates', () => {
    for (const [make, parse] of [
      [() => new ArrayEncoder(), (all: string) => JSON.parse(all)],
      [
        () => new JsonlEncoder(),
        (all: string) =>
          all
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
      ],
    ] as const) {
      const whole = bordered(make, records, [3]);
      expect(written(make, records, [3, 200]).equals(whole)).toBe(true);
      expect(parse(whole.toString())).toEqual(
        records.map(({ name, mask }) => ({ name: name.replace('\ud800', '\ufffd'), mask })),
      );
      expect(parse(bordered(make, [], []).toString())).toEqual([]);
    }
  });
});
