import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../electron/store/api';
import { rowId } from '../../electron/store/file/rows';
import { matchExpression, parseQuery } from '../../electron/store/search/search-query';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { RawFts } from '../baselines/raw-fts';
import { Material } from '../engine/material';
import {
  type Bench,
  type Figure,
  figure,
  latency,
  median,
  quantile,
  quick,
  shorten,
  spread,
  told,
} from '../harness';
import { runCache } from '../window/desktop';

/** Words from rare to everywhere, phrases, prefixes of two letters, CJK, two words, a word taken away. */
const queries = [
  ...['loss ', 'RuntimeError ', 'checkpoint ', 'loss checkpoint ', '"out of memory"', 'python -error '],
  ...['lo', 'ch', 'che', 'trai', 'thought:loss ', 'file:py', '训练', '学', 'hint:the ', 'zzzz '],
];

/** Other questions push the answers out that were kept of this one: each is measured as if it were the first. */
async function forget(store: Store, run: string): Promise<void> {
  for (let other = 0; other < 8; other += 1)
    await store.reader.search({ run, query: `nowhere${other} `, from: { hit: 0 }, limit: 0 });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Search in one large run, against FTS5 itself on the same file. */
export const search: Bench = {
  name: 'search',
  about: 'pages with snippets, exact counts, size and build of the search index of a realistic run',
  async run(options) {
    const size = options.long ? 'L' : quick ? 'S' : 'M';
    options.say(`makes run ${size}`);
    const { folder, run, steps, textBytes } = await realisticWorkspace(size, {
      folder: join(options.folder, 'workspace'),
      labels: true,
      cache: runCache(),
    });
    for (const file of readdirSync(folder).filter((name) => name.startsWith('search.db')))
      rmSync(join(folder, file));
    const began = performance.now();
    const store = openStoreInProcess(folder);
    await store.drain();
    const seconds = (performance.now() - began) / 1000;
    const raw = new RawFts(folder);
    const material = new Material(7);
    const added: number[] = [];
    const pages: number[] = [];
    const counts: number[] = [];
    const first: number[] = [];
    const slowest = { query: '', ms: 0 };
    const turns = quick ? 2 : 6;
    for (const query of queries) {
      const ask = (from: { hit: number } | { step: number; direction: 1 }, limit: number) =>
        store.reader.search({ run, query, from, limit });
      const match = matchExpression(parseQuery(query));
      for (let turn = 0; turn < turns; turn += 1) {
        await forget(store, run);
        counts.push(await time(() => ask({ hit: 0 }, 0)));
        await forget(store, run);
        first.push(await time(() => ask({ hit: 0 }, 50)));
        if ((first.at(-1) ?? 0) > slowest.ms) Object.assign(slowest, { query, ms: first.at(-1) ?? 0 });
      }
      const { total } = await ask({ hit: 0 }, 0);
      for (let turn = 0; turn < turns; turn += 1) {
        const hit = material.whole(Math.max(1, total - 10));
        const { hits } = await ask({ hit }, 1);
        const from = rowId(1, hits[0]?.step ?? 1);
        const base = raw.page(match, from);
        const own = await time(() => ask({ step: from % 2 ** 32, direction: 1 }, 10));
        pages.push(own);
        added.push(own - base);
      }
    }
    raw.close();
    await store.close();
    const indexBytes = statSync(join(folder, 'search.db')).size;
    const about = `${size}: ${steps} steps, ${(textBytes / 1e6).toFixed(0)} MB of text, ${queries.length} queries`;
    const figures: Figure[] = [
      latency(
        'search-page',
        added,
        10,
        `a page of 10 with snippets from a random hit, over the raw query; ours ${spread(pages)} ms; ${about}`,
      ),
      latency('search-count', counts, 100, `an exact count that was not asked before; ${about}`),
      figure(
        'search-index-size',
        indexBytes / textBytes,
        '× text',
        { is: '≤', value: 0.6 },
        {
          detail: `${(indexBytes / 1e6).toFixed(0)} MB; ${about}`,
        },
      ),
      figure(
        'search-index-build',
        textBytes / 1e6 / seconds,
        'MB/s',
        { is: '≥', value: 11 },
        {
          detail: `${seconds.toFixed(1)} s with opening; ${about}`,
        },
      ),
    ];
    const typed = `p95 from the query to its count and 50 hits with snippets, ${spread(first)} ms, slowest "${slowest.query}" ${shorten(slowest.ms)}; ${about}`;
    figures.push(
      size === 'L'
        ? told('search-typed', quantile(first, 0.95), 'ms', { detail: typed })
        : figure('search-typed', quantile(first, 0.95), 'ms', { is: '≤', value: 60 }, { detail: typed }),
    );
    options.say(`median page ${shorten(median(pages))} ms`);
    return figures;
  },
};
