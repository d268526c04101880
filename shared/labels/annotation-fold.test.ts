import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf, targetOf } from '../contract/step-range';
import { EntryMaker, fix, annotationLogs as logs, reward, testRun, vote } from '../log/annotation-fixtures';
import { type AnnotationEntry, type AnnotationOp, targetSchema } from '../log/annotations';
import { decisionsFor, foldAnnotations, headsOn, hintVerdicts } from './annotation-fold';
import { standingIds, UndoHistory } from './annotation-undo';

/** Undo and redo of one person on one device, from a log that is read at once. */
function historyOf(log: readonly AnnotationEntry[], author: string, device: string): UndoHistory {
  const history = new UndoHistory(new Set([device]));
  for (const { ulid, device, author: by, body } of log) {
    if (by.uuid === author) history.add({ ulid, device, undoes: body.op === 'undo' ? body.entry : null });
  }
  return history;
}
const undoable = (log: readonly AnnotationEntry[], author: string, device: string) =>
  log.find(({ ulid }) => ulid === historyOf(log, author, device).undoable()) ?? null;
function redoable(log: readonly AnnotationEntry[], author: string, device: string) {
  const open = historyOf(log, author, device).redoable();
  const undo = log.find(({ ulid }) => ulid === open?.undo);
  const restores = log.find(({ ulid }) => ulid === open?.restores);
  return undo && restores ? { undo, restores } : null;
}

const values = (entries: AnnotationEntry[], step: number) =>
  foldAnnotations(entries)
    .at(step)
    .humans.map(({ author, value }) => `${author.name}:${value}`);

describe('heads', () => {
  it('a decision replaces the one of the same person that it has seen, step by step', () => {
    const ada = new EntryMaker('Ada');
    const range = ada.label([1, 10], 'mask');
    const one = ada.label(4, 'train', [range]);
    expect(values([range, one], 4)).toEqual(['Ada:train']);
    expect(values([range, one], 5)).toEqual(['Ada:mask']);
    expect(values([range, one], 11)).toEqual([]);
    expect(foldAnnotations([range, one]).ranges.map(({ from, to }) => [from, to])).toEqual([
      [1, 3],
      [4, 4],
      [5, 10],
    ]);
  });

  it('another person stands beside, even having seen the first', () => {
    const first = new EntryMaker('Ada').label(1, 'mask');
    const second = new EntryMaker('Bo').label(1, 'train', [first]);
    expect(values([second, first], 1)).toEqual(['Ada:mask', 'Bo:train']);
  });

  it('one person on two devices without sight of each other leaves two heads', () => {
    const office = new EntryMaker('Ada', 'office').label(1, 'mask');
    const home = new EntryMaker('Ada', 'home').label(1, 'train');
    expect(values([office, home], 1).sort()).toEqual(['Ada:mask', 'Ada:train']);
  });

  it('clear takes away only what its author had seen of their own', () => {
    const ada = new EntryMaker('Ada');
    const bo = new EntryMaker('Bo').label(1, 'train');
    const mask = ada.label(1, 'mask');
    const clear = ada.label(1, 'clear', [mask, bo]);
    expect(values([mask, bo, clear], 1)).toEqual(['Bo:train']);
    expect(headsOn([mask, bo, clear], { run: testRun, from: 1, to: 1 })).toEqual(
      [bo.ulid, clear.ulid].sort(),
    );
  });

  it('a plain label of the adjudicator leaves the adjudication; clearing takes it back', () => {
    const bo = new EntryMaker('Bo');
    const settled = bo.adjudicate(1, 'mask', []);
    const label = bo.label(1, 'train', [settled]);
    const both = foldAnnotations([settled, label]).at(1).humans;
    expect(both.map(({ value, adjudication }) => [value, adjudication])).toEqual([
      ['mask', true],
      ['train', false],
    ]);
    const cleared = bo.label(1, 'clear', [settled, label]);
    expect(foldAnnotations([settled, label, cleared]).at(1).humans).toEqual([]);
  });

  it('a later adjudication replaces an earlier one of somebody else, and leaves the labels', () => {
    const label = new EntryMaker('Ada').label(1, 'mask');
    const first = new EntryMaker('Bo').adjudicate(1, 'mask', [label]);
    const second = new EntryMaker('Cy').adjudicate(1, 'train', [label, first]);
    expect(values([second, label, first], 1)).toEqual(['Ada:mask', 'Cy:train']);
  });

  it('sees through an entry that was taken back', () => {
    const ada = new EntryMaker('Ada');
    const first = ada.label(1, 'mask');
    const second = ada.label(1, 'train', [first]);
    const third = ada.label(1, 'mask', [second]);
    expect(values([first, second, third, ada.undo(second)], 1)).toEqual(['Ada:mask']);
  });

  it('flags are common property; comments never replace each other', () => {
    const ada = new EntryMaker('Ada');
    const on = ada.entry(2, { op: 'flag', on: true });
    const off = new EntryMaker('Bo').entry(2, { op: 'flag', on: false }, [on]);
    const comment = ada.entry(2, { op: 'comment', text: 'why?' });
    const reply = ada.entry(2, { op: 'comment', text: 'because' }, [comment]);
    expect(foldAnnotations([on]).at(2).flagged).toBe(true);
    expect(foldAnnotations([on, off]).at(2).flagged).toBe(false);
    expect(
      foldAnnotations([comment, reply])
        .at(2)
        .comments.map(({ text }) => text),
    ).toEqual(['why?', 'because']);
    expect(headsOn([on, comment], { run: testRun, from: 1, to: 3 })).toEqual([on.ulid]);
  });

  it('names the heads of every part of a target', () => {
    const ada = new EntryMaker('Ada');
    const wide = ada.label([1, 10], 'mask');
    const narrow = ada.label([1, 5], 'train', [wide]);
    expect(headsOn([wide, narrow], { run: testRun, from: 1, to: 5 })).toEqual([narrow.ulid]);
    expect(headsOn([wide, narrow], { run: testRun, from: 5, to: 6 })).toEqual(
      [wide.ulid, narrow.ulid].sort(),
    );
  });
});

describe('registers of their own', () => {
  it("a judge's newer vote replaces its own, another judge's stands beside, and a vote is taken back", () => {
    const one = new EntryMaker('One');
    const two = new EntryMaker('Two');
    const label = new EntryMaker('Ada').label(3, 'train');
    const first = one.entry([1, 5], vote('mask'));
    const other = two.entry(3, vote('keep', 0.4), [first]);
    const newer = one.entry(3, vote('keep'), [first, other]);
    const votes = (entries: AnnotationEntry[], step = 3) =>
      foldAnnotations(entries)
        .at(step)
        .judges.map(({ judge, value }) => `${judge}:${value}`);
    expect(votes([first, other, label])).toEqual(['One:mask', 'Two:keep']);
    expect(votes([newer, first, other])).toEqual(['Two:keep', 'One:keep']);
    expect(votes([newer, first, other], 2)).toEqual(['One:mask']);
    expect(votes([first, other, newer, one.entry(3, vote('withdrawn'), [newer])])).toEqual(['Two:keep']);
    expect(values([first, other, label], 3)).toEqual(['Ada:train']);
  });

  it('corrections are one of each person, and null takes the own one back', () => {
    const ada = new EntryMaker('Ada');
    const first = ada.entry(3, fix('a'));
    const second = ada.entry(3, fix('b'), [first]);
    const bo = new EntryMaker('Bo').entry(3, fix('c'), [first, second]);
    const names = (entries: AnnotationEntry[]) =>
      foldAnnotations(entries)
        .at(3)
        .corrections.map(({ correction }) => correction.call.name);
    expect(names([bo, second, first])).toEqual(['b', 'c']);
    const back = ada.entry(3, { op: 'correct', correction: null }, [second, bo]);
    expect(names([back, bo, second, first])).toEqual(['c']);
    expect(names([back, bo, second, first, ada.undo(back)])).toEqual(['b', 'c']);
  });

  it('assignments belong to everybody: one per person and batch', () => {
    const batch = '01K0000000000000000000BATC';
    const assign = (uuid: string, on: boolean): AnnotationOp => ({
      op: 'assign',
      batch,
      to: { uuid, name: uuid },
      blind: true,
      on,
    });
    const lead = new EntryMaker('Ada');
    const ada = lead.entry([1, 9], assign('ada', true));
    const bo = lead.entry([1, 9], assign('bo', true), [ada]);
    const off = new EntryMaker('Cy').entry([4, 5], assign('ada', false), [ada, bo]);
    const to = (step: number) =>
      foldAnnotations([off, bo, ada])
        .at(step)
        .assigned.map(({ to: { uuid } }) => uuid);
    expect([to(3), to(4)]).toEqual([['ada', 'bo'], ['bo']]);
  });
});

describe('a target of several parts', () => {
  const scattered = (
    maker: EntryMaker,
    parts: [number, number][],
    value: 'train' | 'mask',
    seen: AnnotationEntry[] = [],
  ) => {
    const target = targetOf(
      testRun,
      parts.map(([from, to]) => ({ from, to })),
    );
    return { ...maker.label(1, value, seen), target: target ?? { run: testRun, from: 1, to: 1 } };
  };

  it('speaks of its parts only, and is one undo', () => {
    const ada = new EntryMaker('Ada');
    const entry = scattered(
      ada,
      [
        [8, 9],
        [2, 3],
        [3, 4],
      ],
      'mask',
    );
    expect(entry.target).toEqual({
      run: testRun,
      from: 2,
      to: 9,
      parts: [
        { from: 2, to: 4 },
        { from: 8, to: 9 },
      ],
    });
    expect(foldAnnotations([entry]).ranges.map(({ from, to }) => [from, to])).toEqual([
      [2, 4],
      [8, 9],
    ]);
    expect([1, 2, 4, 5, 8, 10].map((step) => values([entry], step).length)).toEqual([0, 1, 1, 0, 1, 0]);
    expect(decisionsFor([entry], 5)).toEqual(decisionsFor([], 5));
    expect(foldAnnotations([entry, { ...ada.undo(entry), target: entry.target }]).ranges).toEqual([]);
  });

  it('names as seen what stands on its parts, not between them', () => {
    const ada = new EntryMaker('Ada');
    const singles = [2, 5, 8].map((step) => ada.label(step, 'mask'));
    const target = {
      run: testRun,
      from: 2,
      to: 9,
      parts: [
        { from: 2, to: 3 },
        { from: 8, to: 9 },
      ],
    };
    expect(headsOn(singles, target)).toEqual([singles[0]?.ulid, singles[2]?.ulid].sort());
  });

  it('is refused unless its parts are ascending, apart, and fill it', () => {
    const parse = (from: number, to: number, ...parts: [number, number][]) =>
      targetSchema.safeParse({ run: testRun, from, to, parts: parts.map(([a, b]) => ({ from: a, to: b })) })
        .success;
    expect(parse(1, 5, [1, 2], [4, 5])).toBe(true);
    expect(parse(1, 5, [1, 2], [3, 5])).toBe(false);
    expect(parse(1, 5, [4, 5], [1, 2])).toBe(false);
    expect(parse(1, 6, [1, 2], [4, 5])).toBe(false);
    expect(parse(1, 5, [1, 2], [5, 4])).toBe(false);
    expect(parse(1, 2, [1, 2])).toBe(false);
  });

  it('five thousand parts are folded', () => {
    const ada = new EntryMaker('Ada');
    const parts = Array.from({ length: 5_000 }, (_, index): [number, number] => [
      index * 35 + 1,
      index * 35 + 2,
    ]);
    const all = scattered(ada, parts, 'mask');
    const wide = ada.label([1, 175_000], 'train', [all]);
    const fold = foldAnnotations([all, wide], [{ from: 70_001, to: 70_100 }]);
    expect(fold.at(70_001).humans).toHaveLength(1);
    expect(headsOn([all, wide], all.target)).toEqual([wide.ulid]);
  });
});

describe('undo', () => {
  it('makes what was superseded a head again; redo takes that back', () => {
    const ada = new EntryMaker('Ada');
    const first = ada.label(1, 'mask');
    const second = ada.label(1, 'train', [first]);
    const undo = ada.undo(second);
    expect(values([first, second, undo], 1)).toEqual(['Ada:mask']);
    expect(values([first, second, undo, ada.undo(undo)], 1)).toEqual(['Ada:train']);
  });

  it('takes out a range as one', () => {
    const ada = new EntryMaker('Ada');
    const range = ada.label([1, 10_000], 'mask');
    expect(foldAnnotations([range, ada.undo(range)]).ranges).toEqual([]);
  });

  it('does not reach the entries of others', () => {
    const label = new EntryMaker('Ada').label(1, 'mask');
    expect(values([label, new EntryMaker('Bo').undo(label)], 1)).toEqual(['Ada:mask']);
  });

  it('is not led astray by undo entries in a circle', () => {
    const ada = new EntryMaker('Ada');
    const label = ada.label(1, 'mask');
    const one = ada.undo(label);
    const two = ada.undo(one);
    const circle = { ...one, body: { op: 'undo' as const, entry: two.ulid } };
    expect(values([label, circle, two], 1)).toEqual(['Ada:mask']);
    expect(values([two, circle, label], 1)).toEqual(['Ada:mask']);
  });

  it('walks back and forth through the entries of one person, and a new entry ends the way forth', () => {
    const ada = new EntryMaker('Ada');
    const me = ['uuid of Ada', 'device of Ada'] as const;
    const log = [ada.label(1, 'mask'), ada.label(2, 'mask')];
    const back = () => {
      const target = undoable(log, ...me);
      if (target) log.push(ada.undo(target));
      return target?.target.from;
    };
    const forth = () => {
      const target = redoable(log, ...me);
      if (target) log.push(ada.undo(target.undo));
      return target?.restores.target.from;
    };
    expect([back(), back(), back()]).toEqual([2, 1, undefined]);
    expect([forth(), forth(), forth()]).toEqual([1, 2, undefined]);
    expect([back(), back(), forth()]).toEqual([2, 1, 1]);
    log.push(ada.label(3, 'train'));
    expect(forth()).toBeUndefined();
    expect(back()).toBe(3);
    expect(back()).toBe(1);
  });
});

describe('properties', () => {
  it('neither order nor repetition matters, so the union of two logs is a valid log', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(100), { maxLength: 14 }), (log, order) => {
        const shuffled = log
          .map((entry, index) => ({ entry, key: order[index] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ entry }) => entry);
        const cut = Math.floor(log.length / 2);
        const union = [...log.slice(cut), ...log, ...log.slice(0, cut)];
        expect(foldAnnotations(shuffled).ranges).toEqual(foldAnnotations(log).ranges);
        expect(foldAnnotations(union).ranges).toEqual(foldAnnotations(log).ranges);
      }),
      { numRuns: 300 },
    );
  });

  it('one step at a time gives what the whole log gives', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const fold = foldAnnotations(log);
        for (let step = 1; step <= 16; step += 1) {
          const touching = log.filter(
            ({ target, body }) =>
              body.op === 'undo' || partsOf(target).some(({ from, to }) => from <= step && step <= to),
          );
          expect(decisionsFor(touching, step)).toEqual(fold.at(step));
          const near = [
            { from: Math.max(1, step - 1), to: step },
            { from: step + 2, to: step + 2 },
          ];
          expect(foldAnnotations(log, near).at(step)).toEqual(fold.at(step));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('merging is the union of both, in any order and as often as one likes', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.boolean(), { maxLength: 14 }), (log, side) => {
        const mine = log.filter((_, index) => side[index] === true);
        const theirs = log.filter((_, index) => side[index] !== true);
        const both = foldAnnotations(log).ranges;
        expect(foldAnnotations([...mine, ...theirs]).ranges).toEqual(both);
        expect(foldAnnotations([...theirs, ...mine, ...theirs, ...mine]).ranges).toEqual(both);
      }),
      { numRuns: 200 },
    );
  });

  it('undo, kept up to date entry by entry, agrees with the fold about what stands', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const standing = standingIds(log);
        for (const [author, device] of [
          ['uuid of Ada', 'office'],
          ['uuid of Bo', 'device of Bo'],
        ] as const) {
          const own = log.filter(({ author: by, device: on }) => by.uuid === author && on === device);
          const last = own.filter(({ ulid, body }) => body.op !== 'undo' && standing.has(ulid)).at(-1);
          expect(undoable(log, author, device)).toEqual(last ?? null);
          const said = own.filter(({ body }) => body.op !== 'undo').at(-1);
          const open = own.filter(({ ulid, body }) => {
            const target = body.op === 'undo' ? log.find((each) => each.ulid === body.entry) : undefined;
            return standing.has(ulid) && target?.author.uuid === author && target.body.op !== 'undo';
          });
          const next = open.filter(({ deviceSeq }) => deviceSeq > (said?.deviceSeq ?? 0)).at(-1);
          expect(redoable(log, author, device)?.undo ?? null).toEqual(next ?? null);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('undo after any entry restores the fold before it, and redo the fold after it', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 6 }), (log, step) => {
        const dot = new EntryMaker('Dot');
        const heads = new Set(headsOn(log, { run: testRun, from: step, to: step }));
        const entry = dot.label(
          step,
          'mask',
          log.filter((each) => heads.has(each.ulid)),
        );
        const undo = dot.undo(entry);
        const before = foldAnnotations(log).at(step);
        const after = foldAnnotations([...log, entry]).at(step);
        expect(after).not.toEqual(before);
        expect(foldAnnotations([...log, entry, undo]).at(step)).toEqual(before);
        expect(foldAnnotations([...log, entry, undo, dot.undo(undo)]).at(step)).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });

  it('ten thousand labels under one range are folded', () => {
    const ada = new EntryMaker('Ada');
    const singles = Array.from({ length: 10_000 }, (_, index) => ada.label(index + 1, 'train'));
    const range = ada.label([1, 10_000], 'mask', singles);
    const fold = foldAnnotations([...singles, range]);
    expect(fold.at(9_999).humans).toHaveLength(1);
  });
});

describe('what became of hints', () => {
  const word = (hint: string, verdict: 'acted_on' | 'ignored' | null) =>
    ({ op: 'hint', hint, verdict }) as const;

  it('is said per hint and person, and changes no label', () => {
    const ada = new EntryMaker('Ada');
    const label = ada.label(3, 'mask');
    const first = ada.entry(3, word('a', 'ignored'), [label]);
    const other = ada.entry(3, word('b', 'acted_on'), [label, first]);
    const later = ada.entry(3, word('a', 'acted_on'), [label, first, other]);
    const all = [label, first, other, later];
    expect(hintVerdicts(all)).toEqual(
      new Map([
        ['a', 'acted_on'],
        ['b', 'acted_on'],
      ]),
    );
    expect(hintVerdicts([...all].reverse())).toEqual(hintVerdicts(all));
    expect(foldAnnotations(all)).toMatchObject({ ranges: foldAnnotations([label]).ranges });
    expect(foldAnnotations([first]).ranges).toEqual([]);
    expect(decisionsFor([first], 3)).toEqual(decisionsFor([], 3));
    expect(values([...all, ada.label(3, 'train', all)], 3)).toEqual(['Ada:train']);
  });

  it('nobody decides when people differ, and a word can be taken back, undone and redone', () => {
    const ada = new EntryMaker('Ada');
    const bo = new EntryMaker('Bo');
    const yes = ada.entry(3, word('a', 'acted_on'));
    const no = bo.entry(3, word('a', 'ignored'), [yes]);
    expect(hintVerdicts([yes, no]).get('a')).toBeNull();
    const back = bo.entry(3, word('a', null), [yes, no]);
    expect(hintVerdicts([back, yes, no]).get('a')).toBe('acted_on');
    const undo = ada.undo(yes);
    expect(hintVerdicts([yes, no, undo]).get('a')).toBe('ignored');
    expect(hintVerdicts([yes, no, undo, ada.undo(undo)]).get('a')).toBeNull();
    expect(undoable([yes, no], yes.author.uuid, yes.device)).toEqual(yes);
    expect(headsOn([yes, no], { run: testRun, from: 3, to: 3 })).toEqual([yes.ulid, no.ulid].sort());
  });
});

describe('votes on whether a step is good', () => {
  const judge = new EntryMaker('Rater', 'here');
  const said = (entries: AnnotationEntry[]) =>
    foldAnnotations(entries)
      .at(1)
      .rewards.map(({ judge: name, vote, value, rubric }) => [name, vote, value, rubric]);

  it('stand side by side, one of each number, and are no verdicts', () => {
    const first = judge.entry(1, reward(1, 1));
    const second = judge.entry(1, reward(-1, 2), [first]);
    const again = judge.entry(1, reward(0, 1), [first, second]);
    const other = new EntryMaker('Another').entry(1, reward(1, 1), [first, second, again]);
    const log = [first, second, again, other];
    expect(said(log)).toEqual([
      ['Another', 1, 1, '1'],
      ['Rater', 1, 0, '1'],
      ['Rater', 2, -1, '1'],
    ]);
    expect(said([...log].reverse())).toEqual(said(log));
    expect(foldAnnotations(log).at(1).judges).toEqual([]);
    expect(headsOn(log, { run: testRun, from: 1, to: 1 })).toEqual(
      [second, again, other].map(({ ulid }) => ulid).sort(),
    );
  });

  it('of another rubric take the place of those that were seen, and a verdict on the mask takes none', () => {
    const old = [1, 2, 3].map((number) => judge.entry(1, reward(1, number)));
    const verdict = judge.entry(1, vote('mask'), old);
    const next = judge.entry(1, reward(-1, 1, '2'), [...old, verdict]);
    expect(said([...old, verdict])).toHaveLength(3);
    expect(said([...old, verdict, next])).toEqual([['Rater', 1, -1, '2']]);
    expect(foldAnnotations([...old, verdict, next]).at(1).judges).toHaveLength(1);
    // Made without sight of each other, both stand.
    expect(said([...old, judge.entry(1, reward(-1, 1, '2'))])).toHaveLength(4);
  });
});
