import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportFormat } from '@shared/contract/export-request';
import type { EventKind } from '@shared/log/events';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../store/log/hashing';
import { openReads } from '../../store/queries/reads';
import { ContextScript, contextDeeds } from '../../testing/random-context';
import { deeds, liveThrough } from '../../testing/random-run';
import { realisticWorkspace } from '../../testing/realistic-run';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { DatasetReader } from '../event-pages';
import { exportDataset } from '../export-dataset';
import { planExport } from '../export-plan';
import type { ExportRequest } from '../export-request';
import { importResearchGym } from '../importers/researchgym/import-researchgym';
import { type ThreadReader, threadReader } from './thread-reader';

const lives = process.env.WAYMARK_FULL === '1' ? 60 : 5;

interface Looks {
  reader: ThreadReader;
  /** The same without what spares it reading. */
  plain: DatasetReader;
  /** Answers on the workspace's verdicts so far: they held, or they did not. */
  marks: boolean[];
  /** Kinds of which a body was given out. */
  kinds: Set<EventKind>;
  close(): void;
}

function looksAt(folder: string): Looks {
  const { reads, close } = openReads(folder);
  const own = threadReader(reads);
  const marks: boolean[] = [];
  const kinds = new Set<EventKind>();
  const reader: ThreadReader = {
    ...own,
    someEvents: async (...args) => {
      const events = await own.someEvents(...args);
      for (const event of events) if (!('passed' in event)) kinds.add(event.kind);
      return events;
    },
    ruleMarks: async (...args) => {
      const found = await own.ruleMarks(...args);
      marks.push(found !== null);
      return found;
    },
  };
  const { someEvents: _events, ruleMarks: _marks, ...plain } = threadReader(reads);
  return { reader, plain, marks, kinds, close };
}

const request = { format: 'slime' as const, undecided: 'train' as const, noTools: 'allow' as const };

/** Plans without what is a function. */
async function plans({ reader, plain }: Looks, more: Partial<ExportRequest> = {}) {
  const both = [reader, plain].map((each) =>
    planExport(each, { ...request, ...more }).then(
      ({ ruleSets, ...plan }) =>
        structuredClone({
          ...plan,
          rules: [...ruleSets.keys()],
          runs: plan.runs.map(({ ruleSet: _, ...run }) => run),
          variants: plan.variants.map(({ rows, ...variant }) => ({
            ...variant,
            rows: rows.map(({ run, masks, carried, ...row }) => ({
              ...row,
              run: run.created.run,
              masks: [...masks],
              carried: [...carried],
            })),
          })),
        }),
      (error: unknown) => ({ error: String(error) }),
    ),
  );
  const [quick, whole] = await Promise.all(both);
  return { quick, whole };
}

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) =>
      name.includes('.') ? [[name, sha256(readFileSync(join(folder, name))).toString('hex')]] : [],
    );

/** A run of which nothing is left to train is refused, with the same words either way. */
const outcome = (written: Promise<unknown>) =>
  written.then(
    () => 'written',
    (thrown: unknown) =>
      thrown instanceof WaymarkError ? [thrown.code, thrown.detail] : Promise.reject(thrown),
  );

describe('an export that takes verdicts from the workspace', () => {
  test('plans and writes what one that works them out does, in every way of asking', async () => {
    const { folder } = await realisticWorkspace('L', {
      folder: join(temporaryFolder(), 'w'),
      labels: true,
      steps: 120,
    });
    const looks = looksAt(folder);
    const asked: Partial<ExportRequest>[] = [
      {},
      { variants: ['all', 'rules', 'judge', 'human', 'unmasked'] },
      { precedence: 'judge_over_rule' },
      { reasoning: 'keep', carried: 'paper' },
      { filter: { minTokens: 200, sources: ['rule'] } },
    ];
    for (const more of asked) {
      const { quick, whole } = await plans(looks, more);
      expect(quick).not.toHaveProperty('error');
      expect(quick).toEqual(whole);
    }
    expect(looks.marks).toEqual(asked.map(() => true));
    // Other rules than the run's own: nothing of them is stored.
    const { quick, whole } = await plans(looks, { preset: 'apollo' });
    expect(quick).toEqual(whole);
    expect(looks.marks.at(-1)).toBe(false);
    for (const format of ['slime', 'steps'] satisfies ExportFormat[]) {
      const place = temporaryFolder();
      const [one, other] = [join(place, 'one'), join(place, 'other')];
      await exportDataset(looks.reader, { ...request, format, variants: ['all', 'human'], out: one });
      await exportDataset(looks.plain, { ...request, format, variants: ['all', 'human'], out: other });
      expect(bytesIn(one)).toEqual(bytesIn(other));
    }
    expect(looks.kinds).toContain('action.observed');
    expect(looks.kinds).not.toContain('file.changed');
    expect(looks.kinds).not.toContain('action.started');
    looks.close();
  });

  test('plans the same of any run', async () => {
    let held = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 2 }), async (list) => {
        const folder = temporaryFolder();
        const store = testStore(folder);
        for (const life of list) await liveThrough(store, life);
        await store.drain();
        const looks = looksAt(folder);
        const { quick, whole } = await plans(looks, { variants: ['all', 'rules', 'human'] });
        expect(quick).toEqual(whole);
        held += looks.marks.filter(Boolean).length;
        looks.close();
        await store.close();
      }),
      { numRuns: lives },
    );
    expect(held).toBeGreaterThan(0);
  });

  test('plans and writes the same of any context: summaries, shortened texts, images, several calls', async () => {
    let held = 0;
    await fc.assert(
      fc.asyncProperty(contextDeeds, async (list) => {
        const folder = temporaryFolder();
        const store = testStore(folder);
        const script = new ContextScript(ulid()).live(list);
        for (const batch of script.batches) await store.writer.append(script.run, 0, batch);
        await store.drain();
        const looks = looksAt(folder);
        const { quick, whole } = await plans(looks, { reasoning: 'keep' });
        expect(quick).toEqual(whole);
        held += looks.marks.filter(Boolean).length;
        if (quick !== undefined && !('error' in quick)) {
          const place = temporaryFolder();
          const [one, other] = [join(place, 'one'), join(place, 'other')];
          const ended = await outcome(exportDataset(looks.reader, { ...request, out: one }));
          expect(await outcome(exportDataset(looks.plain, { ...request, out: other }))).toEqual(ended);
          if (ended === 'written') expect(bytesIn(one)).toEqual(bytesIn(other));
        }
        looks.close();
        await store.close();
      }),
      { numRuns: lives },
    );
    expect(held).toBeGreaterThan(0);
  });

  test('works them out where the run has gone on, rules have changed, texts were purged or a log was imported', async () => {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    await writer.start();
    for (let at = 0; at < 6; at += 1)
      await writer.command(`make part${at}`, 'x', { exitCode: at % 2 ? 2 : 0 });
    await store.drain();
    const looks = looksAt(folder);
    const check = async (held: boolean) => {
      const { quick, whole } = await plans(looks);
      expect(quick).not.toHaveProperty('error');
      expect(quick).toEqual(whole);
      expect(looks.marks.at(-1)).toBe(held);
    };
    await check(true);
    const { seq, task } = await store.reader.run(run);
    const [version] = (await planExport(looks.plain, request)).ruleSets.keys();
    expect(await looks.reader.ruleMarks(run, seq, version ?? '')).not.toBeNull();
    expect(await looks.reader.ruleMarks(run, seq - 1, version ?? '')).toBeNull();
    expect(await looks.reader.ruleMarks(run, seq, 'another')).toBeNull();
    // Another connection writes that rules are others now; verdicts follow in the background.
    await store.writer.setRules(
      task.id,
      {
        rules: { 'command-failed': { on: false, parameters: {} } },
      },
      alice,
    );
    await check(false);
    await store.drain();
    await check(true);
    await store.writer.remove(run, 'text', alice);
    await store.drain();
    await expect(plans(looks)).resolves.toMatchObject({ quick: (await plans(looks)).whole });
    expect(looks.marks.at(-1)).toBe(false);
    looks.close();

    const other = temporaryFolder();
    const second = testStore(other);
    const node = join(import.meta.dirname, '../../../e2e/fixtures/researchgym/react-node-real-depth70.json');
    await importResearchGym(second, alice, node, { title: null, task: null, again: false });
    await second.drain();
    const imported = looksAt(other);
    const { quick, whole } = await plans(imported);
    expect(quick).not.toHaveProperty('error');
    expect(quick).toEqual(whole);
    expect(imported.marks).toEqual([]);
    imported.close();
  });
});
