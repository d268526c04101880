import type { StepHead } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { HeadCache, PAGE } from './head-cache';
import { stepHead } from './step-fixtures';

/** A run in memory behind the cache's port: answers when told to, and remembers what was asked. */
class Log {
  readonly asked: [number, number][] = [];
  readonly failures: unknown[] = [];
  changes = 0;
  edition = 0;
  steps = 0;
  private waiting: (() => void)[] = [];

  readonly cache = new HeadCache({
    load: (from, to) => {
      this.asked.push([from, to]);
      return new Promise<StepHead[]>((resolve, reject) => {
        this.waiting.push(() => {
          if (this.edition < 0) reject(new Error('no answer'));
          const heads: StepHead[] = [];
          for (let step = from; step <= Math.min(to, this.steps); step++) {
            heads.push(stepHead(step, { title: `edition ${this.edition}` }));
          }
          resolve(heads);
        });
      });
    },
    changed: () => {
      this.changes += 1;
    },
    failed: (thrown) => this.failures.push(thrown),
  });

  /** Answers everything asked so far, and what that leads to, until nothing is asked. */
  async settle(): Promise<void> {
    while (this.waiting.length > 0) {
      const now = this.waiting;
      this.waiting = [];
      for (const answer of now) answer();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  notice(seq: number, steps: number): void {
    this.steps = steps;
    this.cache.advance(seq, steps);
  }
}

describe('HeadCache', () => {
  it('reads only the pages around the view', async () => {
    const log = new Log();
    log.notice(1, 350_000);
    log.cache.show([{ from: 100_010, to: 100_040 }]);
    await log.settle();
    expect(log.asked).toEqual([[100_001, 100_200]]);
    expect(log.cache.get(100_020)?.step).toBe(100_020);
    expect(log.cache.get(1)).toBeUndefined();
  });

  it('reads a page once however often it is shown', async () => {
    const log = new Log();
    log.notice(1, 1000);
    log.cache.show([{ from: 1, to: 30 }]);
    log.cache.show([{ from: 10, to: 40 }]);
    await log.settle();
    log.cache.show([{ from: 20, to: 50 }]);
    await log.settle();
    expect(log.asked).toEqual([[1, PAGE]]);
  });

  it('reads the end of the run again when the next event comes', async () => {
    const log = new Log();
    log.notice(10, 20);
    log.cache.show([{ from: 1, to: 40 }]);
    await log.settle();
    log.edition = 1;
    log.notice(11, 21);
    await log.settle();
    expect(log.asked.slice(1)).toEqual([[20, 21]]);
    expect(log.cache.get(21)?.step).toBe(21);
    expect(log.cache.get(20)?.title).toBe('edition 1');
    expect(log.cache.get(19)?.title).toBe('edition 0');
  });

  it('reads what is in view again after a gap in seq', async () => {
    const log = new Log();
    log.notice(10, 20);
    log.cache.show([{ from: 1, to: 40 }]);
    await log.settle();
    log.edition = 1;
    log.notice(15, 22);
    await log.settle();
    expect(log.asked.slice(1)).toEqual([[1, 22]]);
    expect(log.cache.get(3)?.title).toBe('edition 1');
  });

  it('ignores a notice that is older than what it knows', async () => {
    const log = new Log();
    log.notice(10, 20);
    log.cache.show([{ from: 1, to: 40 }]);
    await log.settle();
    log.cache.advance(9, 18);
    await log.settle();
    expect(log.cache.steps).toBe(20);
    expect(log.asked).toHaveLength(1);
  });

  it('reads again what became stale while it was read', async () => {
    const log = new Log();
    log.notice(1, 50);
    log.cache.show([{ from: 1, to: 50 }]);
    log.cache.invalidate(7, 9);
    await log.settle();
    expect(log.asked).toEqual([
      [1, 50],
      [7, 9],
    ]);
  });

  it('keeps stale heads on the screen and does not read what is out of view', async () => {
    const log = new Log();
    log.notice(1, 1000);
    log.cache.show([{ from: 1, to: 30 }]);
    await log.settle();
    log.cache.show([{ from: 801, to: 830 }]);
    await log.settle();
    log.edition = 1;
    log.cache.invalidate(5, 5);
    await log.settle();
    expect(log.cache.get(5)?.title).toBe('edition 0');
    expect(log.asked).toHaveLength(2);
    log.cache.show([{ from: 1, to: 30 }]);
    await log.settle();
    expect(log.cache.get(5)?.title).toBe('edition 1');
  });

  it('keeps the identity of a head that did not change', async () => {
    const log = new Log();
    log.notice(1, 50);
    log.cache.show([{ from: 1, to: 50 }]);
    await log.settle();
    const before = log.cache.get(3);
    log.notice(9, 50);
    await log.settle();
    expect(log.asked).toHaveLength(2);
    expect(log.cache.get(3)).toBe(before);
  });

  it('asks again after a failure when the steps are shown again', async () => {
    const log = new Log();
    log.notice(1, 50);
    log.edition = -1;
    log.cache.show([{ from: 1, to: 50 }]);
    await log.settle();
    expect(log.failures).toHaveLength(1);
    log.edition = 2;
    log.cache.show([{ from: 1, to: 50 }]);
    await log.settle();
    expect(log.cache.get(1)?.title).toBe('edition 2');
  });

  it('reads only the steps in view when they lie apart', async () => {
    const log = new Log();
    log.notice(1, 174_500);
    log.cache.show([7, 9, 90_003, 170_000].map((step) => ({ from: step, to: step })));
    await log.settle();
    expect(log.asked).toEqual([
      [7, 9],
      [90_003, 90_003],
      [170_000, 170_000],
    ]);
    expect(log.cache.get(170_000)?.step).toBe(170_000);
  });

  it('asks for what is in view now, not for what was scrolled past', async () => {
    const log = new Log();
    log.notice(1, 174_500);
    for (let step = 1; step <= 170_000; step += 1000) log.cache.show([{ from: step, to: step + 40 }]);
    await log.settle();
    expect(log.asked).toHaveLength(4);
    expect(log.asked.at(-1)).toEqual([169_001, 169_200]);
  });

  it('keeps a bounded number of heads, those around the reader', async () => {
    const log = new Log();
    log.notice(1, 174_500);
    for (let step = 1; step <= 174_000; step += PAGE) {
      log.cache.show([{ from: step, to: step + 40 }]);
      await log.settle();
    }
    let kept = 0;
    for (let step = 1; step <= 174_500; step += 1) if (log.cache.get(step) !== undefined) kept += 1;
    expect(kept).toBe(30 * PAGE);
    expect(log.cache.get(173_900)).toBeDefined();
  });

  it('does not ask again and again for steps that the log does not have', async () => {
    const log = new Log();
    log.notice(1, 50);
    log.steps = 40;
    log.cache.show([{ from: 1, to: 50 }]);
    await log.settle();
    log.cache.show([{ from: 2, to: 50 }]);
    await log.settle();
    expect(log.asked).toEqual([[1, 50]]);
    log.notice(2, 50);
    await log.settle();
    expect(log.cache.get(50)?.step).toBe(50);
  });

  it('says nothing after its end', async () => {
    const log = new Log();
    log.notice(1, 50);
    log.cache.show([{ from: 1, to: 50 }]);
    const before = log.changes;
    log.cache.dispose();
    await log.settle();
    expect(log.changes).toBe(before);
  });
});
