import { seededRandom } from './seeded-random';

/** Numbers and texts from a seed: the same seed gives the same run, byte for byte. */
export class Chance {
  /** In [0, 1). */
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  whole(below: number): number {
    return Math.floor(this.random() * below);
  }

  between(from: number, to: number): number {
    return from + this.whole(to - from + 1);
  }

  /** True in a share `p` of the cases. */
  is(p: number): boolean {
    return this.random() < p;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.whole(items.length)] as T;
  }

  /** Many small lengths, few large ones: log-normal around `median`, at most `most`. */
  length(median: number, most: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
    return Math.max(20, Math.min(most, Math.round(median * Math.exp(0.9 * normal))));
  }

  /** 26 characters of Crockford's base 32; `at` in ms since 1970 orders them. */
  ulid(at: number): string {
    let text = '';
    for (let rest = at, digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) {
      text = BASE32[rest % 32] + text;
    }
    for (let digit = 0; digit < 16; digit += 1) text += BASE32[this.whole(32)];
    return text;
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.whole(16).toString(16);
    return text;
  }
}

const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Lines of one kind to cut texts from; made once, because a gigabyte is put together from them. */
class Pool {
  private readonly text: string;
  private readonly starts: number[] = [0];

  constructor(
    private readonly chance: Chance,
    units: number,
    line: () => string,
  ) {
    const lines: string[] = [];
    for (let length = 0; length < units; ) {
      const next = `${line()}\n`;
      lines.push(next);
      length += next.length;
      this.starts.push(length);
    }
    this.text = lines.join('');
  }

  /** About `units` UTF-16 units, whole lines, from anywhere. */
  cut(units: number): string {
    const first = this.chance.whole(this.starts.length - 1);
    const start = this.starts[first] ?? 0;
    let last = first + 1;
    while (last < this.starts.length - 1 && (this.starts[last] ?? 0) - start < units) last += 1;
    return this.text.slice(start, this.starts[last]);
  }
}

/** Material of a long research run: logs, Python, prose, JSON, Chinese. */
export class RunTexts {
  private readonly pools: Record<'log' | 'python' | 'prose' | 'json' | 'chinese', Pool>;

  constructor(readonly chance: Chance) {
    this.pools = {
      log: new Pool(chance, 1_500_000, () => this.logLine()),
      python: new Pool(chance, 800_000, () => this.pythonBlock()),
      prose: new Pool(chance, 600_000, () => this.sentence()),
      json: new Pool(chance, 400_000, () => this.jsonLine()),
      chinese: new Pool(chance, 200_000, () => this.chineseSentence()),
    };
  }

  word(): string {
    return this.chance.pick(words);
  }

  /** What a training or data program prints; the first line is found nowhere else. */
  log(units: number): string {
    const lines = [`[${this.chance.hex(8)}] ${this.logLine()}\n`];
    if (units > 400) lines.push(this.pools.log.cut(units - 200));
    if (this.chance.is(0.08)) lines.push(this.pools.chinese.cut(Math.min(1_500, units / 2)));
    return lines.join('');
  }

  python(units: number): string {
    return `# ${this.word()} ${this.word()} ${this.chance.hex(6)}\n${this.pools.python.cut(units)}`;
  }

  json(units: number): string {
    return this.pools.json.cut(units);
  }

  prose(units: number): string {
    return this.pools.prose.cut(units).trimEnd();
  }

  chinese(units: number): string {
    return this.pools.chinese.cut(units).trimEnd();
  }

  /** What the model says before a call; one in ten in Chinese. */
  thought(units: number): string {
    if (this.chance.is(0.1)) return this.chinese(units / 2);
    return this.prose(units).replaceAll('\n', ' ');
  }

  traceback(file: string): string {
    const line = this.chance.between(10, 400);
    return [
      'Traceback (most recent call last):',
      `  File "${file}", line ${line}, in <module>`,
      '    main()',
      `  File "${file}", line ${line - 7}, in ${this.word()}_${this.word()}`,
      `    ${this.word()} = ${this.word()}[${this.chance.whole(64)}]`,
      this.chance.pick(errors),
    ].join('\n');
  }

  chart(): string {
    return `${'▁▂▃▄▅▆▇█'.repeat(4)} \u001b[32m${this.chance.whole(100)}%\u001b[0m ${this.word()}`;
  }

  private logLine(): string {
    const { chance } = this;
    const at = `2026-03-${chance.between(10, 29)} ${chance.between(10, 23)}:${chance.between(10, 59)}:${chance.between(10, 59)}`;
    const where = `${this.word()}/${this.word()}.py:${chance.whole(900)}`;
    const rate = (10 ** -(3 + chance.whole(3)) * (1 + chance.random() * 8)).toExponential(2);
    return chance.is(0.02)
      ? `${at} ERROR ${where} ${chance.pick(errors)}`
      : `${at} ${chance.pick(levels)} ${where} ${this.word()} ${this.word()} loss=${chance.random().toFixed(5)} lr=${rate} step=${chance.whole(100_000)} gpu=${chance.whole(8)} mem=${chance.between(2, 79)}.${chance.whole(10)}GiB`;
  }

  private pythonBlock(): string {
    const { chance } = this;
    const name = () => `${this.word()}_${this.word()}`;
    return chance.pick([
      () => `import ${this.word()}\nfrom ${this.word()}.${this.word()} import ${name()}\n`,
      () =>
        `def ${name()}(${this.word()}: int, ${this.word()}: str = "${this.word()}") -> list[float]:\n    """${this.sentence()}"""\n    ${this.word()} = [row["${this.word()}"] for row in ${this.word()}]\n    return sorted(${this.word()}, key=lambda item: -item[${chance.whole(4)}])\n`,
      () =>
        `class ${this.word()}${chance.whole(90)}(nn.Module):\n    def forward(self, ${this.word()}):\n        ${this.word()} = self.${this.word()}(${this.word()}) * ${chance.random().toFixed(3)}\n        return torch.softmax(${this.word()}, dim=-1)\n`,
      () =>
        `if __name__ == "__main__":\n    parser = argparse.ArgumentParser()\n    parser.add_argument("--${this.word()}", type=float, default=${chance.random().toFixed(4)})\n    main(parser.parse_args())\n`,
      () =>
        `    for ${this.word()} in range(${chance.whole(512)}):\n        ${name()}.append(${this.word()})\n`,
    ])();
  }

  private sentence(): string {
    const { chance } = this;
    return chance.pick(sentences).replace(/\{(\w)\}/g, (_, kind: string) => {
      if (kind === 'n') return String(chance.whole(1_000));
      if (kind === 'f') return `/data/task/${this.word()}/${this.word()}.py`;
      return this.word();
    });
  }

  private jsonLine(): string {
    const { chance } = this;
    return JSON.stringify({
      id: chance.whole(1_000_000),
      [this.word()]: this.sentence(),
      score: Number(chance.random().toFixed(4)),
      tags: [this.word(), this.word()],
    });
  }

  private chineseSentence(): string {
    const { chance } = this;
    const count = chance.between(1, 3);
    return Array.from(
      { length: count },
      () =>
        `${chance.pick(chineseStarts)}${chance.pick(chineseMiddles)}${chance.whole(500)}${chance.pick(chineseEnds)}`,
    ).join('');
  }
}

const levels = ['INFO', 'INFO', 'INFO', 'WARNING', 'DEBUG'];
const errors = [
  'RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB',
  "KeyError: 'labels'",
  "ModuleNotFoundError: No module named 'flash_attn'",
  'ValueError: Expected input batch_size (16) to match target batch_size (32).',
  "FileNotFoundError: [Errno 2] No such file or directory: 'outputs/checkpoint-1200'",
  'AssertionError: loss is NaN',
  'TimeoutError: the worker did not answer',
];
const words =
  'model reads every batch again because gradient checkpoint memory filter corpus token learning rate schedule warm cosine evaluate accuracy baseline shard worker queue retry timeout tensor kernel device reserve quantile sample licence paragraph duplicate sentence remove keep compare lower case punctuation hash bucket index search window attention layer norm decay momentum validation split train holdout prompt rollout reward judge score table column row vocabulary embedding cluster distance median variance histogram threshold merge epoch optimizer scaler loader cache prefetch pipeline stage adapter rank alpha dropout beam decode prefix suffix template parser regex schema manifest digest archive mirror snapshot restore budget quota latency throughput plateau sweep grid trial seed noise signal'.split(
    ' ',
  );
const sentences = [
  'The {w} of the {w} looks wrong, so I will read {f} before I change anything.',
  'Loss went down to 0.{n} after {n} steps, which is better than the {w} without {w}.',
  'I should compare the {w} with the {w} on the same split and keep the better one.',
  'The {w} failed because the {w} was never written; the log names line {n}.',
  'First I check how many rows have an empty {w}, then I filter by {w}.',
  'Training takes about {n} minutes for each {w}; meanwhile I can prepare the {w}.',
  'According to the task the score counts {w} over {w}, so duplicates in {w} hurt.',
  'I will lower the batch size to {n} and turn on gradient checkpointing to save memory.',
  'The evaluation says {n} of 1000, the same as before: the {w} did not change anything.',
  'Next: write {f}, run it on a small {w}, then on everything.',
  'It is suspicious that {w} and {w} agree on every {w}.',
  'The hint asks for a smaller {w}; I keep the {w} and drop the {w}.',
];
const chineseStarts = [
  '训练损失在第',
  '我先检查数据集里的',
  '这个错误说明',
  '评估结果显示',
  '根据提示，应该把',
  '学习率调到',
  '显存不足，所以',
  '日志里写着',
  '接下来比较',
  '文件已经修改，',
  '去重之后还剩',
  '模型在验证集上',
];
const chineseMiddles = [
  '批次大小改成',
  '准确率提高到',
  '样本数量约为',
  '检查点保存了',
  '参数需要重新设置，共',
  '重复的句子有',
  '中间结果缺少',
  '注意力层数是',
  '运行时间超过',
  '第二阶段的步数为',
];
const chineseEnds = [
  '，需要再确认一次。',
  '，比基线更好。',
  '，接着运行评估脚本。',
  '，可能是标签写错了。',
  '，先不要停止训练。',
  '个，全部写入清单。',
  '步之后不再下降。',
  '，请看输出的最后几行。',
];
