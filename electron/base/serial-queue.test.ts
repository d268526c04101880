import { describe, expect, it } from 'vitest';
import { SerialQueue } from './serial-queue';

describe('SerialQueue', () => {
  it('begins a piece of work only when the one before it has ended', async () => {
    const queue = new SerialQueue();
    let open = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      open = resolve;
    });
    const log: string[] = [];
    const one = queue.run(async () => {
      log.push('one begins');
      await first;
      log.push('one ends');
      return 1;
    });
    const two = queue.run(() => {
      log.push('two');
      return 2;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(log).toEqual(['one begins']);
    open();
    expect(await Promise.all([one, two])).toEqual([1, 2]);
    expect(log).toEqual(['one begins', 'one ends', 'two']);
  });

  it('gives a failure to its caller, thrown or rejected, and goes on with the next piece of work', async () => {
    const queue = new SerialQueue();
    const thrown = queue.run(() => {
      throw new Error('thrown');
    });
    const rejected = queue.run(() => Promise.reject(new Error('rejected')));
    const next = queue.run(() => 'done');
    await expect(thrown).rejects.toThrow('thrown');
    await expect(rejected).rejects.toThrow('rejected');
    expect(await next).toBe('done');
  });

  it('is idle when all work has ended, failed or not, also what other work asked for', async () => {
    const queue = new SerialQueue();
    let ended = 0;
    queue.run(() => {
      ended++;
      queue.run(() => ended++);
    });
    const failing = queue.run(async () => {
      ended++;
      throw new Error('not written');
    });
    await queue.idle();
    expect(ended).toBe(3);
    await expect(failing).rejects.toThrow('not written');
  });
});
