import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock';
import { Liveness } from './liveness';

/** A channel whose other end can fall silent. Round trips take `delayMs`. */
function stand(delayMs = 20) {
  const clock = new ManualClock();
  const events: { what: string; at: number }[] = [];
  const note = (what: string) => events.push({ what, at: clock.monotonic() });
  const channel = { silent: false, delayMs, pings: 0, bytesSent: 0 };
  const liveness = new Liveness(clock, {
    ping: () => {
      channel.pings += 1;
      return new Promise<void>((resolve) => {
        clock.after(channel.delayMs, () => {
          if (channel.silent) return;
          liveness.heard();
          resolve();
        });
      });
    },
    bytesSent: () => channel.bytesSent,
    answered: () => note('answered'),
    stalled: () => note('stalled'),
    recovered: () => note('recovered'),
    dead: () => note('dead'),
  });
  liveness.start();
  const when = (what: string) => events.find((event) => event.what === what)?.at ?? Number.NaN;
  const names = () => events.map(({ what }) => what).filter((what) => what !== 'answered');
  return { clock, channel, liveness, events, when, names };
}

describe('a link that is idle', () => {
  it('is asked every 4 s and left alone otherwise', async () => {
    const { clock, channel, names, liveness } = stand();
    await clock.advance(60_100);
    expect(channel.pings).toBe(16);
    expect(names()).toEqual([]);
    liveness.stop();
    // Only the silent end of the stand is left.
    expect(clock.pending).toBe(0);
  });

  it.each([
    0, 21, 500, 2500, 3999, 4001,
  ])('that falls silent %i ms after a ping is stalled first and dead 2 s before the 15 s that are promised', async (afterMs) => {
    const { clock, channel, when, names } = stand();
    await clock.advance(10_000 + afterMs);
    channel.silent = true;
    const silentSince = clock.monotonic();
    await clock.advance(20_000);
    expect(names()).toEqual(['stalled', 'dead']);
    expect(when('dead') - silentSince).toBeLessThanOrEqual(13_000);
    expect(when('dead') - when('stalled')).toBeGreaterThanOrEqual(4000);
    expect(clock.pending).toBe(0);
  });

  it('lives on bytes of any kind, also when no ping is answered', async () => {
    const { clock, channel, liveness, names } = stand();
    channel.silent = true;
    for (let second = 0; second < 120; second += 3) {
      await clock.advance(3000);
      liveness.heard();
    }
    expect(names()).toEqual([]);
  });

  it('recovers when something is heard after a missed answer', async () => {
    const { clock, channel, names, liveness } = stand();
    await clock.advance(5100);
    channel.silent = true;
    await clock.advance(10_000);
    expect(names()).toEqual(['stalled']);
    channel.silent = false;
    liveness.heard();
    await clock.advance(30_000);
    expect(names()).toEqual(['stalled', 'recovered']);
  });
});

describe('after a person typed', () => {
  it.each([0, 10, 3000, 4600])('silence that began %i ms before is noticed within 6 s', async (beforeMs) => {
    const { clock, channel, liveness, when, names } = stand();
    await clock.advance(10_040);
    channel.silent = true;
    await clock.advance(beforeMs);
    const typedAt = clock.monotonic();
    liveness.typed();
    await clock.advance(6000);
    expect(names()).toEqual(['stalled', 'dead']);
    expect(when('stalled') - typedAt).toBeLessThanOrEqual(2000);
    expect(when('dead') - typedAt).toBeLessThanOrEqual(4000);
  });

  it('a byte that was on its way already is no answer to the key', async () => {
    const { clock, channel, liveness, when } = stand();
    await clock.advance(10_040);
    liveness.typed();
    await clock.advance(5);
    channel.silent = true;
    liveness.typed();
    liveness.heard();
    const typedAt = clock.monotonic();
    await clock.advance(6000);
    expect(when('dead') - typedAt).toBeLessThanOrEqual(4000);
  });

  it('asks no more often than answers come', async () => {
    const { clock, channel, liveness, names } = stand(200);
    for (let key = 0; key < 100; key += 1) {
      liveness.typed();
      await clock.advance(20);
    }
    expect(channel.pings).toBeLessThanOrEqual(12);
    expect(names()).toEqual([]);
  });
});

describe('when time itself is in doubt', () => {
  it('a process that was stopped asks again before it judges', async () => {
    const { clock, channel, liveness, names } = stand();
    await clock.advance(5200);
    await clock.advance(4000);
    clock.skip(300_000);
    await clock.advance(10_000);
    expect(names()).toEqual([]);
    channel.silent = true;
    clock.skip(300_000);
    await clock.advance(2100);
    expect(names()).toEqual(['stalled', 'dead']);
    liveness.stop();
  });

  it('a machine that slept does not trust the channel for more than 2 s', async () => {
    const { clock, channel, when, names } = stand();
    await clock.advance(7000);
    channel.silent = true;
    clock.sleep(3_600_000);
    // The next look is due at 10 s; it finds that the wall clock has jumped.
    await clock.advance(3000);
    const looked = clock.monotonic();
    await clock.advance(2100);
    expect(names()).toEqual(['stalled', 'dead']);
    expect(when('dead') - looked).toBeLessThanOrEqual(2000);
  });

  it('doubt ends within 2 s, however often it is raised', async () => {
    const { clock, channel, liveness, when } = stand();
    await clock.advance(6000);
    channel.silent = true;
    const since = clock.monotonic();
    for (let again = 0; again < 10; again += 1) {
      liveness.doubt();
      await clock.advance(300);
    }
    expect(when('dead') - since).toBeLessThanOrEqual(2000);
  });

  it('doubt about a link that answers changes nothing', async () => {
    const { clock, liveness, names } = stand();
    await clock.advance(6000);
    liveness.doubt();
    await clock.advance(10_000);
    expect(names()).toEqual([]);
  });
});

describe('a slow way up', () => {
  it('is not taken for a dead link while an upload is under way', async () => {
    const { clock, channel, names } = stand();
    await clock.advance(5100);
    channel.bytesSent += 512 * 1024;
    channel.delayMs = 14_000;
    await clock.advance(14_000);
    channel.delayMs = 20;
    await clock.advance(30_000);
    expect(names()).not.toContain('dead');
  });

  it('does not hide a dead one for long', async () => {
    const { clock, channel, when } = stand();
    await clock.advance(5100);
    channel.silent = true;
    channel.bytesSent += 1024 ** 3;
    const since = clock.monotonic();
    await clock.advance(60_000);
    expect(when('dead') - since).toBeLessThanOrEqual(15_000 + 20_000);
  });
});
