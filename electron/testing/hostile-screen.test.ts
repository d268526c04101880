import { createHash } from 'node:crypto';
import { hostileCorpus } from '@shared/terminal/hostile-corpus';
import { expect, test } from 'vitest';
import { TerminalPump } from '../ipc/terminal-pump';
import { fuzzedSequence, HostileScreen } from './hostile-screen';
import { createRun } from './run-writer';
import { seededRandom } from './seeded-random';
import { testStore } from './store-fixtures';

const count = process.env.WAYMARK_FULL ? 10_000 : 2_000;
/** One sequence that takes this long has got past the filter; the bar of 100 ms is the bench's on a quiet machine. */
const stuckMs = 5_000;

function* sequences(): Generator<[string, Uint8Array]> {
  for (const [name, input] of hostileCorpus) yield [name, new TextEncoder().encode(input)];
  const random = seededRandom(20_261);
  for (let index = 0; index < count; index += 1) yield [`fuzzed ${index}`, fuzzedSequence(random)];
}

test('no sequence makes a terminal answer, ring, rename, copy or stop', { timeout: 300_000 }, async () => {
  const screen = new HostileScreen();
  for (const [name, bytes] of sequences()) {
    const { ms, length, did } = await screen.show(bytes);
    expect(did, name).toEqual([]);
    // A character stays one, a repeated one counts where it is drawn; nothing the filter writes is longer than what it read.
    expect(length, name).toBeLessThanOrEqual(bytes.length + 16);
    expect(ms, name).toBeLessThan(stuckMs);
    expect(screen.lines, name).toBeLessThanOrEqual(10_050);
  }
  screen.dispose();
});

test('a terminal of the person gives fixed answers only', { timeout: 300_000 }, async () => {
  const screen = new HostileScreen({ human: true });
  const fixed = /^answer "\\u001b\[(\?1;2c|>0;\d+;0c|0n|\??\d+;\d+R)"$/;
  let answers = 0;
  for (const [name, bytes] of sequences()) {
    const { did } = await screen.show(bytes);
    for (const each of did) expect(each, name).toMatch(fixed);
    expect(did.length, name).toBeLessThanOrEqual(8);
    answers += did.length;
  }
  expect(answers).toBeGreaterThan(0);
  screen.dispose();
});

test('the store keeps every byte as it came', { timeout: 300_000 }, async () => {
  const store = testStore();
  const run = await createRun(store);
  const pump = new TerminalPump({ publish: () => undefined });
  pump.attach(store.reader);
  const before = createHash('sha256');
  let offset = 0;
  for (const [, bytes] of sequences()) {
    await store.writer.sessionBytes(run, 1, 'u1', { offset, bytes, receivedAt: offset, hostAt: null });
    before.update(bytes);
    offset += bytes.length;
    if (offset > 24 * 1024 * 1024) break;
  }
  const after = createHash('sha256');
  for (let at = 0; at < offset; ) {
    // The window looks at the same time, through the filter.
    await pump.read({ run, uid: 'u1', offset: at, maxBytes: 100_000 });
    const { bytes } = await store.reader.readSession(run, 'u1', at, 1_000_000);
    after.update(bytes);
    at += bytes.length;
  }
  expect(after.digest('hex')).toBe(before.digest('hex'));
});
