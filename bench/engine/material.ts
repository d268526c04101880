import { seededRandom } from '../../electron/testing/seeded-random';

/** Texts that look like a run's: prose, commands and log lines with numbers that never repeat. Same seed, same text. */
export class Material {
  /** In [0, 1). */
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }

  prose(length: number): string {
    return this.fill(length, () => `${this.pick(words)} `);
  }

  log(length: number): string {
    return this.fill(length, () => this.logLine());
  }

  command(): string {
    return `python ${this.pick(words)}_${this.pick(words)}.py --steps ${this.whole(10_000)} --lr ${this.random().toFixed(6)}`;
  }

  whole(below: number): number {
    return Math.floor(this.random() * below);
  }

  private logLine(): string {
    const at = `2026-03-${10 + this.whole(20)} ${10 + this.whole(14)}:${10 + this.whole(50)}:${10 + this.whole(50)}`;
    const where = `${this.pick(words)}/${this.pick(words)}.py:${this.whole(900)}`;
    return `${at} ${this.pick(levels)} ${where} ${this.pick(words)} ${this.pick(words)} loss=${this.random().toFixed(5)} step=${this.whole(100_000)}\n`;
  }

  private fill(length: number, piece: () => string): string {
    let text = '';
    while (text.length < length) text += piece();
    return text.slice(0, length);
  }
}

const levels = ['INFO', 'WARNING', 'DEBUG', 'ERROR'];
const words =
  'the model reads every batch again because gradient checkpoint memory filter corpus token learning rate schedule warm cosine evaluate accuracy baseline shard worker queue retry timeout tensor kernel device reserve quantile sample licence paragraph duplicate sentence remove keep compare lower case punctuation hash bucket index search window attention layer norm decay momentum validation split train mask hint rollout reward judge score table column row'.split(
    ' ',
  );
