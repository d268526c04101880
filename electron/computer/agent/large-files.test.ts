import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeHelper, type FakeRequest } from '../../testing/agent-host/fake-helper';
import { streamPair } from '../../testing/agent-host/stream-pair';
import { AgentClient } from './agent-client';
import { readLarge, readRange, writeLarge } from './large-files';
import { TransferPace } from './transfer-pace';

const size = 5_000_000;
const limit = 100_000_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A host with one file; `onRange` may change it before each part is answered. */
function host(
  content: Uint8Array,
  onRange: (count: number, file: { bytes: Uint8Array; mtime: number }) => void,
) {
  const [near, far] = streamPair();
  const file = { bytes: content, mtime: 1 };
  let open = 0;
  let most = 0;
  let count = 0;
  const helper = new FakeHelper(far, ({ id, op, args }: FakeRequest, self) => {
    if (op !== 'f.range') return;
    open += 1;
    most = Math.max(most, open);
    // Answered later, so that what is asked at once is seen.
    setImmediate(() => {
      open -= 1;
      count += 1;
      onRange(count, file);
      const from = Number(args[1]);
      self.say(['=', id, file.bytes.length, file.mtime], file.bytes.subarray(from, from + Number(args[2])));
    });
  });
  return { client: new AgentClient(near), helper, most: () => most };
}

describe('large files', () => {
  const content = randomBytes(size);

  it('are read in pieces, four at a time', async () => {
    const { client, most } = host(content, () => undefined);
    const read = await readLarge(client, '/f', size, limit, new TransferPace());
    expect(read).toMatchObject({ size, mtimeMs: 1, sha256: sha256(content) });
    expect(sha256(read.bytes)).toBe(sha256(content));
    expect(most()).toBe(4);
  });

  it('that change while they are read are read again, and never mixed', async () => {
    const later = randomBytes(size - 1000);
    const { client } = host(content, (count, file) => {
      if (count === 3) Object.assign(file, { bytes: later, mtime: 2 });
    });
    const read = await readLarge(client, '/f', size, limit, new TransferPace());
    expect(read).toMatchObject({ size: later.length, mtimeMs: 2, sha256: sha256(later) });
  });

  it('that change all the time are refused', async () => {
    const { client } = host(content, (count, file) => {
      Object.assign(file, { bytes: content.subarray(0, size - count), mtime: count });
    });
    await expect(readLarge(client, '/f', size, limit, new TransferPace())).rejects.toMatchObject({
      reason: 'conflict',
    });
  });

  it('that only grow are read as far as they were', async () => {
    const log = randomBytes(size + 1000);
    const { client } = host(log.subarray(0, size), (count, file) => {
      Object.assign(file, { bytes: log.subarray(0, size + count), mtime: count });
    });
    const read = await readLarge(client, '/f', size, limit, new TransferPace());
    expect(read.size).toBeGreaterThanOrEqual(size);
    expect(read.sha256).toBe(sha256(log.subarray(0, read.size)));
  });

  it('that grew beyond the limit meanwhile are refused', async () => {
    const { client } = host(content, (_count, file) => {
      Object.assign(file, { bytes: randomBytes(10), mtime: Math.random() });
    });
    await expect(readLarge(client, '/f', 20, 5, new TransferPace())).rejects.toMatchObject({
      reason: 'too_large',
    });
  });

  it('give any part of them, and memory only for what is there', async () => {
    const { client } = host(content, () => undefined);
    const pace = new TransferPace();
    const part = await readRange(client, '/f', 1_000_000, 3_000_000, pace);
    expect(part.size).toBe(size);
    expect(sha256(part.bytes)).toBe(sha256(content.subarray(1_000_000, 4_000_000)));
    const end = await readRange(client, '/f', size - 10, Number.MAX_SAFE_INTEGER, pace);
    expect([...end.bytes]).toEqual([...content.subarray(size - 10)]);
    expect((await readRange(client, '/f', size + 10, 100, pace)).bytes).toHaveLength(0);
  });

  it('that shrink while a part is read give what is left of it', async () => {
    const { client } = host(content, (count, file) => {
      if (count === 2) Object.assign(file, { bytes: content.subarray(0, 2_000_000), mtime: 2 });
    });
    const part = await readRange(client, '/f', 0, size, new TransferPace());
    expect(part.bytes.length).toBeLessThanOrEqual(2_000_000);
    expect(sha256(part.bytes)).toBe(sha256(content.subarray(0, part.bytes.length)));
  });

  it('are given up when a piece is refused, and the host is told', async () => {
    const [near, far] = streamPair();
    const order: string[] = [];
    new FakeHelper(far, ({ id, op, args }, self) => {
      order.push(op);
      if (op === 'f.put' && args[1] !== '0') self.say(['!', id, 'no_space', 'full', 'ENOSPC']);
      else self.say(['=', id, 'handle']);
    });
    const write = { path: '/f', bytes: content, mkdirs: false, mode: '', expect: 'any' };
    await expect(writeLarge(new AgentClient(near), write, new TransferPace())).rejects.toMatchObject({
      code: 'no_space',
    });
    expect(order.at(0)).toBe('f.begin');
    expect(order.at(-1)).toBe('f.abort');
    expect(order).not.toContain('f.commit');
  });
});

describe('the pace of a transfer', () => {
  it('grows while pieces are quick, shrinks while they are slow, within bounds', () => {
    const pace = new TransferPace();
    const begin = pace.pieceBytes;
    for (let i = 0; i < 20; i += 1) pace.took(5);
    expect(pace.pieceBytes).toBe(1024 * 1024);
    pace.took(200);
    expect(pace.pieceBytes).toBe(1024 * 1024);
    for (let i = 0; i < 20; i += 1) pace.took(3000);
    expect(pace.pieceBytes).toBe(32 * 1024);
    expect(begin).toBeGreaterThan(32 * 1024);
  });
});
