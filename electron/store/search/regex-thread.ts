import { Worker } from 'node:worker_threads';
import type { Pattern } from '@shared/contract/search/pattern';

/** What the thread is started with; `at` counts the texts it has begun. */
export interface RegexTask {
  source: string;
  flags: string;
  at: SharedArrayBuffer;
}

export interface RegexLimits {
  /** For one text, ms. */
  textMs: number;
  /** For all texts together, ms. */
  wholeMs: number;
}

/** A match in the text with this index of the list. */
export interface TextMatch {
  index: number;
  start: number;
  end: number;
}

/** The pattern was given up at the text with this index of the list. */
export class PatternGivenUp extends Error {
  constructor(
    readonly why: 'text' | 'whole',
    readonly index: number,
  ) {
    super('The pattern took too long.');
    this.name = 'PatternGivenUp';
  }
}

const LOOK_MS = 50;

/** A thread with one pattern, from outside: it is ended when a text, or all together, take too long. */
export class RegexThread {
  private readonly clock = new Int32Array(new SharedArrayBuffer(4));
  private readonly worker: Worker;
  private spent = 0;

  /** @param file the bundled `regex-worker.js` */
  constructor(
    file: string,
    { source, flags }: Pattern,
    private readonly limits: RegexLimits,
  ) {
    const workerData: RegexTask = { source, flags, at: this.clock.buffer as SharedArrayBuffer };
    this.worker = new Worker(file, { workerData, execArgv: [], name: 'search-pattern' });
    this.worker.unref();
  }

  /**
   * The first match in each text that has one. One list at a time.
   * @throws PatternGivenUp after which the thread is gone
   */
  find(texts: readonly string[]): Promise<TextMatch[]> {
    if (texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const before = Atomics.load(this.clock, 0);
      const began = performance.now();
      let seen = before;
      let since = began;
      const stop = () => {
        clearInterval(watch);
        this.spent += performance.now() - began;
        this.worker.off('message', answered).off('error', failed).off('exit', gone);
      };
      const answered = (found: number[]) => {
        stop();
        resolve(triples(found));
      };
      const failed = (thrown: unknown) => {
        stop();
        reject(thrown);
      };
      const gone = () => {
        stop();
        reject(new PatternGivenUp('whole', 0));
      };
      const watch = setInterval(() => {
        const now = performance.now();
        const at = Atomics.load(this.clock, 0);
        // Before the first text the thread itself is still starting.
        if (at !== seen || at === before) {
          seen = at;
          since = now;
        }
        const slow = now - since > this.limits.textMs;
        if (!slow && this.spent + now - began <= this.limits.wholeMs) return;
        stop();
        void this.close();
        reject(new PatternGivenUp(slow ? 'text' : 'whole', Math.max(0, at - before - 1)));
      }, LOOK_MS);
      this.worker.on('message', answered).on('error', failed).on('exit', gone);
      this.worker.postMessage(texts);
    });
  }

  /** Ends the thread, in the middle of a text if need be. */
  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

function triples(numbers: readonly number[]): TextMatch[] {
  const matches: TextMatch[] = [];
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    matches.push({ index: numbers[at] ?? 0, start: numbers[at + 1] ?? 0, end: numbers[at + 2] ?? 0 });
  }
  return matches;
}
