import fc from 'fast-check';
import { targetOf } from '../contract/step-range';
import { headsOn } from '../labels/annotation-fold';
import type { AnnotationEntry, AnnotationOp } from './annotations';

export const testRun = '01K00000000000000000000RVN';

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

export const vote = (
  value: 'mask' | 'keep' | 'withdrawn',
  confidence: number | null = null,
): AnnotationOp => ({
  op: 'judge',
  value,
  confidence,
  reason: 'J3',
  why: 'because',
  steps: [1],
  rubric: '1',
});
export const reward = (value: 1 | -1 | 0, number = 1, rubric = '1'): AnnotationOp => ({
  op: 'reward',
  value,
  vote: number,
  text: value === 0 ? 'because' : `because\n\n\\boxed{${value}}`,
  rubric,
  future: true,
});
export const fix = (name: string): AnnotationOp => ({
  op: 'correct',
  correction: { text: '', call: { name, arguments: '{}' }, note: '' },
});

/** Logs of three people (one with two devices) who label, adjudicate, flag, comment and undo, having seen some. */
export const annotationLogs = fc
  .array(
    fc.record({
      who: fc.nat(3),
      from: fc.integer({ min: 1, max: 6 }),
      length: fc.nat(4),
      what: fc.nat(14),
      gap: fc.nat(3),
      sees: fc.array(fc.nat(30), { maxLength: 4 }),
      all: fc.boolean(),
    }),
    { maxLength: 14 },
  )
  .map((plan) => {
    const people = [
      new EntryMaker('Ada', 'office'),
      new EntryMaker('Ada', 'home'),
      new EntryMaker('Bo'),
      new EntryMaker('Cy'),
    ];
    const log: AnnotationEntry[] = [];
    for (const { who, from, length, what, gap, sees, all } of plan) {
      const maker = people[who];
      if (!maker) continue;
      const whole = { from, to: from + length };
      const pieces = gap > 0 ? [whole, { from: whole.to + 1 + gap, to: whole.to + 2 + gap }] : [whole];
      const target = targetOf(testRun, pieces) ?? { run: testRun, ...whole };
      const range: [number, number] = [target.from, target.to];
      const before = log.length;
      const heads = new Set(headsOn(log, target));
      const seen = log.filter((entry, index) => (all ? heads.has(entry.ulid) : sees.includes(index)));
      const victim = log[sees[0] ?? 0];
      if (what < 3) log.push(maker.label(range, what === 0 ? 'train' : 'mask', seen));
      else if (what === 3) log.push(maker.label(range, 'clear', seen));
      else if (what === 4)
        log.push(maker.entry(range, { op: 'adjudicate', value: 'train', reason: 'r' }, seen));
      else if (what === 5) log.push(maker.entry(range, { op: 'flag', on: all }, seen));
      else if (what === 6) log.push(maker.entry(range, { op: 'comment', text: 'c' }, seen));
      else if (what === 7) log.push(maker.entry(range, vote(all ? 'mask' : 'keep'), seen));
      else if (what === 8) log.push(maker.entry(range, fix(`${from}`), seen));
      else if (what === 9) {
        const to = { uuid: all ? 'a' : 'b', name: '' };
        log.push(maker.entry(range, { op: 'assign', batch: 'x', to, blind: false, on: length > 1 }, seen));
      } else if (what === 10)
        log.push(maker.entry(range, reward(all ? 1 : -1, (gap % 2) + 1, `${length % 2}`), seen));
      else if (victim) log.push({ ...maker.undo(victim), target: victim.target });
      const made = log[before];
      if (made && made.body.op !== 'undo') log[before] = { ...made, target };
    }
    return log;
  });
