import type { AnnotationEntry, AnnotationOp } from './annotations';

export const testRun = '01K00000000000000000000RUN';

let made = 0;

/** Makes annotation entries for tests: hands out ids (in order of making) and device numbers, nothing else. */
export class EntryMaker {
  private seq = 0;

  constructor(
    private readonly author: string,
    private readonly device = `device of ${author}`,
    private readonly run = testRun,
  ) {}

  entry(
    range: number | [number, number],
    body: AnnotationOp,
    supersedes: AnnotationEntry[] = [],
  ): AnnotationEntry {
    const [from, to] = typeof range === 'number' ? [range, range] : range;
    this.seq += 1;
    made += 1;
    return {
      ulid: `01KTEST${String(made).padStart(19, '0')}`,
      at: 0,
      author: { uuid: `uuid of ${this.author}`, name: this.author },
      device: this.device,
      deviceSeq: this.seq,
      target: { run: this.run, from, to },
      supersedes: supersedes.map((entry) => entry.ulid),
      body,
    };
  }

  label(
    range: number | [number, number],
    value: 'train' | 'mask' | 'clear',
    seen: AnnotationEntry[] = [],
    reason: string | null = null,
  ): AnnotationEntry {
    return this.entry(range, { op: 'label', value, reason }, seen);
  }

  adjudicate(step: number, value: 'train' | 'mask', seen: AnnotationEntry[] = []): AnnotationEntry {
    return this.entry(step, { op: 'adjudicate', value, reason: null }, seen);
  }

  undo(entry: AnnotationEntry): AnnotationEntry {
    return this.entry([entry.target.from, entry.target.to], { op: 'undo', entry: entry.ulid });
  }
}
