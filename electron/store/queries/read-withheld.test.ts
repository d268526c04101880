import { expect, test } from 'vitest';
import { Reviewers, runOf } from '../../testing/review-stand';
import { alice, bob } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { readerFor } from './reader-for';

const SECRET = 'SECRET-OPINION';
const chen = { uuid: '6f1c1f0a-3333-4333-8333-333333333333', name: SECRET };

/**
 * Ten steps; rule, judge and two people have spoken about them in every way there is. Bob is to decide 3 to 8 blind.
 * `spoken` false: the same run before anybody said anything.
 */
async function stand(spoken: boolean): Promise<{ store: Store; run: string }> {
  const store = testStore();
  const run = await runOf(store, 10, spoken ? [3, 9] : [9]);
  const people = new Reviewers(store);
  await people.assign(bob, run, [{ from: 3, to: 8 }], { blind: true });
  if (spoken) {
    await people.label(chen, run, [4, 6], 'mask');
    await people.label(alice, run, 5, 'train');
    await people.judge(SECRET, run, 6, 'mask', 0.2);
    await people.judge(SECRET, run, 7, 'keep', 0.9);
    await people.say(chen, run, 5, { op: 'comment', text: SECRET });
    await people.say(chen, run, 7, { op: 'flag', on: true });
    await people.say(chen, run, 8, {
      op: 'correct',
      correction: { text: SECRET, call: { name: 'ls', arguments: '{}' }, note: SECRET },
    });
    await people.say(chen, run, 4, { op: 'label', value: 'mask', reason: SECRET });
  }
  await store.drain();
  return { store, run };
}

/** What differs between two runs whatever is said about them: identities and times. */
function plain(value: unknown, run: string): unknown {
  const text = JSON.stringify(value, (key, each: unknown) =>
    [
      'id',
      'at',
      'ulid',
      'entry',
      'batch',
      'stepId',
      'createdAt',
      'changedAt',
      'hash',
      'deviceSeq',
      'device',
    ].includes(key)
      ? ''
      : each,
  );
  return JSON.parse(text.replaceAll(run, 'RUN')) as unknown;
}

test('everything a blind reader is sent is as if nobody had said anything', async () => {
  const said = await stand(true);
  const silent = await stand(false);
  const seen = readerFor(said.store.reader, bob);
  const pure = readerFor(silent.store.reader, bob);
  const both = async (ask: (reader: typeof seen, run: string) => Promise<unknown>, within = true) => {
    const answer = await ask(seen, said.run);
    if (within) expect(JSON.stringify(answer)).not.toContain(SECRET);
    return [plain(answer, said.run), plain(await ask(pure, silent.run), silent.run)] as const;
  };
  // The failed step 3 looks failed in one run only: that happened, it is nobody's opinion.
  const happened = (heads: unknown) =>
    JSON.parse(JSON.stringify(heads, (key, each: unknown) => (key === 'exitCode' ? 0 : each))) as unknown;
  const [heads, pureHeads] = await both((reader, run) => reader.heads(run, 1, 10));
  expect(happened(heads)).toEqual(happened(pureHeads));
  for (const step of [4, 5, 6, 7, 8]) {
    const [detail, pureDetail] = await both((reader, run) => reader.step(run, step));
    expect(detail).toEqual(pureDetail);
  }
  const [rows, pureRows] = await both(async (reader, run) => {
    const { labels } = await reader.run(run);
    const listed = (await reader.runs()).map((each) => each.labels);
    return { labels, listed };
  });
  expect(rows).toEqual(pureRows);
  const [tiles, pureTiles] = await both(async (reader, run) =>
    (await reader.tiles(run)).map(({ train, mask, undecided }) => ({ train, mask, undecided })),
  );
  expect(tiles).toEqual(pureTiles);
  const [segments, pureSegments] = await both((reader, run) => reader.segments(run));
  expect(segments).toEqual(pureSegments);
  const [facets, pureFacets] = await both(async (reader, run) => (await reader.facets(run)).rules);
  expect(facets).toEqual(pureFacets);
  const [counts, pureCounts] = await both((reader, run) => reader.ruleCounts(run));
  expect(counts).toEqual(pureCounts);
  for (const query of [
    { label: ['undecided' as const] },
    { label: ['mask' as const] },
    { label: ['train' as const] },
    { source: ['human' as const, 'judge' as const] },
    { source: ['none' as const] },
    { marks: ['flagged' as const, 'humans_differ' as const, 'commented' as const] },
    { marks: ['unconfirmed' as const] },
    { rule: ['command-failed'] },
  ]) {
    const [found, pureFound] = await both(async (reader, run) => ({
      steps: await reader.matches(run, query),
      total: await reader.countMatches(run, query),
      next: await reader.nearest(run, [query], 2, 1),
      previous: await reader.nearest(run, [query], 9, -1),
    }));
    expect(found, JSON.stringify(query)).toEqual(pureFound);
  }
  const [quality, pureQuality] = await both((reader, run) =>
    reader.judgeQuality({ runs: [run], truth: null }),
  );
  expect(quality).toEqual(pureQuality);
  expect(quality).toMatchObject({ steps: 0, judges: [], labellers: [], withheld: 6 });
  await expect(seen.judgeQuality({ runs: [said.run], truth: SECRET })).rejects.toMatchObject({
    code: 'not_found',
  });
  const [rest, pureRest] = await both((reader, run) => reader.undecidedSteps(run, 1, 10));
  expect(rest).toEqual(pureRest);
  expect(await seen.decidedExamples(said.run)).toEqual([]);
  expect(await seen.stats(said.run)).toMatchObject({ masks: [], rules: [], people: [] });
  const filtered = { run: said.run, query: 'echo', filter: { label: ['mask' as const] } };
  await expect(seen.search({ ...filtered, from: { hit: 0 }, limit: 5 })).rejects.toMatchObject({
    code: 'refused',
  });
  await expect(seen.startScan(filtered)).rejects.toMatchObject({ code: 'refused' });
  await expect(seen.similarSteps(said.run, 4)).rejects.toMatchObject({ code: 'refused' });
  const similar = await seen.similarSteps(said.run, 9);
  expect(similar.parts).toEqual([{ from: 9, to: 9 }]);
  expect((await seen.search({ run: said.run, query: 'echo', from: { hit: 0 }, limit: 5 })).total).toBe(10);
});

test('the queue and the figures of who is blind tell no more than the rows', async () => {
  const { store, run } = await stand(true);
  expect((await store.reader.queueView(bob, run)).left).toEqual({
    disagreement: 0,
    unsure: 0,
    open: 6,
    unconfirmed: 0,
    rest: 0,
  });
  const report = await store.reader.people(bob, [run]);
  expect(report.pairs.filter(({ agreement }) => agreement.n > 0)).toEqual([]);
  expect(report.rows.every(({ machines, disagreements }) => machines.n === 0 && disagreements === 0)).toBe(
    true,
  );
  const told = await store.reader.people(alice, [run]);
  expect(told.pairs).toMatchObject([{ agreement: { n: 1, same: 0 } }]);
});

test('after the decision everything of that step shows, and nothing of the others', async () => {
  const { store, run } = await stand(true);
  const people = new Reviewers(store);
  await people.label(bob, run, 5, 'train');
  await store.drain();
  const seen = readerFor(store.reader, bob);
  expect(await seen.step(run, 5)).toEqual(await store.reader.step(run, 5));
  const heads = await seen.heads(run, 1, 10);
  expect(heads.filter(({ withheld }) => withheld).map(({ step }) => step)).toEqual([3, 4, 6, 7, 8]);
  expect(heads[4]).toEqual((await store.reader.heads(run, 5, 5))[0]);
  // A taken-back decision hides it again: it is to be given anew, without those of others.
  await people.label(bob, run, 5, 'clear');
  await store.drain();
  expect((await seen.heads(run, 5, 5))[0]).toMatchObject({ withheld: true, by: [] });
});

test('nobody else is blind', async () => {
  const { store, run } = await stand(true);
  for (const who of [alice, chen]) {
    expect(await readerFor(store.reader, who).heads(run, 1, 10)).toEqual(
      await store.reader.heads(run, 1, 10),
    );
  }
  await new Reviewers(store).assign({ uuid: 'name:Alice', name: 'Alice' }, run, [{ from: 4, to: 4 }], {
    blind: true,
  });
  await store.drain();
  expect((await readerFor(store.reader, alice).heads(run, 4, 4))[0]?.withheld).toBe(true);
});
