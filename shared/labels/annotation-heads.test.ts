import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../contract/step-range';
import { annotationLogs, EntryMaker, testRun } from '../log/annotation-fixtures';
import type { AnnotationEntry } from '../log/annotations';
import { foldAnnotations, headsOn } from './annotation-fold';
import { AnnotationHeads } from './annotation-heads';
import { standingIds } from './annotation-undo';

/** The rule as it reads, entry against entry: slow, and the measure of what is quick. */
function naiveHeads(active: readonly AnnotationEntry[], standing: ReadonlySet<string>): string[] {
  const live = active.filter(({ ulid }) => standing.has(ulid));
  const replaced = new Set<string>();
  for (const newer of live) {
    const known = new Set([newer]);
    for (const seer of known) {
      for (const older of active) {
        if (known.has(older) || !seer.supersedes.includes(older.ulid)) continue;
        known.add(older);
        if (naivelyReplaces(newer, older)) replaced.add(older.ulid);
      }
    }
  }
  return live.map(({ ulid }) => ulid).filter((ulid) => !replaced.has(ulid));
}

function naivelyReplaces(newer: AnnotationEntry, older: AnnotationEntry): boolean {
  const same = newer.author.uuid === older.author.uuid;
  const [a, b] = [newer.body, older.body];
  switch (a.op) {
    case 'label':
      return same && (b.op === 'label' || (b.op === 'adjudicate' && a.value === 'clear'));
    case 'adjudicate':
      return b.op === 'adjudicate' || (same && b.op === 'label');
    case 'flag':
      return b.op === 'flag';
    case 'assign':
      return b.op === 'assign' && a.batch === b.batch && a.to.uuid === b.to.uuid;
    case 'reward':
      return same && b.op === 'reward' && (a.rubric !== b.rubric || a.vote === b.vote);
    case 'judge':
    case 'correct':
      return same && a.op === b.op;
    default:
      return false;
  }
}

const about = (log: readonly AnnotationEntry[], step: number) =>
  log.filter(
    ({ body, target }) =>
      body.op !== 'undo' && partsOf(target).some(({ from, to }) => from <= step && step <= to),
  );

/** Who has seen what may go in circles, as only a forged log has it. */
const tangled = fc
  .tuple(
    fc.array(fc.record({ who: fc.nat(2), what: fc.nat(4), sees: fc.array(fc.nat(9), { maxLength: 5 }) }), {
      minLength: 1,
      maxLength: 10,
    }),
    fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  )
  .map(([plan, alive]) => {
    const people = ['Ada', 'Bo', 'Cy'].map((name) => new EntryMaker(name));
    const entries = plan.flatMap(({ who, what }) => {
      const maker = people[who];
      if (maker === undefined) return [];
      if (what === 4) return [maker.entry(1, { op: 'flag', on: true })];
      if (what === 3) return [maker.adjudicate(1, 'mask')];
      return [maker.label(1, what === 2 ? 'clear' : 'train')];
    });
    const log = entries.map((entry, index) => ({
      ...entry,
      supersedes: (plan[index]?.sees ?? []).flatMap((seen) => entries[seen]?.ulid ?? []),
    }));
    return { log, standing: new Set(log.filter((_, i) => alive[i] !== false).map(({ ulid }) => ulid)) };
  });

describe('heads', () => {
  it('are those of the rule as it reads, for every step of any log', () => {
    fc.assert(
      fc.property(annotationLogs, (log) => {
        const standing = standingIds(log);
        const fold = foldAnnotations(log);
        for (let step = 1; step <= 16; step += 1) {
          const { humans, judges, rewards, corrections, comments } = fold.at(step);
          const heads = naiveHeads(about(log, step), standing);
          const silent = log.filter(
            ({ ulid, body }) =>
              heads.includes(ulid) &&
              (body.op === 'flag' || body.op === 'assign' || (body.op === 'label' && body.value === 'clear')),
          );
          const said = [...humans, ...judges, ...rewards, ...corrections, ...comments].map(
            ({ entry }) => entry,
          );
          expect([...said, ...silent.map(({ ulid }) => ulid)].sort()).toEqual([...heads].sort());
          const spoken = log.filter(({ ulid, body }) => heads.includes(ulid) && body.op !== 'comment');
          expect(headsOn(log, { run: testRun, from: step, to: step })).toEqual(
            spoken.map(({ ulid }) => ulid).sort(),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are the same also where entries have seen each other in a circle', () => {
    fc.assert(
      fc.property(tangled, ({ log, standing }) => {
        const found = new AnnotationHeads(log, standing).among([...log.keys()]);
        expect(found.map(({ ulid }) => ulid)).toEqual(naiveHeads(log, standing));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of one step cost in proportion to its entries', () => {
    const looks = (labels: number) => {
      const ada = new EntryMaker('Ada');
      const log: AnnotationEntry[] = [];
      for (let index = 0; index < labels; index += 1) log.push(ada.label(1, 'mask', log.slice(-1)));
      let asked = 0;
      const counted = log.map((entry) => ({
        ...entry,
        get body() {
          asked += 1;
          return entry.body;
        },
      }));
      expect(foldAnnotations(counted).at(1).humans).toHaveLength(1);
      return asked;
    };
    expect(looks(2_000)).toBeLessThan(20 * looks(200));
  });
});
